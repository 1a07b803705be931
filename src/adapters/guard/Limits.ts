// Limits: how much may go to one adapter at a time and per minute. A call waits for its turn; it is never refused
// for a limit, and a call that is larger than a whole minute's tokens still gets its turn.
import { Effect, Semaphore } from "effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type { ModelRunInput } from "../../domain/ModelRun.ts"

/** Of one adapter, all its models together. Absent: no limit. */
export interface AdapterLimits {
  readonly concurrency?: number
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
}

export interface Limiter {
  /** Runs `self` when a slot is free and the minute's requests and tokens allow it. */
  readonly within: <A, E, R>(input: ModelRunInput, self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Output tokens assumed of a call that names no bound. */
const assumedOutputTokens = 1024

/** A guess for pacing only (4 bytes a token): what is paid for is bounded elsewhere, by Pricing. */
export const estimatedTokens = (input: ModelRunInput): number =>
  Math.ceil((input.prompt.length + (input.system?.length ?? 0)) / 4) +
  (input.maxOutputTokens ?? assumedOutputTokens)

export const unlimited: Limiter = { within: (_input, self) => self }

export const makeLimiter = Effect.fnUntraced(function* (adapterId: string, limits: AdapterLimits) {
  const slots = limits.concurrency === undefined ? undefined : yield* Semaphore.make(limits.concurrency)
  const rate = yield* RateLimiter.make.pipe(Effect.provide(RateLimiter.layerStoreMemory))
  const take = (kind: string, limit: number | undefined, tokens: number) =>
    limit === undefined
      ? Effect.void
      : rate
          .consume({
            algorithm: "token-bucket",
            onExceeded: "delay",
            window: "1 minute",
            limit,
            key: `${adapterId}/${kind}`,
            tokens
          })
          .pipe(
            // The store is in memory: it has no way to fail, and "delay" never exceeds.
            Effect.orDie,
            Effect.flatMap(({ delay }) => Effect.sleep(delay))
          )
  const within: Limiter["within"] = (input, self) => {
    const paced = take("requests", limits.requestsPerMinute, 1).pipe(
      Effect.andThen(take("tokens", limits.tokensPerMinute, estimatedTokens(input))),
      Effect.andThen(self)
    )
    return slots === undefined ? paced : slots.withPermit(paced)
  }
  return { within } satisfies Limiter
})
