// Canonical JSON (RFC 8785, JCS): the one text form that is hashed. Pure; takes only plain data and says, by
// path, what it cannot carry. It never changes a value silently. Fingerprints live in fingerprint.ts.
import { Predicate, Result, Schema } from "effect"

/** Any value JSON can carry. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A value that JSON cannot carry. `path` is where, in the form `$.a[3].b`. */
export class NotCanonicalError extends Schema.TaggedError<NotCanonicalError>()("NotCanonicalError", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.problem}`
  }
}

export interface CanonicalOptions {
  /**
   * Tells a Proxy from a plain object where the platform can (Node: `util.types.isProxy`). Without it a Proxy
   * cannot be known and is read exactly once, like any object.
   */
  readonly isProxy?: (value: object) => boolean
  /**
   * How deep a value may nest. Deeper is refused, so that no value can exhaust the stack. `maxValueDepth` for what
   * comes from outside; without, a little more, so that what was let in can be written down.
   */
  readonly maxDepth?: number
  /**
   * Of a result, which comes after all its calls: a valid Date is its ISO text, undefined in an array null. Told of
   * each, with its path.
   */
  readonly asResult?: (what: "date" | "undefined", path: string) => void
}

/** How deep a value may nest that comes from outside: an answer, what a plan gives, a program's result. */
export const maxValueDepth = 1000
/** Room for what is put around such a value: a result around an answer, an event around a result. */
const defaultMaxDepth = maxValueDepth + 24
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/

const memberPath = (path: string, key: string | number) =>
  typeof key === "string" && plainKey.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`

const describe = (value: object): string => {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag !== "Object") return tag
  const constructor: unknown = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(value),
    "constructor"
  )?.value
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "a class instance"
}

/** Prototypes that make an object plain: null, and the `Object.prototype` of any realm. */
const isPlainPrototype = (prototype: unknown): boolean =>
  prototype === null ||
  prototype === Object.prototype ||
  (typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "hasOwnProperty") &&
    Object.hasOwn(prototype, "isPrototypeOf"))

const shortest = 48
/** Whether a short string stands in JSON as it is: printable ASCII without quote and backslash. */
const isBare = (text: string): boolean => {
  if (text.length > shortest) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false
  }
  return true
}

const few = 24
/**
 * Sorts in place, by UTF-16 code unit, which is what RFC 8785 asks for and what strings are compared by. Few keys by
 * insertion: most objects have few, and often in order, and the engine's own sort takes longer than the rest of them.
 */
const sort = (keys: Array<string>): void => {
  if (keys.length > few) return void keys.sort()
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] ?? ""
    let to = at
    for (; to > 0 && (keys[to - 1] ?? "") > key; to--) keys[to] = keys[to - 1] ?? ""
    keys[to] = key
  }
}

/** All keys of an object, sorted; undefined if one is a symbol. */
const keysOf = (value: object): ReadonlyArray<string> | undefined => {
  const keys = Reflect.ownKeys(value)
  if (!keys.every((key) => typeof key === "string")) return undefined
  sort(keys)
  return keys
}

class Writer {
  /** The containers around what is written now. Few, as a rule, so that a list is quicker than a set. */
  private readonly open: Array<object> = []
  /** Where the writer is. A path is made of it only when something is refused: all that is hashed passes here. */
  private readonly at: Array<string | number> = []
  private readonly isProxy: ((value: object) => boolean) | undefined
  private readonly maxDepth: number
  private readonly asResult: CanonicalOptions["asResult"]
  constructor(options: CanonicalOptions) {
    this.isProxy = options.isProxy
    this.maxDepth = options.maxDepth ?? defaultMaxDepth
    this.asResult = options.asResult
  }

  private refuse(problem: string): never {
    throw new NotCanonicalError({ path: this.at.reduce<string>(memberPath, "$"), problem })
  }

  private string(value: string): string {
    if (isBare(value)) return `"${value}"`
    if (!value.isWellFormed()) this.refuse("a string with a lone surrogate has no UTF-8 form")
    return JSON.stringify(value)
  }

  write(value: unknown): string {
    switch (typeof value) {
      case "string":
        return this.string(value)
      case "boolean":
        return value ? "true" : "false"
      case "number":
        if (!Number.isFinite(value)) this.refuse(`${value} is not a JSON number`)
        return Object.is(value, -0) ? "0" : String(value)
      case "object":
        return value === null ? "null" : this.container(value)
      case "undefined":
        return this.refuse("undefined is not a JSON value")
      default:
        return this.refuse(`a ${typeof value} is not a JSON value`)
    }
  }

