// A council on a script: a board of four and a contrarian, and an `ask` that answers by label and keeps what it was
// asked. For tests of the debate, without models.
import { Effect, Result } from "effect"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { AgentOptions } from "../../src/domain/Call.ts"
import type { ErrorCode } from "../../src/domain/ModelError.ts"
import type { ModelRunResult } from "../../src/domain/ModelRun.ts"
import type { Board } from "../../src/council/Board.ts"
import { decodeBoard } from "../../src/council/loadBoard.ts"
import type { Decision } from "../../src/council/scoring.ts"

export const voters = ["ana", "bo", "cy", "di"] as const

export const boardValue = (rest: Readonly<Record<string, Json>> = {}): Record<string, Json> => ({
  members: [
    ...voters.map((id) => ({ id, role: "engineer", model: `offline:${id}` })),
    { id: "con", role: "contrarian" }
  ],
  axes: [
    { id: "value", weight: 1 },
    { id: "risk", weight: 1 }
  ],
  ...rest
})

export const boardOf = (rest: Readonly<Record<string, Json>> = {}): Board =>
  Result.getOrThrow(decodeBoard(boardValue(rest)))

export const statement = (stance: Decision, rest: Readonly<Record<string, Json>> = {}): Json => ({
  position: `I hold ${stance}`,
  stance,
  objections: [],
  ...rest
})

export const vote = (
  score: number,
  answers: ReadonlyArray<string> = [],
  rest: Readonly<Record<string, Json>> = {}
): Json => ({
  abstain: false,
  reason: `a ${score}`,
  scores: { value: score, risk: score },
  answers: answers.map((objection) => ({ objection, answer: `an answer to ${objection}`, stands: false })),
  ...rest
})

export const succeeded = (answer: Json | { readonly rawText: string }): ModelRunResult => {
  const text =
    typeof answer === "object" && answer !== null && "rawText" in answer ? answer.rawText : undefined
  return {
    ok: true,
    adapterId: "offline",
    modelId: "m",
    requestId: "r",
    durationMs: 0,
    text: typeof text === "string" ? text : JSON.stringify(answer),
    ...(typeof text === "string" ? {} : { output: JSON.parse(JSON.stringify(answer)) }),
    finishReason: "stop",
    usage: { inputTokens: 10, outputTokens: 2 },
    costUsd: 0.25,
    attempts: 1
  }
}

export const failedWith = (code: ErrorCode): ModelRunResult => ({
  ok: false,
  status: "failed",
  adapterId: "offline",
  modelId: "m",
  requestId: "r",
  durationMs: 0,
  attempts: 1,
  costUsd: 0,
  error: { code, message: `it was ${code}`, retryable: false }
})

/** The contrarian raises one objection, every voter gives 8 and answers it. */
export const agreeable = (label: string): ModelRunResult => {
  const [, phase] = label.split("/")
  if (phase === "ballot") return succeeded(vote(8, ["o-1"]))
  return succeeded(
    statement("GO", phase === "contrarian" ? { objections: ["nobody has asked the users"] } : {})
  )
}

/** An `ask` by label (`council/<phase>/<member>`), with what was asked, in order. */
export const scripted = (answer: (label: string, call: AgentOptions) => ModelRunResult = agreeable) => {
  const asked: Array<AgentOptions> = []
  return {
    asked,
    labels: () => asked.map(({ label }) => label ?? ""),
    ask: (call: AgentOptions) =>
      Effect.sync(() => {
        asked.push(call)
        return answer(call.label ?? "", call)
      })
  }
}

/** `agreeable`, but for the labels that are given. */
export const except = (others: Readonly<Record<string, ModelRunResult>>) =>
  scripted((label) => others[label] ?? agreeable(label))
