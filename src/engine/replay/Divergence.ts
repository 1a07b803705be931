// A divergence: where a plan that runs again parts from the journal, said so that its author can act on it: the
// first call that differs, the event it was journaled as, the line that made it, and what differs at which pointer.
import { Schema } from "effect"
import type { CallIdentity, Site } from "../../domain/Call.ts"
import { Site as SiteSchema } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { jsonDifference } from "../../domain/json/jsonDifference.ts"
import type { IssuedCall } from "../calls/CallBook.ts"

/** `n`: the call's place in issue order. `seq`: the event it is measured against. Values are bounded in size. */
export const Divergence = Schema.Struct({
  kind: Schema.Literals([
    "call_differs",
    "extra_call",
    "missing_call",
    "note_differs",
    "result_differs",
    "end_differs"
  ]),
  message: Schema.String,
  n: Schema.optionalKey(Schema.Int),
  seq: Schema.optionalKey(Schema.Int),
  site: Schema.optionalKey(SiteSchema),
  pointer: Schema.optionalKey(Schema.String),
  journaled: Schema.optionalKey(Schema.Json),
  now: Schema.optionalKey(Schema.Json)
})
export type Divergence = typeof Divergence.Type

const maxShown = 400

/** A value small enough to show; a long string is cut, anything else is named by its JSON's beginning. */
const shown = (value: Json | undefined): Json | undefined => {
  if (typeof value === "string") {
    return value.length <= maxShown ? value : `${value.slice(0, maxShown).toWellFormed()}…`
  }
  if (typeof value !== "object" || value === null) return value
  const text = JSON.stringify(value)
  return text.length <= maxShown ? value : `${text.slice(0, maxShown).toWellFormed()}…`
}

const at = (site: Site | undefined) =>
  site === undefined ? "" : ` at ${site.file}:${site.line}:${site.column}`

const difference = (
  journaled: Json | undefined,
  now: Json | undefined
): Pick<Divergence, "pointer" | "journaled" | "now"> => {
  const found = jsonDifference(journaled, now)
  if (found === undefined) return {}
  const left = shown(found.left)
  const right = shown(found.right)
  return {
    pointer: found.pointer,
    ...defined({ journaled: left, now: right })
  }
}

/** Of several differences, the one an author would look for first. */
const telling = ["prompt", "model", "system"] as const

const callDifference = (journaled: CallIdentity, now: CallIdentity) => {
  const member =
    journaled.verb === now.verb ? telling.find((name) => journaled[name] !== now[name]) : undefined
  return member === undefined
    ? difference(journaled, now)
    : difference(
        journaled[member] === undefined ? {} : { [member]: journaled[member] },
        now[member] === undefined ? {} : { [member]: now[member] }
      )
}

/** The n-th call the plan made is not the n-th call of the journal. */
export const callDiffers = (
  call: IssuedCall,
  journaled: { readonly seq: number; readonly call: CallIdentity }
): Divergence => {
  const parts = callDifference(journaled.call, call.identity)
  return {
    kind: "call_differs",
    message: `call ${call.n}${at(call.site)} differs from event ${journaled.seq} at ${JSON.stringify(parts.pointer ?? "")}`,
    n: call.n,
    seq: journaled.seq,
    ...defined({ site: call.site }),
    ...parts
  }
}

/** The n-th call is the same, and goes by another label or in another phase. */
export const namesDiffer = (
  call: IssuedCall,
  journaled: { readonly seq: number; readonly names: Json },
  now: Json
): Divergence => {
  const parts = difference(journaled.names, now)
  return {
    kind: "call_differs",
    message: `call ${call.n}${at(call.site)} differs from event ${journaled.seq} at ${JSON.stringify(parts.pointer ?? "")}`,
    n: call.n,
    seq: journaled.seq,
    ...defined({ site: call.site }),
    ...parts
  }
}

/** The plan made a call that the journal of the ended run does not have. */
export const extraCall = (call: IssuedCall): Divergence => {
  const now = shown(call.identity)
  return {
    kind: "extra_call",
    message: `call ${call.n}${at(call.site)} is not in the journal`,
    n: call.n,
    ...defined({ site: call.site, now })
  }
}

/** The journal has a call that the plan no longer makes. */
export const missingCall = (journaled: {
  readonly seq: number
  readonly n: number
  readonly call?: CallIdentity
  readonly site?: Site
}): Divergence => {
  const was = shown(journaled.call)
  return {
    kind: "missing_call",
    message: `the plan does not make call ${journaled.n} of event ${journaled.seq}${at(journaled.site)} any more`,
    n: journaled.n,
    seq: journaled.seq,
    ...defined({ site: journaled.site, journaled: was })
  }
}

/** A phase or log line differs from the one journaled. */
export const noteDiffers = (
  seq: number | undefined,
  journaled: Json | undefined,
  now: Json | undefined
): Divergence => ({
  kind: "note_differs",
  message:
    seq === undefined
      ? "the plan wrote a phase or log line that is not in the journal"
      : `a phase or log line differs from event ${seq}`,
  ...defined({ seq }),
  ...difference(journaled, now)
})

/** The plan made the same calls and returned something else. */
export const resultDiffers = (
  seq: number,
  journaled: Json | undefined,
  now: Json | undefined
): Divergence => ({
  kind: "result_differs",
  message: `the result differs from event ${seq}`,
  seq,
  ...difference(journaled, now)
})

/** The plan ended otherwise: it threw where it had returned, or the reverse. */
export const endDiffers = (seq: number, journaled: string, now: string): Divergence => ({
  kind: "end_differs",
  message: `event ${seq} says that the run ${journaled}; now it ${now}`,
  seq
})
