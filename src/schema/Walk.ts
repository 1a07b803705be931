// Walk: what the keywords of a schema share while a value is held against it: the place, the budget, what was seen.
import type { Json } from "../domain/json/canonicalJson.ts"
import type { Budget } from "./Budget.ts"
import type { SchemaNode } from "./document.ts"

/** One thing that is wrong. `at` is the place in the value, `by` the keyword's in the schema, both as `#/a/0`. */
export interface SchemaIssue {
  readonly at: string
  readonly by: string
  readonly keyword: string
  readonly problem: string
}

/** Where the walk is. */
export interface Spot {
  readonly at: string
  readonly by: string
  readonly depth: number
  /** The value is the name of the member there. */
  readonly ofName?: boolean
}

/** What the keywords so far have looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  readonly names: Set<string>
  readonly items: Set<number>
}

/** What a keyword may use while it is held against a value. */
export interface Walk {
  readonly budget: Budget
  readonly check: (
    node: SchemaNode,
    value: Json,
    spot: Spot,
    seen: Evaluated | undefined
  ) => ReadonlyArray<SchemaIssue>
  readonly matches: (pattern: string, text: string) => boolean
  readonly hasFormat: (name: string, text: string) => boolean
  /** A text that two values share exactly when they are the same JSON. */
  readonly keyOf: (value: Json) => string
  readonly issue: (spot: Spot, keyword: string, problem: string, inner?: ReadonlyArray<SchemaIssue>) => void
}
