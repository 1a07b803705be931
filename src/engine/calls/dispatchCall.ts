// One model call of a run: from what the plan asked to the waist's input, what an attempt of it may come to, and the
// waist's port through which each attempt comes back to the run.
import { Deferred, Effect, Option } from "effect"
import type { Binding } from "../../adapters/registry/AdapterRegistry.ts"
import { Answers } from "../../adapters/Answers.ts"
import type { AttemptPort, EndedAttempt } from "../../adapters/guard/AttemptPort.ts"
import type { Guards } from "../../adapters/guard/Guards.ts"
import { runBound } from "../../adapters/guard/runBound.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import type { ModelError } from "../../domain/ModelError.ts"
import type { ModelRunInput, ModelRunResult } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"
import { requestIdOf, type IssuedCall } from "./CallBook.ts"
import type { AttemptNote, Outcome } from "./CallsInFlight.ts"
import type { RunContext } from "../run/RunContext.ts"

/** Whether nothing the call may reach costs money or acts on the world. */
export const isFree = (call: IssuedCall): boolean => call.chain.every(({ adapter }) => adapter.free)

/** The same for every try of the same call, across crashes, so that a provider that knows it bills once. */
export const idempotencyKeyOf = (runId: string, call: IssuedCall): string =>
  `alembic-${sha256(`${runId}/${call.id}`).slice(0, 40)}`

/** What the waist gets for the call. */
export const inputOf = (run: RunContext, call: IssuedCall): ModelRunInput => {
  const { maxOutputTokens, prompt, providerOptions, schema, system, temperature } = call.identity
  return {
    prompt: prompt ?? "",
    model: call.identity.model ?? "",
    requestId: requestIdOf(call.ref),
    idempotencyKey: idempotencyKeyOf(run.journal.runId, call),
    cacheKey: call.ref.key,
    ...defined({ system, schema, maxOutputTokens, temperature, providerOptions }),
    ...(call.options?.timeoutMs === undefined ? {} : { timeoutMs: call.options.timeoutMs })
  }
}

/** What a person has answered is the answer: nobody else is asked again, before them or after. */
export const chainFor = ({ chain }: IssuedCall, reply: Json | undefined): ReadonlyArray<Binding> => {
  const people = chain.filter(({ adapter }) => adapter.id === "human")
  return reply === undefined || people.length === 0 ? chain : people
}

export interface CallDispatch {
  readonly call: IssuedCall
  readonly chain: ReadonlyArray<Binding>
  readonly input: ModelRunInput
  /** Its cost is bounded. */
  readonly bounded: boolean
  /** What a person answered to it, if it was a question. */
  readonly reply: Json | undefined
  /** What was tried before that person was asked. */
  readonly before: RunEventOf<"QuestionAsked">["before"]
}

/** The answer with what was tried before the person: of the whole chain, as any other. Tokens and cost are counted there. */
const ofWholeChain = (model: ModelRunResult, { before }: CallDispatch): ModelRunResult => {
  if (before === undefined) return model
  const { attempts, fellBackFrom, repairs } = before
  return {
    ...model,
    attempts: model.attempts + attempts,
    ...defined({ repairs, fellBackFrom })
  }
}

/** Makes the call at the waist. Its first attempt was admitted before; each further one asks the run, through `note`. */
export const dispatchCall = (
  dispatch: CallDispatch,
  note: (note: AttemptNote) => Effect.Effect<void>
): Effect.Effect<Outcome, never, Guards> =>
  Effect.suspend(() => {
    const { bounded, call, chain, input, reply } = dispatch
    let last: EndedAttempt | undefined
    const port: AttemptPort = {
      admit: (attempt) =>
        attempt.number === 1
          ? Effect.void
          : Effect.gen(function* () {
              const admitted = yield* Deferred.make<void, ModelError>()
              yield* note({ _tag: "admit", call, attempt, reply: admitted })
              return yield* Deferred.await(admitted)
            }),
      ended: (attempt, isLast) => {
        if (!isLast) return note({ _tag: "ended", call, attempt })
        last = attempt
        return Effect.void
      }
    }
    return runBound(chain, input, { port, ...(bounded ? { bounded } : {}) }).pipe(
      Effect.provideService(Answers, {
        lookup: () => Effect.succeed(reply === undefined ? Option.none() : Option.some(reply))
      }),
      Effect.map((model): Outcome => ({
        call,
        result: { ...ofWholeChain(model, dispatch) },
        model,
        ...defined({ last })
      }))
    )
  })
