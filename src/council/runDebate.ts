// runDebate: a debate on its own, over a registry and the waist, for callers outside a run (`alembic council`, Effect
// apps). Binds members, reserves worst cases before a call is dispatched, and never throws in its safe form. Inside
// a run the engine gives the debate its own `ask` instead, and every turn is journaled.
import { Cause, Effect, Schema } from "effect"
import type { AdapterRegistry, RegistryError } from "../adapters/registry/AdapterRegistry.ts"
import type { Guards } from "../adapters/guard/Guards.ts"
import { makeMemoryBudget } from "../adapters/guard/memoryBudget.ts"
import { runBound } from "../adapters/guard/runBound.ts"
import type { AgentOptions } from "../domain/Call.ts"
import { makeError, type ErrorCode } from "../domain/ModelError.ts"
import type { ModelRunFailure } from "../domain/ModelRun.ts"
import type { Board } from "./Board.ts"
import { decodeBoard } from "./loadBoard.ts"
import { debate, type DebatePorts } from "./Debate.ts"
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

/** The result of a call that was not sent. */
const notSent = (requestId: string, code: ErrorCode, message: string): ModelRunFailure => {
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

const inputOf = (
  { label: _label, profile: _profile, tier: _tier, cache: _cache, ...call }: AgentOptions,
  requestId: string
) => ({
  ...call,
  model: call.model ?? "",
  requestId,
  idempotencyKey: requestId
})

/** What a debate stands on outside a run: members bound by a registry, called through the waist. */
const registryPorts = (adapters: AdapterRegistry["Service"], requestId: string): DebatePorts<Guards> => {
  const idOf = (call: AgentOptions) => `${requestId}/${call.label ?? "call"}`
  const bind = Effect.fnUntraced(function* (call: AgentOptions) {
    const identity = yield* adapters.resolve(call)
    const chain = yield* adapters.bind(identity.model ?? call.model ?? "")
    const { verb: _verb, spec: _spec, ...resolved } = identity
    return { chain, input: { ...inputOf(call, idOf(call)), ...resolved, model: resolved.model ?? "" } }
  })
  let boardBudget: ReturnType<typeof makeMemoryBudget> | undefined
  return {
    ask: (call, budget) =>
      Effect.flatMap(bind(call), ({ chain, input }) => {
        if (budget?.usd === undefined) return runBound(chain, input)
        boardBudget ??= makeMemoryBudget("the board's budget", { usd: budget.usd })
        return boardBudget.within((port) => runBound(chain, input, { port, bounded: true }))
      }).pipe(
        Effect.catch((error: RegistryError) =>
          Effect.succeed(notSent(idOf(call), "not_available", `${error.message}: ${error.cure}`))
        )
      )
  }
}

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
  return yield* debate(board, pack, registryPorts(options.adapters, options.requestId))
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