  private keep(what: "date" | "undefined"): void {
    this.asResult?.(what, this.at.reduce<string>(memberPath, "$"))
  }

  private container(value: object): string {
    if (this.asResult !== undefined && Predicate.isDate(value)) {
      if (Number.isNaN(value.getTime())) this.refuse("an invalid Date is not a JSON value")
      this.keep("date")
      return JSON.stringify(value.toISOString())
    }
    if (this.isProxy?.(value) === true) this.refuse("a Proxy is not plain data")
    if (this.open.includes(value)) this.refuse("a cycle is not a JSON value")
    if (this.open.length >= this.maxDepth) this.refuse(`nested deeper than ${this.maxDepth} levels`)
    this.open.push(value)
    const text = Array.isArray(value) ? this.array(value) : this.object(value)
    this.open.pop()
    return text
  }

  private array(value: ReadonlyArray<unknown>): string {
    const { length } = value
    let text = ""
    for (let index = 0; index < length; index++) {
      this.at.push(index)
      const descriptor = Object.getOwnPropertyDescriptor(value, index)
      if (descriptor === undefined) return this.refuse("a hole in an array is not a JSON value")
      const element = this.data(descriptor)
      if (element === undefined && this.asResult !== undefined) this.keep("undefined")
      text += `${index === 0 ? "" : ","}${element === undefined && this.asResult !== undefined ? "null" : this.write(element)}`
      this.at.pop()
    }
    if (Reflect.ownKeys(value).length !== length + 1) {
      this.refuse("an array with extra properties is not plain data")
    }
    return `[${text}]`
  }

  private object(value: object): string {
    if (!isPlainPrototype(Object.getPrototypeOf(value))) this.refuse(`${describe(value)} is not plain data`)
    let text = ""
    const keys = keysOf(value)
    if (keys === undefined) return this.refuse("a symbol key is not a JSON key")
    for (const key of keys) {
      this.at.push(key)
      const descriptor = Object.getOwnPropertyDescriptor(value, key)
      if (descriptor === undefined) return this.refuse("the member vanished while it was read")
      const member = this.data(descriptor)
      if (member !== undefined) {
        text += `${text === "" ? "" : ","}${this.string(key)}:${this.write(member)}`
      }
      this.at.pop()
    }
    return `{${text}}`
  }

  private data(descriptor: PropertyDescriptor): unknown {
    if (descriptor.get !== undefined || descriptor.set !== undefined) {
      this.refuse("a getter is not plain data")
    }
    if (descriptor.enumerable !== true) this.refuse("a non-enumerable property is not plain data")
    return descriptor.value
  }
}

/**
 * Whether a parsed value of `bytes` bytes of JSON nests deeper than anything that was ever written: what goes through
 * it by calling itself would run out of stack. Short texts cannot.
 */
export const isTooDeep = (value: unknown, bytes: number): boolean => {
  if (bytes <= defaultMaxDepth * 2) return false
  let level: Array<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= defaultMaxDepth) return true
    const next: Array<unknown> = []
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue
      for (const member of Array.isArray(one) ? one : Object.values(one)) {
        if (typeof member === "object" && member !== null) next.push(member)
      }
    }
    level = next
  }
  return false
}

/**
 * The canonical text of `value`, or where and why it has none.
 *
 * Rules: RFC 8785 (https://www.rfc-editor.org/rfc/rfc8785). An undefined member is absent, `-0` is `0`, a null
 * prototype is plain, `__proto__` is an ordinary key. Anything else that JSON cannot carry is an error.
 */
export const canonicalJson = (
  value: unknown,
  options: CanonicalOptions = {}
): Result.Result<string, NotCanonicalError> =>
  Result.try({
    try: () => new Writer(options).write(value),
    catch: (cause) =>
      cause instanceof NotCanonicalError
        ? cause
        : new NotCanonicalError({ path: "$", problem: "the value threw while it was read" })
  })

/** Canonical text of a value whose type already says that it is JSON. Throws only where the type was wrong. */
export const canonicalJsonOf = (value: unknown): string => Result.getOrThrow(canonicalJson(value))

/**
 * Whether a JSON text spells half of a character (`\ud800`) in the value it stands for. Such a value has no canonical
 * text; nothing that is written here holds one, and what comes from elsewhere may.
 */
export const spellsHalfCharacter = (text: string, value: unknown): boolean =>
  (text.includes("\\ud") || text.includes("\\uD")) && Result.isFailure(canonicalJson(value))
