// Oracle: a deterministic judge of one kind of claim. It is given arguments and frozen evidence, and has no adapter,
// no service and no way to write. The kit of them is oracleKit.ts.
import { Result, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../domain/json/canonicalJson.ts"
import { issuesText } from "../domain/schemaIssues.ts"
import type { Question } from "./Claim.ts"
import { deepFreeze } from "./deepFreeze.ts"
import type { Evidence } from "./Evidence.ts"
import { unproven, type Outcome } from "./Finding.ts"
import type { Unproven } from "./select.ts"

/** What a decision may look at. `ask` decides a part of the question, for oracles made of others. */
export interface Sight {
  readonly evidence: Evidence | undefined
  readonly ask: (part: Omit<Question, "evidence"> & { readonly evidence?: string }) => Outcome
}

export interface Oracle {
  readonly name: string
  /** The Schema of its arguments. */
  readonly args: Schema.Top
  /** Total: bad arguments are an unproven outcome. */
  readonly decide: (args: Json, sight: Sight) => Outcome
}

/** An oracle from the Schema of its arguments and its decision; a failed Result is an unproven outcome. */
export const oracle = <A>(
  name: string,
  args: Schema.ConstraintDecoder<A> & Schema.Top,
  decide: (args: A, sight: Sight) => Result.Result<Outcome, Unproven>
): Oracle => {
  const decode = Schema.decodeUnknownResult(args, { onExcessProperty: "error" })
  return Object.freeze({
    name,
    args,
    decide: (raw: Json, sight: Sight): Outcome =>
      Result.match(decode(raw), {
        onFailure: (error): Outcome => unproven("bad_args", issuesText(error).replaceAll("$", "args")),
        onSuccess: (decoded) => Result.merge(decide(deepFreeze(decoded), sight))
      })
  })
}

/** Whether two values are the same JSON: numbers by value, texts by code unit, members in any order. */
export const sameJson = (a: Json, b: Json): boolean => canonicalJsonOf(a) === canonicalJsonOf(b)
