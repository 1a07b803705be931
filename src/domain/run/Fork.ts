// A fork: a run that is another one with one call of it changed. Part of what the run is. What depends on that call is
// made anew, the rest is taken from the run it forks.
import { Schema } from "effect"

/** What of the call is another: what it answered, the model that is asked, or the prompt. */
export const ForkSet = Schema.Struct({
  output: Schema.optionalKey(Schema.Json),
  model: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.String)
})
export type ForkSet = typeof ForkSet.Type

export const Fork = Schema.Struct({
  /** The run that is forked. */
  of: Schema.String,
  at: Schema.Struct({ key: Schema.String, occurrence: Schema.Int }),
  set: ForkSet
})
export type Fork = typeof Fork.Type
