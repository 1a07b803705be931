// The tier of a plan's own call: how much may happen without a person. A call that names none is T1. Who is asked and
// what was answered are events of their own, told apart from what the call itself may ask.
import { Effect, Result } from "effect"
import { callId, computeCacheKey, type CallIdentity } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunFailure } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import { admission, type CouncilWord } from "../../mission/tiers.ts"
import { nameOfCall } from "./approvalName.ts"
import type { IssuedCall } from "../calls/CallBook.ts"
import { isFree } from "../calls/dispatchCall.ts"
import { notDispatched } from "../calls/LiveAnswers.ts"
import type { PendingItems, Waiting } from "./pendingItems.ts"
import type { RunContext } from "../run/RunContext.ts"

export type TierDecision =
  | { readonly _tag: "run" }
  | { readonly _tag: "refused"; readonly failure: ModelRunFailure }
  | { readonly _tag: "wait"; readonly waiting: Waiting }

const run: TierDecision = { _tag: "run" }
const maxShown = 300

const member = (value: Json, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

/** What a council's answer says; only a conclusive one says anything. */
const wordOf = (verdict: Json): CouncilWord | undefined =>
  member(verdict, "conclusive") === true && member(verdict, "decision") === "GO" ? "GO" : undefined

/** The approval of a call, as a call of its own: its answer is none to the call. */
const approvalOf = (call: IssuedCall): IssuedCall => {
  const identity: CallIdentity = { verb: "approval", spec: { of: call.id } }
  const ref = { key: Result.getOrThrow(computeCacheKey(identity)), occurrence: 1 }
  return { ...call, ref, id: callId(ref), identity }
}

const shown = (text: string): string =>
  text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`

/**
 * 1. A tier that asks nobody is let through, and T3 by a council's GO: the contract's own, or one the plan has called.
 * 2. What a person has said stands before what a council says: what they refused is not made.
 *
 * `councils`: ids of the councils that the plan has called so far.
 */
export const makeTierGate = (
  context: RunContext,
  items: PendingItems,
  councils: () => ReadonlyArray<string>
) => {
  /** GO, if a council of this run has said so. */
  const said = Effect.fnUntraced(function* () {
    const { journal } = context
    const held = context.council()
    if (held?.conclusive === true && held.decision === "GO") return "GO" as const
    for (const id of councils()) {
      if (journal.state().calls.get(id)?.status !== "completed") continue
      if (wordOf(yield* journal.readResult(id)) === "GO") return "GO" as const
    }
    return undefined
  })

  return Effect.fnUntraced(function* (call: IssuedCall) {
    const tier = call.options?.tier ?? "T1"
    if (tier === "T0" && !isFree(call)) {
      const error = makeError(
        "budget_exceeded",
        "not dispatched: T0 is free, and the model may cost something"
      )
      return { _tag: "refused", failure: notDispatched(call, error, "skipped") } satisfies TierDecision
    }
    const { label, prompt = "" } = call.options ?? {}
    const admitted = admission(tier, tier === "T3" ? yield* said() : undefined, false)
    const asked = approvalOf(call)
    if (admitted._tag === "run" && (tier !== "T3" || (yield* items.waive(asked)))) return run
    const why = admitted._tag === "run" ? "T3 runs after a council said GO" : admitted.why
    const name = label === undefined ? undefined : nameOfCall(label)
    const decided = yield* items.approval(asked, {
      kind: "approval",
      text: `${name ?? "call"}: ${why}: ${shown(prompt)}`,
      ...defined({ name }),
      choices: ["approve", "refuse"],
      hash: call.ref.key
    })
    if (decided._tag === "answered" && decided.answer === "approve") return run
    if (decided._tag === "answered") {
      const error = makeError("cancelled", "a person refused it")
      return { _tag: "refused", failure: notDispatched(call, error, "skipped") } satisfies TierDecision
    }
    const { item } = decided
    return { _tag: "wait", waiting: { call, reason: "approval", item } } satisfies TierDecision
  })
}
