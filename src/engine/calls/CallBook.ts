// CallBook: every call the plan has issued and not yet been answered, known by content (cache key and occurrence).
// It turns what the author wrote into the call's identity; it dispatches nothing and writes nothing.
import { Effect, Result, Schema } from "effect"
import { AdapterRegistry, type Binding, type RegistryError } from "../../adapters/registry/AdapterRegistry.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Fork } from "../../domain/run/Fork.ts"
import {
  AgentOptions,
  callId,
  computeCacheKey,
  type CallIdentity,
  type CallRef,
  type Site
} from "../../domain/Call.ts"
import { exactGuardOf } from "../../domain/guardOf.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { ModelRunFailure } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { CallState, RunState } from "../../journal/state/RunState.ts"
import type { PlanCall, StepCall } from "../../plan/host/PlanProtocol.ts"
import type { Part } from "../budget/BudgetDesk.ts"
import type { GatesCall } from "../gates/gatedPlan.ts"
import { CallCounter } from "../replay/CallCounter.ts"

/** A call the plan waits for. */
export interface IssuedCall {
  readonly n: number
  readonly id: string
  readonly ref: CallRef
  readonly verb: PlanCall["verb"] | GatesCall["verb"] | StepCall["verb"]
  readonly identity: CallIdentity
  readonly options: AgentOptions | undefined
  readonly phase: string | undefined
  readonly site: Site | undefined
  /** The chain to dispatch it to. Empty for verbs that are not model calls. */
  readonly chain: ReadonlyArray<Binding>
  /** The answer of a call that cannot be dispatched at all. */
  readonly refusal: ModelRunFailure | undefined
  /** Of a step. */
  readonly toItsExit?: StepCall["toItsExit"]
  /** Number of the plan's call that a subflow makes this one for. */
  readonly parent?: number
  /** The part of the run with a budget of its own that it is made in. */
  readonly part?: Part
  /** What the journal knew of it when it was issued; undefined if nothing. */
  readonly earlier?: Earlier
}

/** Whether a subflow answers it: a verb that makes further calls. */
export const isOfSubflow = ({ verb }: Pick<IssuedCall, "verb">): boolean =>
  verb !== "agent" && verb !== "sleep" && verb !== "step"

/** A call as an earlier process of the run left it. */
export type Earlier = Pick<CallState, "status" | "rank" | "retry">

/** What the journal knows of a call now. To be asked before the call is scheduled in this process. */
export const earlierOf = (state: RunState, id: string): Pick<IssuedCall, "earlier"> => {
  const known = state.calls.get(id)
  return known === undefined
    ? {}
    : { earlier: { status: known.status, rank: known.rank, retry: known.retry } }
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
    ...defined({ retryAfterMs: error.retryAfterMs, detail: error.detail })
  }
})

/** Request ids follow from content, so that a call made again after a crash carries the same one. */
export const requestIdOf = (ref: CallRef): string => `req-${ref.key.slice(0, 16)}-${ref.occurrence}`

const decode = Schema.decodeUnknownResult(AgentOptions, { onExcessProperty: "error", errors: "all" })
const isDecoded = exactGuardOf(AgentOptions)
/** Decoding is for saying what is wrong: nearly all options are sound, and each call of a replay comes here. */
const decodeOptions = (given: Json) => (isDecoded(given) ? Result.succeed(given) : decode(given))

const keyOf = (identity: CallIdentity) => Result.getOrThrow(computeCacheKey(identity))

/** A model call as far as it can be known without dispatching it. */
interface Resolved {
  readonly identity: CallIdentity
  readonly options: AgentOptions | undefined
  readonly chain: ReadonlyArray<Binding>
  readonly error?: ModelError
}

const registryError = (error: RegistryError): ModelError =>
  makeError(
    error.code === "auth" || error.code === "missing_base_url" ? "auth" : "invalid_input",
    `${error.message} (${error.cure})`
  )

const refusalOf = (ref: CallRef, { error, identity }: Resolved): ModelRunFailure | undefined =>
  error === undefined
    ? undefined
    : undispatched(error, { adapterId: "none", modelId: identity.model ?? "", requestId: requestIdOf(ref) })

/** A council whose board is a name is a council on the board of that name: the board is what is asked. */
const withBoard = (spec: Json, boards: Readonly<Record<string, Json>>): Json => {
  if (typeof spec !== "object" || spec === null || !("board" in spec) || typeof spec.board !== "string")
    return spec
  const board = Object.hasOwn(boards, spec.board) ? boards[spec.board] : undefined
  return board === undefined ? spec : { ...spec, board }
}

