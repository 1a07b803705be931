// recordedHooks: the `Hooks` service for tests of Effect plans: the same verbs on a bridge that answers from a
// function and remembers what it was asked. No engine, no journal: what a run does with the calls is not its business.
import { Layer, Result } from "effect"
import { canonicalJson, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"
import type { ModelRunFailure, ModelRunSuccess } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import { effectHooks } from "./effectHooks.ts"
import type { HookBridge } from "./HookBridge.ts"
import { Hooks } from "./Hooks.ts"
import type { PlanCall } from "../host/PlanProtocol.ts"

/** A call as the plan made it. `options` are those of the verb, copied. */
export interface RecordedCall {
  readonly verb: PlanCall["verb"]
  readonly options: { readonly [name: string]: Json }
  readonly phase?: string
}

/** What a plan did, in the order it did it. */
export interface HooksRecord {
  readonly calls: ReadonlyArray<RecordedCall>
  readonly phases: ReadonlyArray<string>
  readonly logs: ReadonlyArray<{ readonly message: string; readonly data?: Json }>
  /** Of each fan-out that ended. */
  readonly coverage: ReadonlyArray<{ readonly done: number; readonly of: number; readonly accepted: boolean }>
}

/** An answer of `agent` that is a success: `text`, and `output` where a schema was asked for. Free and at once. */
export const answered = (text: string, output?: Json): ModelRunSuccess => ({
  ok: true,
  adapterId: "recorded",
  modelId: "recorded",
  requestId: "recorded",
  durationMs: 0,
  text,
  finishReason: "stop",
  costUsd: 0,
  attempts: 1,
  ...defined({ output })
})

/** An answer of `agent` that is a failure. */
export const failed = (code: ModelRunFailure["error"]["code"], message: string): ModelRunFailure => ({
  ok: false,
  status: "failed",
  adapterId: "recorded",
  modelId: "recorded",
  requestId: "recorded",
  durationMs: 0,
  attempts: 1,
  error: { code, message, retryable: false }
})

const copy = (value: unknown): Json =>
  JSON.parse(Result.getOrThrow(canonicalJson(value, { maxDepth: maxValueDepth })))

const isObject = (value: Json): value is RecordedCall["options"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const optionsOf = (given: unknown): RecordedCall["options"] => {
  const options = copy(given)
  return isObject(options) ? options : { value: options }
}

/**
 * Hooks that answer every call by `answer`, and the record of what they were asked. Make one for each test: the
 * record belongs to the layer. Sleeps end at once and are calls too.
 */
export const recordedHooks = (
  answer: (call: RecordedCall) => ModelRunSuccess | ModelRunFailure | Json
): { readonly layer: Layer.Layer<Hooks>; readonly record: HooksRecord } => {
  const calls: Array<RecordedCall> = []
  const phases: Array<string> = []
  const logs: Array<{ readonly message: string; readonly data?: Json }> = []
  const coverage: Array<HooksRecord["coverage"][number]> = []
  const bridge: HookBridge = {
    call: (verb, options, phase, settle) => {
      const call = { verb, options: optionsOf(options), ...defined({ phase }) }
      const n = calls.push(call)
      settle(verb === "sleep" ? null : copy(answer(call)))
      return n
    },
    cancel: () => {},
    phase: (title) => void phases.push(title),
    log: (message, data) => void logs.push({ message, ...(data === undefined ? {} : { data: copy(data) }) }),
    slots: (slots) => void coverage.push(slots)
  }
  return { layer: Layer.sync(Hooks, () => effectHooks(bridge)), record: { calls, phases, logs, coverage } }
}
