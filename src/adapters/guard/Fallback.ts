// Fallback: when the next link of a chain is tried. Pure; runBound walks the chain.
import type { ErrorCode, ModelErrorInfo } from "../../domain/ModelError.ts"
import type { Adapter } from "../Adapter.ts"

/** Kinds of failure that are the caller's own, or nobody's: another provider would not help. */
const final: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_input",
  "cancelled",
  "budget_exceeded",
  "awaiting_answer"
])

/** Kinds after which an attempt may have run to its end unseen. */
const mayHaveActed: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "timeout",
  "network",
  "server_error",
  "invalid_response",
  "unknown"
])

/**
 * Whether another provider might do better: outages, limits, quota, keys, a model that is not there, a context that
 * is too small, a filter, an answer that does not fit. Never after an adapter that acts on the world may have acted.
 */
export const mayFallBack = (adapter: Adapter, error: ModelErrorInfo): boolean =>
  !final.has(error.code) && !(adapter.hasSideEffects && mayHaveActed.has(error.code))