/** The options of a forked call: what is set over what the plan gave. */
const withSet = (given: Json, { model, prompt }: Fork["set"]): Json =>
  typeof given === "object" && given !== null && !Array.isArray(given)
    ? { ...given, ...defined({ model, prompt }) }
    : given

export const makeCallBook = Effect.fnUntraced(function* (
  boards: Readonly<Record<string, Json>>,
  fork?: Fork
) {
  const registry = yield* AdapterRegistry
  const occurrences = new CallCounter()

  /** Which of the identical calls it is, in the order the plan issued them. */
  const nextRef = (identity: CallIdentity): CallRef => {
    const key = keyOf(identity)
    return { key, occurrence: occurrences.next(key) }
  }

  /** By reference: the same few are asked for all the time, and mean the same as long as the run is open. */
  const chains = new Map<string, ReadonlyArray<Binding>>()
  const bind = Effect.fnUntraced(function* (reference: string) {
    const known = chains.get(reference)
    if (known !== undefined) return known
    const chain = yield* registry.bind(reference)
    chains.set(reference, chain)
    return chain
  })

  const resolve = Effect.fnUntraced(function* (given: Json): Effect.fn.Return<Resolved> {
    const decoded = decodeOptions(given)
    if (Result.isFailure(decoded)) {
      const error = makeError("invalid_input", `h.agent: ${decoded.failure.message}`)
      return { identity: { verb: "agent", spec: given }, options: undefined, chain: [], error }
    }
    const options = decoded.success
    const identity = yield* Effect.result(registry.resolve(options))
    if (Result.isFailure(identity)) {
      const { prompt, model = "" } = options
      const error = registryError(identity.failure)
      return { identity: { verb: "agent", prompt, model, spec: given }, options, chain: [], error }
    }
    const chain = yield* Effect.result(bind(identity.success.model ?? ""))
    if (Result.isFailure(chain)) {
      return { identity: identity.success, options, chain: [], error: registryError(chain.failure) }
    }
    return { identity: identity.success, options, chain: chain.success }
  })

  /** Takes a call the plan has just issued. In issue order: occurrences count from it. */
  const take = Effect.fnUntraced(function* (call: PlanCall | GatesCall | StepCall) {
    const resolved: Resolved =
      call.verb === "agent"
        ? yield* resolve(call.options)
        : {
            identity: { verb: call.verb, spec: withBoard(call.options, boards) },
            options: undefined,
            chain: []
          }
    const ref = nextRef(resolved.identity)
    return fork !== undefined && isForked(fork, call, ref)
      ? issuedAs(call, yield* resolve(withSet(call.options, fork.set)))
      : issuedAs(call, resolved, ref)
  })

  /** Whether the call is the one that is asked otherwise. */
  const isForked = ({ at, set }: Fork, { verb }: PlanCall | GatesCall | StepCall, ref: CallRef): boolean =>
    verb === "agent" && callId(at) === callId(ref) && (set.model !== undefined || set.prompt !== undefined)

  const issuedAs = (
    call: PlanCall | GatesCall | StepCall,
    resolved: Resolved,
    ref: CallRef = nextRef(resolved.identity)
  ): IssuedCall => ({
    n: call.n,
    id: callId(ref),
    ref,
    verb: call.verb,
    identity: resolved.identity,
    options: resolved.options,
    phase: call.phase,
    site: call.site,
    chain: resolved.chain,
    refusal: refusalOf(ref, resolved),
    ...(call.verb === "step" ? { toItsExit: call.toItsExit } : {})
  })

  /**
   * A model call that a subflow makes for the plan's call `subflow`. Part of its identity is whose it is, so that it is
   * never taken for one of the plan's own. `refOf` tells identical ones apart.
   */
  const takeFor = Effect.fnUntraced(function* (
    options: AgentOptions,
    subflow: IssuedCall,
    refOf: (identity: CallIdentity) => CallRef
  ) {
    const resolved = yield* resolve({ ...options })
    const identity: CallIdentity = { ...resolved.identity, spec: { of: subflow.id } }
    const ref = refOf(identity)
    const { chain, options: read } = resolved
    const refusal = refusalOf(ref, resolved)
    return {
      ref,
      verb: "agent" as const,
      identity,
      options: read,
      phase: subflow.phase,
      site: subflow.site,
      chain,
      refusal
    }
  })

  /** Whether all that a reference may reach is free; the default model if none is named. */
  const isFree = (model: string | undefined) =>
    registry.resolve({ prompt: "?", ...defined({ model }) }).pipe(
      Effect.flatMap((identity) => registry.bind(identity.model ?? "")),
      Effect.map((chain) => chain.every(({ adapter }) => adapter.free)),
      Effect.orElseSucceed(() => false)
    )

  return { take, takeFor, isFree }
})
export type CallBook = Effect.Success<ReturnType<typeof makeCallBook>>
