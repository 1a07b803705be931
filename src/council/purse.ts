// The purse of one debate: what its board allows it to spend, in US dollars. The worst case of a call is reserved
// before it is dispatched and settled after, so that no timing spends more. What nobody can put a price on is not
// asked.
import { Effect, Exit, Ref } from "effect"
import type { AgentOptions } from "../domain/Call.ts"
import { makeError, type ErrorCode } from "../domain/ModelError.ts"
import type { ModelRunFailure, ModelRunResult } from "../domain/ModelRun.ts"

/** One guarded call. It never fails. `reservedUsd`: what was reserved for it, where the debate has a bound. */
export type Ask<R = never> = (
  call: AgentOptions,
  reservedUsd?: number
) => Effect.Effect<ModelRunResult, never, R>

/** The most a call can cost, or undefined where that is not known. */
export type WorstUsd<R = never> = (call: AgentOptions) => Effect.Effect<number | undefined, never, R>

interface Held {
  readonly settled: number
  readonly reserved: number
}

/** The result of a call that was not sent. */
export const notSent = (requestId: string, code: ErrorCode, message: string): ModelRunFailure => {
  const error = makeError(code, message)
  return {
    ok: false,
    status: "failed",
    adapterId: "",
    modelId: "",
    requestId,
    durationMs: 0,
    attempts: 0,
    costUsd: 0,
    error: { code, message: error.message, retryable: error.retryable }
  }
}

/**
 * `ask` within a bound. 1. Settled and reserved together never pass `capUsd`. 2. A call that does not fit, or whose
 * worst case is not known, is answered `budget_exceeded` without being sent. 3. A call whose cost stays unknown is
 * settled at its reserve.
 */
export const withPurse = Effect.fnUntraced(function* <R>(
  ask: Ask<R>,
  worstUsd: WorstUsd<R> | undefined,
  capUsd: number
) {
  const purse = yield* Ref.make<Held>({ settled: 0, reserved: 0 })
  const bounded: Ask<R> = (call) =>
    Effect.gen(function* () {
      const refuse = (message: string) => notSent(call.label ?? "", "budget_exceeded", message)
      const worst = worstUsd === undefined ? undefined : yield* worstUsd(call)
      if (worst === undefined)
        return refuse("nobody can say what the call may cost, and the debate has a bound")
      const fits = yield* Ref.modify(purse, (held): readonly [boolean, Held] =>
        held.settled + held.reserved + worst <= Math.max(0, capUsd)
          ? [true, { ...held, reserved: held.reserved + worst }]
          : [false, held]
      )
      if (!fits) return refuse(`the call may cost ${worst} US dollars, more than the debate has left`)
      const settle = (costUsd: number) =>
        Ref.update(purse, (held): Held => ({
          settled: held.settled + costUsd,
          reserved: held.reserved - worst
        }))
      return yield* ask(call, worst).pipe(
        Effect.onExit((exit) => settle(Exit.isSuccess(exit) ? (exit.value.costUsd ?? worst) : worst))
      )
    })
  return bounded
})
