// One model call of a run: from what the plan asked to the waist's input, and its worst case for the ledger.
import { Effect, Option } from "effect"
import { Answers } from "../adapters/Answers.ts"
import { Guards } from "../adapters/Guards.ts"
import { inputBound, outputBound, reserveUsd } from "../adapters/Pricing.ts"
import { runBound } from "../adapters/runBound.ts"
import type { Json } from "../domain/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import type { ModelRunInput, ModelRunResult } from "../domain/ModelRun.ts"
import { requestIdOf, type IssuedCall } from "./CallBook.ts"
import type { Amount } from "./ledger.ts"
import type { RunContext } from "./RunContext.ts"

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
    ...(system === undefined ? {} : { system }),
    ...(schema === undefined ? {} : { schema }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(call.options?.timeoutMs === undefined ? {} : { timeoutMs: call.options.timeoutMs })
  }
}

/** The most a call can cost and bring, in dollars and tokens: over all its attempts, repairs and links. */
export const worstCase = Effect.fnUntraced(function* (call: IssuedCall, input: ModelRunInput) {
  const { policy } = yield* Guards
  const requests =
    policy.retry.maxAttempts * (1 + (input.schema === undefined ? 0 : policy.maxRepairs)) * call.chain.length
  const output = Math.max(0, ...call.chain.map((binding) => outputBound(binding, input)))
  const amount: Amount = {
    usd: reserveUsd(call.chain, input, {
      maxAttempts: policy.retry.maxAttempts,
      maxRepairs: policy.maxRepairs
    }),
    outputTokens: requests * output,
    tokens: requests * (output + inputBound(input))
  }
  return amount
})

/** What a person has answered is the answer: nobody else is asked again, before them or after. */
const chainFor = ({ chain }: IssuedCall, reply: Json | undefined) => {
  const people = chain.filter(({ adapter }) => adapter.id === "human")
  return reply === undefined || people.length === 0 ? chain : people
}

/**
 * Makes the call at the waist. `reservedUsd` is what the ledger holds for it, where the run has a cost bound;
 * `reply` is what a person answered to it, if it was a question.
 */
export const dispatchCall = (
  call: IssuedCall,
  input: ModelRunInput,
  reservedUsd: number | undefined,
  reply: Json | undefined
): Effect.Effect<ModelRunResult, never, Guards> =>
  runBound(chainFor(call, reply), input, reservedUsd === undefined ? {} : { reservedUsd }).pipe(
    Effect.provideService(Answers, {
      lookup: () => Effect.succeed(reply === undefined ? Option.none() : Option.some(reply))
    })
  )
