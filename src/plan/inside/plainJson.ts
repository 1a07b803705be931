// plainJson: the JSON text of a value the plan hands out (arguments, log data, its result), or an error that names
// the path of what JSON cannot carry. The rules of domain/json/canonicalJson.ts, keys in the author's order; every member
// is read once. Of a result, which comes after all calls, what has a usual JSON form takes it, with a notice. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"
import type { RawSite } from "./record.ts"

/** One object that was read, and where it stood. */
export interface Seen {
  readonly value: object
  readonly path: string
  readonly next: Seen | undefined
}

export const plainJson = (own: Intrinsics) => {
  const { getPrototypeOf, getOwnPropertyDescriptor, isArray, ownKeys, stringify, isWellFormed, text, slice } =
    own
  const { Map: OwnMap, mapHas, mapSet, mapDelete, tagOf, TypeError: OwnTypeError } = own
  const objectPrototype = Object.prototype
  const arrayPrototype = Array.prototype
  const match = own.uncurry(RegExp.prototype.exec)
  const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/
  const isFinite = Number.isFinite
  const dateTime = own.uncurry<unknown, [], number>(Date.prototype.getTime)
  const isoText = own.uncurry<unknown, [], string>(Date.prototype.toISOString)
  const datePrototype = Date.prototype
  const maxDepth = 1000
  const longestPath = 200

  type Path = { readonly above: Path; readonly step: string } | undefined
  /** Objects that were read since the last `takeSeen`, for the host, which can tell a Proxy. */
  let seen: Seen | undefined

  const written = (path: Path): string => {
    let all = ""
    for (let at = path; at !== undefined; at = at.above) {
      all = at.step + all
      if (all.length > longestPath) return `$…${slice(all, all.length - longestPath)}`
    }
    return `$${all}`
  }

  /** What is being written, for messages: `agent`, `result`, … */
  let subject = ""
  /** Promises of calls, and errors that are about such a call. */
  const calls = new own.WeakMap<object, { readonly verb: string; readonly site: RawSite | undefined }>()
  const places = new own.WeakMap<object, RawSite>()

  interface Kept {
    readonly what: string
    first: string
    count: number
  }
  /** What was given its usual JSON form; undefined where nothing may be. */
  let kept: ReadonlyArray<Kept> | undefined
  const dates = 0
  const gaps = 1

  const keep = (kind: number, path: Path): void => {
    const entry = kept === undefined ? undefined : kept[kind]
    if (entry === undefined) return
    if (entry.count === 0) entry.first = written(path)
    entry.count += 1
  }

  const refuse = (path: Path, problem: string): never => {
    throw new OwnTypeError(`${subject}: ${written(path)}: ${problem}`)
  }

  const isPlain = (value: object): boolean => {
    const prototype: unknown = getPrototypeOf(value)
    return prototype === null || prototype === objectPrototype
  }

  /** A Date that nothing was made of: its time, else undefined. */
  const timeOf = (value: object): number | undefined => {
    if (getPrototypeOf(value) !== datePrototype) return undefined
    try {
      return dateTime(value)
    } catch {
      return undefined
    }
  }

  /** Whatever is a promise was not waited for; of a call, which one it was is said at its own line. */
  const refusePromise = (value: object, path: Path): void => {
    const call = own.weakGet(calls, value)
    if (call === undefined) return
    const error = new OwnTypeError(`${subject}: ${written(path)}: the call \`${call.verb}\` is not awaited`)
    if (call.site !== undefined) own.weakSet(places, error, call.site)
    throw error
  }

  const describe = (value: object): string => {
    try {
      const name = own.member(own.member(value, "constructor"), "name")
      if (typeof name === "string" && name !== "" && name !== "Object") return name
      return slice(tagOf(value), 8, -1)
    } catch {
      return "this value"
    }
  }

  const write = (value: unknown, path: Path, open: Map<unknown, unknown>, depth: number): string => {
    switch (typeof value) {
      case "string":
        if (!isWellFormed(value)) return refuse(path, "a string with a lone surrogate has no UTF-8 form")
        return stringify(value)
      case "number":
        if (!isFinite(value)) return refuse(path, `${text(value)} is not a JSON value`)
        return stringify(value)
      case "boolean":
        return value ? "true" : "false"
      case "object":
        return value === null ? "null" : container(value, path, open, depth)
      case "undefined":
        return refuse(path, "undefined is not a JSON value")
      default:
        return refuse(path, `a ${typeof value} is not a JSON value`)
    }
  }

  const data = (descriptor: PropertyDescriptor, path: Path): unknown => {
    if (descriptor.get !== undefined || descriptor.set !== undefined)
      refuse(path, "a getter is not plain data")
    if (descriptor.enumerable !== true) refuse(path, "a non-enumerable property is not plain data")
    return descriptor.value
  }

  const container = (value: object, path: Path, open: Map<unknown, unknown>, depth: number): string => {
    if (kept !== undefined) {
      const time = timeOf(value)
      if (time !== undefined && time !== time) refuse(path, "an invalid Date is not a JSON value")
      if (time !== undefined) {
        keep(dates, path)
        return stringify(isoText(value))
      }
    }
    if (mapHas(open, value)) refuse(path, "a cycle is not a JSON value")
    if (depth >= maxDepth) refuse(path, `nested deeper than ${maxDepth} levels`)
    mapSet(open, value, true)
    seen = { value, path: `${subject}: ${written(path)}`, next: seen }
    const out = isArray(value) ? array(value, path, open, depth) : object(value, path, open, depth)
    mapDelete(open, value)
    return out
  }

  const array = (
    value: ReadonlyArray<unknown>,
    path: Path,
    open: Map<unknown, unknown>,
    depth: number
  ): string => {
    if (getPrototypeOf(value) !== arrayPrototype) refuse(path, `${describe(value)} is not plain data`)
    const { length } = value
    let out = "["
    for (let index = 0; index < length; index++) {
      const at: Path = { above: path, step: `[${index}]` }
      const descriptor = getOwnPropertyDescriptor(value, index)
      if (descriptor === undefined) return refuse(at, "a hole in an array is not a JSON value")
      if (index > 0) out += ","
      const element = data(descriptor, at)
      if (element === undefined && kept !== undefined) {
        keep(gaps, at)
        out += "null"
      } else out += write(element, at, open, depth + 1)
    }
    if (ownKeys(value).length !== length + 1) refuse(path, "an array with extra properties is not plain data")
    return `${out}]`
  }

  const object = (value: object, path: Path, open: Map<unknown, unknown>, depth: number): string => {
    if (!isPlain(value)) {
      refusePromise(value, path)
      const what = describe(value)
      refuse(path, what === "Promise" ? "a promise is not plain data: await it" : `${what} is not plain data`)
    }
    const keys = ownKeys(value)
    let out = ""
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]
      if (typeof key !== "string") return refuse(path, "a symbol key is not a JSON key")
      const at: Path = {
        above: path,
        step: match(plainKey, key) !== null ? `.${key}` : `[${stringify(key)}]`
      }
      const descriptor = getOwnPropertyDescriptor(value, key)
      if (descriptor === undefined) return refuse(at, "the member vanished while it was read")
      const member = data(descriptor, at)
      if (member === undefined) continue
      if (!isWellFormed(key)) refuse(at, "a key with a lone surrogate has no UTF-8 form")
      out += `${out === "" ? "" : ","}${stringify(key)}:${write(member, at, open, depth + 1)}`
    }
    return `{${out}}`
  }

  return {
    /** Throws a TypeError `<of>: <path>: <problem>`. */
    json: (value: unknown, of: string): string => {
      subject = of
      kept = undefined
      return write(value, undefined, new OwnMap<unknown, unknown>(), 0)
    },
    /** The same of the plan's result, in which a Date is its ISO text and undefined in an array null. */
    resultJson: (value: unknown): { readonly json: string; readonly notices: string } => {
      subject = "result"
      const found: ReadonlyArray<Kept> = [
        { what: "a Date, kept as its ISO text", first: "", count: 0 },
        { what: "undefined in an array, kept as null", first: "", count: 0 }
      ]
      kept = found
      const json = write(value, undefined, new OwnMap<unknown, unknown>(), 0)
      let notices = ""
      for (let index = 0; index < found.length; index++) {
        const { count, first, what } = found[index] ?? { count: 0, first: "", what: "" }
        if (count === 0) continue
        const more = count === 1 ? "" : ` and ${count - 1} more`
        notices += `${notices === "" ? "" : ","}${stringify(`result: ${first}${more}: ${what}`)}`
      }
      return { json, notices: `[${notices}]` }
    },
    /** Remembers whose promise it is. */
    isCall: (promise: object, verb: string, site: RawSite | undefined): void => {
      own.weakSet(calls, promise, { verb, site })
    },
    /** The place that an error is about, if that is not where it was made. */
    placeOf: (error: unknown): RawSite | undefined =>
      typeof error === "object" && error !== null ? own.weakGet(places, error) : undefined,
    takeSeen: (): Seen | undefined => {
      const all = seen
      seen = undefined
      return all
    }
  }
}

export type PlainJson = ReturnType<typeof plainJson>
