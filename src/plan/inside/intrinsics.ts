// intrinsics: the built-ins that Alembic's own code inside a plan's context works with, taken before the plan runs,
// so that a plan which patches a prototype changes nothing here. Like all of inside/, the function is evaluated
// from its source text in the fresh context: it may use its parameters and the language, and import only types.

type Uncurry = <This, Args extends Array<unknown>, Out>(
  method: (this: This, ...args: Args) => Out
) => (self: This, ...args: Args) => Out

type Then = <T, A, B>(
  promise: Promise<T>,
  onValue?: ((value: T) => A | PromiseLike<A>) | null,
  onError?: ((reason: unknown) => B | PromiseLike<B>) | null
) => Promise<A | B>

export const intrinsics = () => {
  const uncurry: Uncurry = Function.prototype.bind.bind(Function.prototype.call)
  const then: Then = Function.prototype.bind.bind(Function.prototype.call)(Promise.prototype.then)
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, freeze, create } = Object
  const { apply, construct, ownKeys, get: read, set } = Reflect
  /** How much of an error's message is kept: it is the plan's to make as long as it likes. */
  const longestMessage = 100_000
  const OriginalError = Error
  const toText = String

  /** A writable member, whatever the prototypes say about setters. */
  const put = (target: object, key: PropertyKey, value: unknown, enumerable = true): void => {
    const descriptor: PropertyDescriptor = create(null)
    descriptor.value = value
    descriptor.writable = true
    descriptor.configurable = true
    descriptor.enumerable = enumerable
    defineProperty(target, key, descriptor)
  }

  /** A member that stays what it is. */
  const pin = (target: object, key: PropertyKey, value: unknown): void => {
    const descriptor: PropertyDescriptor = create(null)
    descriptor.value = value
    descriptor.writable = false
    descriptor.configurable = false
    descriptor.enumerable = false
    defineProperty(target, key, descriptor)
  }

  const accessor = (
    target: object,
    key: PropertyKey,
    get: () => unknown,
    set?: (value: unknown) => void
  ): void => {
    const descriptor: PropertyDescriptor = create(null)
    descriptor.get = get
    if (set !== undefined) descriptor.set = set
    descriptor.configurable = true
    descriptor.enumerable = false
    defineProperty(target, key, descriptor)
  }

  /** What a thrown value says, without trusting it: reading it may run the plan's code, and that may throw. */
  const text = (value: unknown): string => {
    try {
      if (typeof value === "string") return value
      if (typeof value === "symbol") return "a symbol"
      return toText(value)
    } catch {
      return "a value that cannot be read"
    }
  }

  const member = (value: unknown, key: string): unknown => {
    try {
      return (typeof value === "object" && value !== null) || typeof value === "function"
        ? read(value, key)
        : undefined
    } catch {
      return undefined
    }
  }

  return {
    uncurry,
    defineProperty,
    getOwnPropertyDescriptor,
    getPrototypeOf,
    setPrototypeOf,
    freeze,
    create,
    apply,
    construct,
    ownKeys,
    read,
    set,
    longestMessage,
    put,
    pin,
    accessor,
    text,
    member,
    global: globalThis,
    Promise,
    Error: OriginalError,
    TypeError,
    RangeError,
    Map,
    WeakMap,
    isArray: Array.isArray,
    parse: JSON.parse,
    stringify: JSON.stringify,
    captureStackTrace: OriginalError.captureStackTrace,
    then,
    isWellFormed: uncurry(String.prototype.isWellFormed),
    toWellFormed: uncurry(String.prototype.toWellFormed),
    slice: uncurry(String.prototype.slice),
    startsWith: uncurry(String.prototype.startsWith),
    functionText: uncurry(Function.prototype.toString),
    tagOf: uncurry(Object.prototype.toString),
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapHas: uncurry(Map.prototype.has),
    mapDelete: uncurry(Map.prototype.delete),
    mapForEach: uncurry(Map.prototype.forEach),
    mapClear: uncurry(Map.prototype.clear),
    weakGet: uncurry(WeakMap.prototype.get),
    weakSet: uncurry(WeakMap.prototype.set),
    weakHas: uncurry(WeakMap.prototype.has)
  }
}

export type Intrinsics = ReturnType<typeof intrinsics>
