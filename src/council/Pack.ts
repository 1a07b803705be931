// Pack: what a board is given to decide on. The question, what there is to read, the options to rank, and the
// evidence that claims may name.
import { Schema } from "effect"
import { Evidence } from "../verifier/Evidence.ts"

export const PackOption = Schema.Struct({ id: Schema.NonEmptyString, text: Schema.String })

export const Pack = Schema.Struct({
  question: Schema.NonEmptyString,
  context: Schema.optionalKey(Schema.String),
  files: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, text: Schema.String }))),
  /** What is ranked in the ballot; ids are unique. */
  options: Schema.optionalKey(
    Schema.Array(PackOption).pipe(
      Schema.check(
        Schema.makeFilter<ReadonlyArray<{ readonly id: string }>>((options) =>
          new Set(options.map(({ id }) => id)).size === options.length ? undefined : "option ids are unique"
        )
      )
    )
  ),
  evidence: Schema.optionalKey(Schema.Array(Evidence))
})
export type Pack = typeof Pack.Type

/** A proof that the run has run: how it ended when it last did, as evidence under `id`. */
export const ProofReference = Schema.Struct({
  kind: Schema.Literal("proof"),
  id: Schema.NonEmptyString,
  proof: Schema.NonEmptyString
})

/** What `h.council` is given: a board in place or by its name in configuration, and the pack. */
export const CouncilSpec = Schema.Struct({
  board: Schema.Json,
  ...Pack.fields,
  evidence: Schema.optionalKey(Schema.Array(Schema.Union([...Evidence.members, ProofReference])))
})
export type CouncilSpec = typeof CouncilSpec.Type
