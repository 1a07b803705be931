// runDebate: a debate on its own, over a registry and the waist, for callers outside a run (`alembic council`, Effect
// apps). Binds members, reserves worst cases before a call is dispatched, and never throws in its safe form. Inside
// a run the engine gives the debate its own `ask` instead, and every turn is journaled.
import { Cause, Effect, Exit, Ref, Schema } from "effect"
import type { AdapterRegistry, Binding, RegistryError } from "../adapters/AdapterRegistry.ts"
import { Guards } from "../adapters/Guards.ts"
import { reserveUsd } from "../adapters/Pricing.ts"
import { runBound } from "../adapters/runBound.ts"
import type { AgentOptions } from "../domain/Call.ts"
import { makeError, type ErrorCode } from "../domain/ModelError.ts"
import { ModelRunInput, type ModelRunResult } from "../domain/ModelRun.ts"
import type { Board } from "./Board.ts"
import { decodeBoard } from "./loadBoard.ts"
import { debate, type Ask } from "./Debate.ts"
import { Pack } from "./Pack.ts"
import type { Verdict } from "./Verdict.ts"

/** A debate that cannot be held. */
export class CouncilError extends Schema.TaggedError<CouncilError>()("CouncilError", {
  code: Schema.Literals(["invalid_board", "invalid_pack", "unknown"]),
  message: Schema.String
}) {}

export interface DebateOptions {
  /** A loaded Board, or a value that decodes to one. */
  readonly board: unknown
  readonly pack: unknown
  readonly adapters: AdapterRegistry["Service"]
  /** Calls are `<requestId>/<label>`: the same debate sends the same idempotency keys. */
  readonly requestId: string
}

const failed = (requestId: string, code: ErrorCode, message: string): ModelRunResult => {
  const { message: bounded, retryable } = makeError(code, message)
  return {
    ok: false,
    status: "failed",
    adapterId: "",
    modelId: "",
    requestId,
    durationMs: 0,
    attempts: 0,
    costUsd: 0,
    error: { code, message: bounded, retryable }
  }
}

const inputOf = (
  { label: _label, profile: _profile, tier: _tier, cache: _cache, ...call }: AgentOptions,
  requestId: string
) => ({
  ...call,
  model: call.model ?? "",
  requestId,
  idempotencyKey: requestId
})

/** The most that is spent at once: what is settled, and what is reserved for calls in flight. US dollars. */
interface Purse {
  readonly settled: number
  readonly reserved: number
}

/**
 * An `ask` over a registry. Under a bound in dollars, the worst case of a call is reserved before it is dispatched;
 * one that does not fit, or has no known price, is answered `budget_exceeded` without being sent.
 */
export const askRegistry = Effect.fnUntraced(function* (
  adapters: AdapterRegistry["Service"],
  requestId: string,
  capUsd?: number
) {
  const guards = yield* Guards
  const purse = yield* Ref.make<Purse>({ settled: 0, reserved: 0 })

  const bounded = (chain: ReadonlyArray<Binding>, input: ModelRunInput, cap: number) =>
    Effect.gen(function* () {
      const worst = reserveUsd(chain, input, {
        maxAttempts: guards.policy.retry.maxAttempts,
        maxRepairs: guards.policy.maxRepairs
      })
      const id = input.requestId ?? requestId
      if (worst === undefined)
        return failed(id, "budget_exceeded", "a model without a known price under a bound")
      const fits = yield* Ref.modify(purse, (held): readonly [boolean, Purse] =>
        held.settled + held.reserved + worst <= cap
          ? [true, { ...held, reserved: held.reserved + worst }]
          : [false, held]
      )
      if (!fits)
        return failed(id, "budget_exceeded", `the call may cost ${worst} US dollars, more than is left`)
      const settle = (costUsd: number) =>
        Ref.update(purse, (held): Purse => ({
          settled: held.settled + costUsd,
          reserved: held.reserved - worst
        }))
      return yield* runBound(chain, input, { reservedUsd: worst }).pipe(
        Effect.onExit((exit) => settle(Exit.isSuccess(exit) ? (exit.value.costUsd ?? worst) : worst))
      )
    })

  const ask: Ask<Guards> = (call) => {
    const id = `${requestId}/${call.label ?? "call"}`
    return Effect.gen(function* () {
      const identity = yield* adapters.resolve(call)
      const chain = yield* adapters.bind(identity.model ?? call.model ?? "")
      const { verb: _verb, spec: _spec, ...resolved } = identity
      const input = { ...inputOf(call, id), ...resolved, model: resolved.model ?? "" }
      const read = Schema.is(ModelRunInput)(input)
      return capUsd === undefined || !read
        ? yield* runBound(chain, input)
        : yield* bounded(chain, input, capUsd)
    }).pipe(
      Effect.catch((error: RegistryError) =>
        Effect.succeed(failed(id, "not_available", `${error.message}: ${error.cure}`))
      )
    )
  }
  return ask
})

const decodePack = Schema.decodeUnknownEffect(Pack, { onExcessProperty: "error" })

/**
 * Holds a debate. Fails only where there is none to hold: a board or a pack that is not one. A member that cannot be
 * bound, fails, or answers unreadably is recorded in the verdict.
 */
export const runDebate = Effect.fn("Council.runDebate")(function* (options: DebateOptions) {
  const board: Board = yield* Effect.fromResult(decodeBoard(options.board)).pipe(
    Effect.mapError(({ message }) => new CouncilError({ code: "invalid_board", message }))
  )
  const pack = yield* decodePack(options.pack).pipe(
    Effect.mapError(({ message }) => new CouncilError({ code: "invalid_pack", message }))
  )
  const ask = yield* askRegistry(options.adapters, options.requestId, board.budget?.usd)
  return yield* debate(board, pack, { ask })
})

/** The answer of a debate that may have broken: a verdict, or why there is none. */
export type DebateAnswer =
  | Verdict
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

/** `runDebate` as a value: whatever is thrown at any depth becomes `ok: false`. Interruption stays interruption. */
export const runDebateSafe = (options: DebateOptions): Effect.Effect<DebateAnswer, never, Guards> =>
  Effect.suspend(() => runDebate(options)).pipe(
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const error = Cause.squash(cause)
      const known = error instanceof CouncilError
      return Effect.succeed<DebateAnswer>({
        ok: false,
        error: {
          code: known ? error.code : "unknown",
          message: known
            ? error.message
            : "the debate broke inside; this is a defect of Alembic or of a service it uses"
        }
      })
    }),
    Effect.satisfiesErrorType<never>()
  )
