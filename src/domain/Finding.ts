// A finding of the determinism check, static or when reached: what, where in the author's source, what to use instead.
import { Schema } from "effect"
import { Site } from "./Call.ts"

export const Finding = Schema.Struct({
  construct: Schema.String,
  ...Site.fields,
  message: Schema.String,
  instead: Schema.String
})
export type Finding = typeof Finding.Type
