// What a call is called where people read of it: its label, the beginning of its prompt, or what a step of a room is:
// which proof of which unit, which approval, how long a sleep. Pure.
import { Option, Schema } from "effect"
import { durationText } from "../../domain/durationText.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"

const optionalText = Schema.optionalKey(Schema.String)

/** What rooms and verbs put into a call's spec; unknown members are passed over. */
const Spec = Schema.Struct({
  ms: Schema.optionalKey(Schema.Number),
  title: optionalText,
  question: optionalText,
  promptTemplate: optionalText,
  step: Schema.optionalKey(
    Schema.Struct({
      task: optionalText,
      proof: Schema.optionalKey(Schema.Struct({ id: Schema.String }))
    })
  ),
  ask: Schema.optionalKey(Schema.Struct({ kind: Schema.String, text: Schema.String }))
})
const decodeSpec = Schema.decodeUnknownOption(Spec)

/** `m-0123abcd/queue` without the mission. */
const unitOf = (task: string): string => task.slice(task.indexOf("/") + 1)

/** Milliseconds that a `sleep` takes; undefined for any other call. */
export const sleepMsOf = ({ call }: RunEventOf<"CallScheduled">): number | undefined =>
  call.verb === "sleep" ? (Option.getOrUndefined(decodeSpec(call.spec))?.ms ?? 0) : undefined

const specName = (verb: string, spec: unknown): string => {
  const { ask, ms, promptTemplate, question, step, title } = Option.getOrElse(
    decodeSpec(spec),
    (): typeof Spec.Type => ({})
  )
  const kind = verb.slice(verb.indexOf(".") + 1)
  const named =
    ask !== undefined
      ? `${ask.kind}: ${ask.text}`
      : step !== undefined
        ? [kind, step.task === undefined ? "" : unitOf(step.task), step.proof?.id ?? ""].join(" ")
        : verb === "sleep"
          ? `sleep ${durationText(ms ?? 0)}`
          : `${verb} ${title ?? question ?? promptTemplate ?? ""}`
  return named.trim()
}

const longest = 60

/** The beginning of a text on one line. What it gives does not keep a long text in memory, as a slice of it does. */
const beginning = (text: string): string => {
  const head = text.slice(0, longest * 64)
  const line = head.replace(/\s+/g, " ").trim()
  return line.length <= longest && head === text
    ? line
    : `${[...line.slice(0, longest - 1).toWellFormed()].join("")}…`
}

/** At most 60 characters, on one line. */
export const callName = ({ call, label, n }: RunEventOf<"CallScheduled">): string =>
  beginning(label ?? call.prompt ?? specName(call.verb, call.spec)) || `call ${n}`

const decodeProof = Schema.decodeUnknownOption(
  Schema.Struct({
    exitCode: Schema.NullOr(Schema.Int),
    timedOut: Schema.optionalKey(Schema.Boolean),
    problem: optionalText
  })
)

/** Why the answer of a proof command is none, if it is one: `exit code 1`. */
export const proofFailure = (result: unknown): string | undefined => {
  const proof = Option.getOrUndefined(decodeProof(result))
  if (proof === undefined || (proof.exitCode === 0 && proof.timedOut !== true)) return undefined
  if (proof.timedOut === true) return "timed out"
  return proof.exitCode === null ? (proof.problem ?? "killed") : `exit code ${proof.exitCode}`
}
