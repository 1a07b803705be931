// all, any, not: oracles made of others, in three-valued logic. Unproven is never turned into proven: `not` keeps
// it, and `any` of nothing and `all` of nothing are vacuous.
import { Result, Schema } from "effect"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle, type Sight } from "../Oracle.ts"

/** A part: an oracle with its arguments, on the claim's evidence or on evidence of its own. */
const Part = Schema.Struct({
  oracle: Schema.String,
  args: Schema.Json,
  evidence: Schema.optionalKey(Schema.String)
})
const Parts = Schema.Struct({ of: Schema.Array(Part) })

const outcomes = (parts: ReadonlyArray<typeof Part.Type>, sight: Sight): ReadonlyArray<Outcome> =>
  parts.map((part) => sight.ask(part))

const first = (all: ReadonlyArray<Outcome>, finding: Outcome["finding"]): Outcome | undefined =>
  all.find((outcome) => outcome.finding === finding)

export const all = oracle("all", Parts, ({ of }, sight) => {
  const parts = outcomes(of, sight)
  if (parts.length === 0) return Result.succeed(unproven("vacuous", "all of nothing"))
  return Result.succeed(first(parts, "refuted") ?? first(parts, "unproven") ?? proven)
})

export const any = oracle("any", Parts, ({ of }, sight) => {
  const parts = outcomes(of, sight)
  if (parts.length === 0) return Result.succeed(unproven("vacuous", "any of nothing"))
  return Result.succeed(
    first(parts, "proven") ??
      first(parts, "unproven") ??
      refuted(
        "differs",
        "every part is refuted",
        parts.map((part) => (part.finding === "refuted" ? part.counter : null))
      )
  )
})

export const not = oracle("not", Schema.Struct({ of: Part }), ({ of }, sight) => {
  const part = sight.ask(of)
  switch (part.finding) {
    case "proven":
      return Result.succeed(refuted("differs", "what was denied is proven", of.oracle))
    case "refuted":
      return Result.succeed(proven)
    case "unproven":
      return Result.succeed(part)
  }
})
