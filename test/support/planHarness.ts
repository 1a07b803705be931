// Drives a plan to its end as the engine would, with answers made up by rule: the stub of the shared determinism
// cases, or any other. It knows nothing of journals.
import { Effect } from "effect"
import type { PlanBundle } from "../../src/plan/bundler/PlanBundle.ts"
import type {
  Answer,
  PlanCall,
  PlanDriver,
  PlanRequest,
  PlanState,
  DrivenTurn
} from "../../src/plan/host/PlanProtocol.ts"

export type AnswerOf = (call: PlanCall) => unknown

const base = { adapterId: "stub", modelId: "stub", requestId: "stub", durationMs: 0, attempts: 1 }

export const success = (text: string, more: Record<string, unknown> = {}) => ({
  ...base,
  ok: true,
  text,
  finishReason: "stop",
  ...more
})

export const failure = (code: string, message: string) => ({
  ...base,
  ok: false,
  status: "failed",
  error: { code, message, retryable: false }
})

export const promptOf = (call: PlanCall): string => {
  const { options } = call
  if (typeof options !== "object" || options === null || !("prompt" in options)) return ""
  return typeof options.prompt === "string" ? options.prompt : ""
}

/** The stub hooks of the shared cases. */
export const stubAnswer: AnswerOf = (call) => {
  if (call.verb === "sleep") return null
  if (call.verb !== "agent") return { ok: true }
  const prompt = promptOf(call)
  if (prompt === "epoch") return success("1700000000000")
  if (prompt === "json") return success('{"n":3}')
  if (prompt.startsWith("fail")) return failure("server_error", "stub failure")
  if (prompt.startsWith("reject")) return failure("unknown", "hook rejected")
  return success(`echo:${prompt}`)
}

/** Which of the pending calls is answered next. */
export type Choose = (pending: ReadonlyArray<PlanCall>) => number

export interface Played {
  readonly state: PlanState
  readonly requests: ReadonlyArray<PlanRequest>
  /** In the order they were delivered. */
  readonly answers: ReadonlyArray<Answer>
}

/** Plays a plan to its end, one answer a turn. `known`: answers delivered first, all in one go. */
export const play = Effect.fnUntraced(function* (
  driver: PlanDriver,
  answerOf: AnswerOf = stubAnswer,
  choose: Choose = () => 0,
  known: ReadonlyArray<Answer> = [],
  most = 2_000
) {
  const requests: Array<PlanRequest> = []
  const answers: Array<Answer> = []
  const pending: Array<PlanCall> = []
  const drop = (n: number): void => {
    const at = pending.findIndex((call) => call.n === n)
    if (at >= 0) pending.splice(at, 1)
  }
  const take = (turn: DrivenTurn, delivered: ReadonlyArray<Answer>): void => {
    answers.push(...delivered.slice(0, turn.delivered))
    for (const { n } of delivered.slice(0, turn.delivered)) drop(n)
    for (const request of turn.requests) {
      if (request.t === "call" && request.verb === "step") continue
      requests.push(request)
      if (request.t === "call") pending.push(request)
      else if (request.t === "cancel") drop(request.n)
    }
    for (const { n } of answers) drop(n)
  }
  let turn = yield* driver.start
  take(turn, [])
  if (known.length > 0 && turn.state.t === "waiting") {
    turn = yield* driver.deliver(known)
    take(turn, known)
  }
  while (turn.state.t === "waiting" && answers.length < most) {
    const call = pending[choose(pending)]
    if (call === undefined) break
    const answer = [{ n: call.n, json: JSON.stringify(answerOf(call)) }]
    turn = yield* driver.deliver(answer)
    take(turn, answer)
  }
  const played: Played = { state: turn.state, requests, answers }
  return played
})

/** A bundle of one module, as hand-written text: `body` is what the wrapper function runs, and the author's line 1. */
export const moduleOf = (body: string, imports: ReadonlyArray<string> = []): PlanBundle => ({
  v: 1,
  kind: "module",
  entry: "plan.js",
  code: `(async function (__alembic_prelude, __alembic_refuse) { "use strict";\n${body}\n})`,
  map: "",
  modules: [],
  imports
})
