// What the scan follows through a program: the values that can reach a forbidden source, and what a member of each
// is. Pure data; how values move is in flow.ts.
import { forbiddenGlobals, instead } from "./catalogue.ts"

export type FunctionFlavour = "Function" | "AsyncFunction" | "GeneratorFunction" | "AsyncGeneratorFunction"

export type Value =
  /** A global, or a member of one, by its path: `Date`, `Math`, `Intl.DateTimeFormat`, `Function`, `eval`. */
  | { readonly kind: "global"; readonly name: string }
  | { readonly kind: "globalThis"; readonly name: string }
  /** `f.call`, `f.apply`, `f.bind`. */
  | { readonly kind: "method"; readonly method: "call" | "apply" | "bind"; readonly of: Value }
  /** The result of `bind`, and how many arguments it already holds. */
  | { readonly kind: "bound"; readonly of: Value; readonly held: number }
  | { readonly kind: "prototype"; readonly of: Value }
  | { readonly kind: "descriptors"; readonly of: Value }
  | { readonly kind: "descriptor"; readonly of: Member }
  /** An object or list that holds the value under a key. */
  | { readonly kind: "box"; readonly key: string; readonly inner: Value }
  /** A function that answers with the value. */
  | { readonly kind: "returns"; readonly of: Value }
  /** A class that extends `Date`. */
  | { readonly kind: "subclass" }
  /** A date formatter, and its `format`. */
  | { readonly kind: "formatter" }
  | { readonly kind: "format"; readonly method: string }

/** A source that may not be reached. `depth`: how many further member names belong to the construct. */
export interface Leaf {
  readonly construct: string
  readonly instead: string
  readonly depth: number
}

export type Member =
  | { readonly leaf: Leaf; readonly value?: never }
  | { readonly value: Value; readonly leaf?: never }

/** Globals that are followed because of what their members or calls do. */
const followed: ReadonlySet<string> = new Set(["Date", "Math", "Intl", "eval", "Function"])
const flavours: ReadonlySet<string> = new Set([
  "Function",
  "AsyncFunction",
  "GeneratorFunction",
  "AsyncGeneratorFunction"
])

export const isCodeMaker = (value: Value): boolean =>
  value.kind === "global" && (value.name === "eval" || flavours.has(value.name))

export const isDate = (value: Value): boolean => value.kind === "global" && value.name === "Date"

/** What a value is called in a message. */
export const nameOf = (value: Value): string => {
  switch (value.kind) {
    case "global":
    case "globalThis":
      return value.name
    case "subclass":
      return "Date subclass"
    case "box":
      return nameOf(value.inner)
    case "method":
    case "bound":
    case "prototype":
    case "descriptors":
    case "returns":
      return nameOf(value.of)
    case "descriptor":
      return value.of.value === undefined ? value.of.leaf.construct : nameOf(value.of.value)
    case "formatter":
    case "format":
      return "Intl.DateTimeFormat"
  }
}

/** A key under which two values count as the same. */
export const keyOf = (value: Value): string => JSON.stringify(value)

/** What the global `name` is, if anything is to be known about it. */
export const globalMember = (name: string): Member | undefined => {
  const forbidden = Object.hasOwn(forbiddenGlobals, name) ? forbiddenGlobals[name] : undefined
  if (forbidden !== undefined && forbidden.members === undefined) {
    return { leaf: { construct: forbidden.name ?? name, instead: forbidden.instead, depth: forbidden.depth } }
  }
  return forbidden !== undefined || followed.has(name) ? { value: { kind: "global", name } } : undefined
}

const memberOfGlobal = (value: Extract<Value, { kind: "global" }>, name: string): Member | undefined => {
  const forbidden = Object.hasOwn(forbiddenGlobals, value.name) ? forbiddenGlobals[value.name] : undefined
  if (forbidden !== undefined) {
    if (forbidden.members?.has(name) !== true) return undefined
    const depth = forbidden.depth - 1
    return { leaf: { construct: `${value.name}.${name}`, instead: forbidden.instead, depth } }
  }
  switch (`${value.name}.${name}`) {
    case "Date.now":
      return { leaf: { construct: "Date.now", instead: instead.clock, depth: 0 } }
    case "Math.random":
      return { leaf: { construct: "Math.random", instead: instead.random, depth: 0 } }
    case "Intl.DateTimeFormat":
      return { value: { kind: "global", name: "Intl.DateTimeFormat" } }
  }
  if (value.name === "Math" || value.name === "Intl") return undefined
  switch (name) {
    case "call":
    case "apply":
    case "bind":
      return { value: { kind: "method", method: name, of: value } }
    case "prototype":
      return { value: { kind: "prototype", of: value } }
    case "constructor":
      return { value: { kind: "global", name: "Function" } }
    default:
      return undefined
  }
}

/** What `value.name` is, if anything is to be known about it. */
export const memberOf = (value: Value, name: string): Member | undefined => {
  switch (value.kind) {
    case "globalThis":
      return name === "globalThis" || name === value.name ? { value } : globalMember(name)
    case "global":
      return memberOfGlobal(value, name)
    case "box":
      return name === value.key ? { value: value.inner } : undefined
    case "prototype":
      return name === "constructor" ? { value: value.of } : undefined
    case "descriptors": {
      const of = memberOf(value.of, name)
      return of === undefined ? undefined : { value: { kind: "descriptor", of } }
    }
    case "descriptor":
      return name === "value" ? value.of : undefined
    case "subclass":
      return name === "now"
        ? { leaf: { construct: "Date.now", instead: instead.clock, depth: 0 } }
        : undefined
    case "formatter":
      return name === "format" || name === "formatToParts"
        ? { value: { kind: "format", method: name } }
        : undefined
    case "bound":
    case "method":
    case "format":
    case "returns":
      return name === "call" || name === "apply" || name === "bind"
        ? { value: { kind: "method", method: name, of: value } }
        : undefined
  }
}
