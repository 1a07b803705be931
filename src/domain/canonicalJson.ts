// Canonical JSON (RFC 8785, JCS): the one text form that is hashed. Pure; takes only plain data and says, by
// path, what it cannot carry. It never changes a value silently. Fingerprints live in fingerprint.ts.
import { Result, Schema } from "effect"

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
  /** How deep a value may nest. Deeper is refused, so that no value can exhaust the stack. */
  readonly maxDepth?: number
}

const defaultMaxDepth = 1000
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/

const memberPath = (path: string, key: string) =>
  plainKey.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`

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

class Writer {
  private readonly open = new Set<object>()
  private readonly isProxy: (value: object) => boolean
  private readonly maxDepth: number
  constructor(options: CanonicalOptions) {
    this.isProxy = options.isProxy ?? (() => false)
    this.maxDepth = options.maxDepth ?? defaultMaxDepth
  }

  private refuse(path: string, problem: string): never {
    throw new NotCanonicalError({ path, problem })
  }

  private string(value: string, path: string): string {
    if (!value.isWellFormed()) this.refuse(path, "a string with a lone surrogate has no UTF-8 form")
    return JSON.stringify(value)
  }

  write(value: unknown, path: string): string {
    switch (typeof value) {
      case "string":
        return this.string(value, path)
      case "boolean":
        return value ? "true" : "false"
      case "number":
        if (!Number.isFinite(value)) this.refuse(path, `${value} is not a JSON number`)
        return Object.is(value, -0) ? "0" : String(value)
      case "object":
        return value === null ? "null" : this.container(value, path)
      case "undefined":
        return this.refuse(path, "undefined is not a JSON value")
      default:
        return this.refuse(path, `a ${typeof value} is not a JSON value`)
    }
  }

  private container(value: object, path: string): string {
    if (this.isProxy(value)) this.refuse(path, "a Proxy is not plain data")
    if (this.open.has(value)) this.refuse(path, "a cycle is not a JSON value")
    if (this.open.size >= this.maxDepth) this.refuse(path, `nested deeper than ${this.maxDepth} levels`)
    this.open.add(value)
    const text = Array.isArray(value) ? this.array(value, path) : this.object(value, path)
    this.open.delete(value)
    return text
  }

  private array(value: ReadonlyArray<unknown>, path: string): string {
    const { length } = value
    const parts: Array<string> = []
    for (let index = 0; index < length; index++) {
      const at = `${path}[${index}]`
      const descriptor = Object.getOwnPropertyDescriptor(value, index)
      if (descriptor === undefined) return this.refuse(at, "a hole in an array is not a JSON value")
      parts.push(this.write(this.data(descriptor, at), at))
    }
    if (Reflect.ownKeys(value).length !== length + 1) {
      this.refuse(path, "an array with extra properties is not plain data")
    }
    return `[${parts.join(",")}]`
  }

  private object(value: object, path: string): string {
    if (!isPlainPrototype(Object.getPrototypeOf(value)))
      this.refuse(path, `${describe(value)} is not plain data`)
    const parts: Array<string> = []
    const keys: Array<string> = []
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === "symbol") return this.refuse(path, "a symbol key is not a JSON key")
      keys.push(key)
    }
    // The default order of strings is by UTF-16 code unit, which is what RFC 8785 asks for.
    keys.sort()
    for (const key of keys) {
      const at = memberPath(path, key)
      const descriptor = Object.getOwnPropertyDescriptor(value, key)
      if (descriptor === undefined) return this.refuse(at, "the member vanished while it was read")
      const member = this.data(descriptor, at)
      if (member === undefined) continue
      parts.push(`${this.string(key, at)}:${this.write(member, at)}`)
    }
    return `{${parts.join(",")}}`
  }

  private data(descriptor: PropertyDescriptor, path: string): unknown {
    if (descriptor.get !== undefined || descriptor.set !== undefined)
      this.refuse(path, "a getter is not plain data")
    if (descriptor.enumerable !== true) this.refuse(path, "a non-enumerable property is not plain data")
    return descriptor.value
  }
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
    try: () => new Writer(options).write(value, "$"),
    catch: (cause) =>
      cause instanceof NotCanonicalError
        ? cause
        : new NotCanonicalError({ path: "$", problem: "the value threw while it was read" })
  })

/** Canonical text of a value whose type already says that it is JSON. Throws only where the type was wrong. */
export const canonicalJsonOf = (value: unknown): string => Result.getOrThrow(canonicalJson(value))
