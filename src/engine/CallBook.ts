// CallBook: every call the plan has issued and not yet been answered, known by content (cache key and occurrence).
// It turns what the author wrote into the call's identity; it dispatches nothing and writes nothing.
import { Effect, Result, Schema } from "effect"
import { AdapterRegistry, type Binding } from "../adapters/AdapterRegistry.ts"
import {
  AgentOptions,
  callId,
  computeCacheKey,
  type CallIdentity,
  type CallRef,
  type Site
} from "../domain/Call.ts"
import { makeError, type ModelError } from "../domain/ModelError.ts"
import type { ModelRunFailure } from "../domain/ModelRun.ts"
import type { PlanCall } from "../plan/PlanProtocol.ts"

/** A call the plan waits for. */
export interface IssuedCall {
  readonly n: number
  readonly id: string
  readonly ref: CallRef
  readonly verb: PlanCall["verb"]
  readonly identity: CallIdentity
  readonly options: AgentOptions | undefined
  readonly phase: string | undefined
  readonly site: Site | undefined
  /** The chain to dispatch it to. Empty for verbs that are not model calls. */
  readonly chain: ReadonlyArray<Binding>
  /** The answer of a call that cannot be dispatched at all. */
  readonly refusal: ModelRunFailure | undefined
}

/** A failure that no adapter gave: the call was never dispatched. */
export const undispatched = (
  error: ModelError,
  of: { readonly adapterId: string; readonly modelId: string; readonly requestId: string },
  status: ModelRunFailure["status"] = "failed"
): ModelRunFailure => ({
  ok: false,
  status,
  adapterId: of.adapterId,
  modelId: of.modelId,
  requestId: of.requestId,
  durationMs: 0,
  attempts: 0,
  error: {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(error.detail === undefined ? {} : { detail: error.detail })
  }
})

/** Request ids follow from content, so that a call made again after a crash carries the same one. */
export const requestIdOf = (ref: CallRef): string => `req-${ref.key.slice(0, 16)}-${ref.occurrence}`

const decodeOptions = Schema.decodeUnknownResult(AgentOptions, { onExcessProperty: "error", errors: "all" })

const keyOf = (identity: CallIdentity) => Result.getOrThrow(computeCacheKey(identity))

export const makeCallBook = Effect.gen(function* () {
  const registry = yield* AdapterRegistry
  const occurrences = new Map<string, number>()

  const nextRef = (key: string): CallRef => {
    const occurrence = (occurrences.get(key) ?? 0) + 1
    occurrences.set(key, occurrence)
    return { key, occurrence }
  }

  const issue = (
    call: PlanCall,
    rest: Pick<IssuedCall, "identity" | "options" | "chain"> & { error?: ModelError }
  ) => {
    const ref = nextRef(keyOf(rest.identity))
    const issued: IssuedCall = {
      n: call.n,
      id: callId(ref),
      ref,
      verb: call.verb,
      identity: rest.identity,
      options: rest.options,
      phase: call.phase,
      site: call.site,
      chain: rest.chain,
      refusal:
        rest.error === undefined
          ? undefined
          : undispatched(
              rest.error,
              { adapterId: "none", modelId: rest.identity.model ?? "", requestId: requestIdOf(ref) },
              rest.error.code === "not_available" ? "skipped" : "failed"
            )
    }
    return issued
  }

  const agent = Effect.fnUntraced(function* (call: PlanCall) {
    const decoded = decodeOptions(call.options)
    if (Result.isFailure(decoded)) {
      const error = makeError("invalid_input", `h.agent: ${decoded.failure.message}`)
      return issue(call, {
        identity: { verb: "agent", spec: call.options },
        options: undefined,
        chain: [],
        error
      })
    }
    const options = decoded.success
    const identity = yield* Effect.result(registry.resolve(options))
    if (Result.isFailure(identity)) {
      const { prompt, model = "" } = options
      const error = makeError(
        identity.failure.code === "auth" ? "auth" : "invalid_input",
        `${identity.failure.message} (${identity.failure.cure})`
      )
      return issue(call, {
        identity: { verb: "agent", prompt, model, spec: call.options },
        options,
        chain: [],
        error
      })
    }
    const chain = yield* Effect.result(registry.bind(identity.success.model ?? ""))
    if (Result.isFailure(chain)) {
      const error = makeError(
        chain.failure.code === "unknown_model" || chain.failure.code === "unknown_profile"
          ? "invalid_input"
          : "auth",
        `${chain.failure.message} (${chain.failure.cure})`
      )
      return issue(call, { identity: identity.success, options, chain: [], error })
    }
    return issue(call, { identity: identity.success, options, chain: chain.success })
  })

  /** Takes a call the plan has just issued. In issue order: occurrences count from it. */
  const take = (call: PlanCall): Effect.Effect<IssuedCall> => {
    if (call.verb === "agent") return agent(call)
    const identity: CallIdentity = { verb: call.verb, spec: call.options }
    if (call.verb === "sleep") return Effect.succeed(issue(call, { identity, options: undefined, chain: [] }))
    const error = makeError("not_available", `h.${call.verb} is not available in this version of alembic`)
    return Effect.succeed(issue(call, { identity, options: undefined, chain: [], error }))
  }

  return { take }
})
export type CallBook = Effect.Success<typeof makeCallBook>
