// runBound: one call of a plan through its chain of models. Walks the chain, decodes structured answers, has wrong
// ones repaired, adds up what all of it cost. Each attempt goes through the spine; this is what the engine calls.
import { Clock, Effect, Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { FellBack, ModelRunInput, ModelRunResult } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import type { Binding } from "../registry/AdapterRegistry.ts"
import { withoutAnother } from "./AttemptPort.ts"
import { mayFallBack } from "./Fallback.ts"
import { Guards } from "./Guards.ts"
import { sentOutputBound } from "../Pricing.ts"
import { costProblem } from "../registry/providerOptions.ts"
import {
  type CallOptions,
  failureOf,
  guardedAttempts,
  lastNet,
  readInput,
  spanOptions,
  successOf,
  untilAborted
} from "./runWithGuards.ts"
import { emptyTally, errorInfo, type Tally, tellAnswer, tellLast } from "./Tally.ts"
import {
  type AnswerIssue,
  compileSchema,
  readAnswer,
  repairInput,
  type StructuredSchema
} from "../structured/structuredOutput.ts"

export interface BoundOptions extends CallOptions {
  /** Further calls that show a model its own wrong answer; at most 2. */
  readonly maxRepairs?: number
  /** A further check of a structured answer that fits its schema; what it finds is repaired alike. */
  readonly check?: (value: Json) => ReadonlyArray<AnswerIssue>
  /**
   * The call's cost is bounded: the output bound is always sent, and provider options that may raise the cost are
   * `invalid_input`.
   */
  readonly bounded?: boolean
}

/** The answer of one link, decoded. */
interface Answered {
  readonly success: AttemptSuccess
  readonly output: Json | undefined
}

/** One link, with repairs. */
const answerOf = Effect.fnUntraced(function* (
  guards: Guards["Service"],
  binding: Binding,
  input: ModelRunInput,
  schema: StructuredSchema | undefined,
  options: BoundOptions,
  tally: Tally & { repairs: number },
  kind: "first" | "fallback"
): Effect.fn.Return<Answered, ModelError> {
  const { port } = options
  // A subprocess agent does its work again to answer again.
  const most = binding.adapter.hasSideEffects ? 1 : 2
  const maxRepairs = Math.min(most, options.maxRepairs ?? guards.policy.maxRepairs)
  let asked = input
  let unanswered: ModelError | undefined
  /** The repair was not made: the call fails as it would have without one. */
  const unrepaired = (refusal: ModelError) =>
    unanswered === undefined ? refusal : withoutAnother(unanswered, refusal)
  for (let repair = 0; ; repair++) {
    const success = yield* guardedAttempts(
      guards,
      binding,
      asked,
      options,
      tally,
      repair === 0 ? kind : "repair"
    ).pipe(
      Effect.mapError((error) => (repair > 0 && error.code === "budget_exceeded" ? unrepaired(error) : error))
    )
    if (schema === undefined) return { success, output: success.output }
    const answer = readAnswer(schema, success, options.check)
    if (Result.isSuccess(answer)) return { success, output: answer.success }
    const wrong = answer.failure
    const { issues, prose } = wrong
    const final = makeError("invalid_response", wrong.message, { detail: { issues, ...defined({ prose }) } })
    // What was cut at the output limit would be cut again, and paid again.
    const isOver = repair >= maxRepairs || success.finishReason === "length"
    yield* tellLast(port, tally, isOver, success.text)
    if (isOver) return yield* final
    unanswered = final
    tally.repairs += 1
    asked = repairInput(input, success.text, wrong, repair + 1)
  }
})

/**
 * A call through its chain. Never fails and never throws.
 *
 * `input.model` is replaced by each link's own model id. The result's `attempts`, `usage` and `costUsd` are of all
 * links, attempts and repairs together; `fellBackFrom` names the links that were tried before.
 */
export const runBound = Effect.fnUntraced(
  function* (
    chain: ReadonlyArray<Binding>,
    input: unknown,
    options: BoundOptions = {}
  ): Effect.fn.Return<ModelRunResult, never, Guards> {
    const guards = yield* Guards
    const startedAt = yield* Clock.currentTimeMillis
    const tally = { ...emptyTally(), repairs: 0 }
    const fellBackFrom: Array<FellBack> = []
    const known = { requestId: "", adapterId: chain[0]?.adapter.id ?? "", modelId: chain[0]?.modelId ?? "" }
    const at = Effect.gen(function* () {
      if (known.requestId === "") known.requestId = yield* guards.nextId("req")
      const durationMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
      return { adapterId: known.adapterId, modelId: known.modelId, requestId: known.requestId, durationMs }
    })
    const extras = () => ({
      ...(tally.repairs === 0 ? {} : { repairs: tally.repairs }),
      ...(fellBackFrom.length === 0 ? {} : { fellBackFrom: [...fellBackFrom] })
    })
    const failure = (error: ModelError) =>
      Effect.map(at, (where) => ({ ...failureOf(where, error, tally), ...extras() }))

    const walk = (read: ModelRunInput, schema: StructuredSchema | undefined) =>
      Effect.gen(function* () {
        const deadline = read.totalTimeoutMs ?? guards.policy.totalTimeoutMs
        let before: ModelError | undefined
        for (const [index, binding] of chain.entries()) {
          known.adapterId = binding.adapter.id
          known.modelId = binding.modelId
          const elapsed = (yield* Clock.currentTimeMillis) - startedAt
          const asked: ModelRunInput = {
            ...read,
            model: binding.modelId,
            ...(options.bounded === true ? { maxOutputTokens: sentOutputBound(binding, read) } : {}),
            ...(deadline === undefined ? {} : { totalTimeoutMs: Math.max(1, deadline - elapsed) })
          }
          const answer = yield* Effect.result(
            answerOf(guards, binding, asked, schema, options, tally, index === 0 ? "first" : "fallback")
          )
          if (Result.isSuccess(answer)) {
            yield* tellAnswer(options.port, tally)
            const { success, output } = answer.success
            const told = { ...success, ...defined({ output }) }
            return { ...successOf(yield* at, told, tally), ...extras() }
          }
          const error = answer.failure
          if (error.code === "budget_exceeded" && before !== undefined) {
            const failed = fellBackFrom.pop()
            known.adapterId = failed?.adapterId ?? known.adapterId
            known.modelId = failed?.modelId ?? known.modelId
            return yield* withoutAnother(before, error)
          }
          const next = chain[index + 1]
          const late = deadline !== undefined && (yield* Clock.currentTimeMillis) - startedAt >= deadline
          if (next === undefined || late || !mayFallBack(binding.adapter, error)) {
            yield* tellLast(options.port, tally, true)
            return yield* error
          }
          yield* tellLast(options.port, tally, false)
          before = error
          fellBackFrom.push({
            adapterId: binding.adapter.id,
            modelId: binding.modelId,
            error: errorInfo(error)
          })
        }
        return yield* makeError("invalid_input", "the chain of models is empty")
      })

    const call = readInput(input).pipe(
      Effect.flatMap((read) =>
        Effect.gen(function* () {
          known.requestId = read.requestId ?? (yield* guards.nextId("req"))
          const dearer =
            options.bounded !== true || chain.every(({ adapter }) => adapter.free)
              ? undefined
              : costProblem(read.providerOptions)
          if (dearer !== undefined) return yield* makeError("invalid_input", dearer)
          const sent = {
            ...read,
            requestId: known.requestId,
            idempotencyKey: read.idempotencyKey ?? known.requestId
          }
          const schema =
            read.schema === undefined ? undefined : yield* Effect.fromResult(compileSchema(read.schema))
          return yield* walk(sent, schema)
        })
      ),
      Effect.catch(failure),
      Effect.satisfiesErrorType<never>()
    )
    const cancelled = Effect.suspend(() => failure(makeError("cancelled", "the call was aborted")))
    return yield* lastNet(untilAborted(call, options.signal, cancelled), failure)
  },
  (self) => Effect.withSpan(self, "runBound", spanOptions)
)
