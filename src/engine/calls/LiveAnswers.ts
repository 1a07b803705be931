// LiveAnswers: answers on their way: journaled here, then given to whoever asked, the plan or one of its subflows.
// Nobody gets an answer that is not durable (`commit`).
import { Effect, Option, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, TokenUsage, type ModelError } from "../../domain/ModelError.ts"
import type { ModelRunFailure } from "../../domain/ModelRun.ts"
import type { RunEventBody } from "../../domain/run/RunEvent.ts"
import { isUnwritable } from "../../journal/JournalError.ts"
import type { Answer } from "../../plan/host/PlanProtocol.ts"
import { refusalIn, type RefusedBy } from "../budget/RefusedBy.ts"
import { requestIdOf, undispatched, type IssuedCall } from "./CallBook.ts"
import { lane, type Reply } from "./CallsInFlight.ts"
import { brokenSubflow, type BrokenSubflow } from "../subflows/subflowFailure.ts"
import { append, appendAnswer, type RunContext } from "../run/RunContext.ts"
import type { ClosedGate } from "../replay/RunHistory.ts"

/** An answer in the log's buffer. */
export interface Ready {
  readonly seq: number
  readonly call: IssuedCall
  readonly answer: Answer
}

/** What this process did, for the summary. */
export interface LiveCounts {
  live: number
  cached: number
  replayed: number
  inDoubt: number
  /** Calls that a budget refused, of the whole run, and what refused the first of them. */
  overBudget: number
  refusedBy: RefusedBy | undefined
  /** The first gate of the whole run that did not pass. */
  closedGate: ClosedGate | undefined
  /** Gates that have passed in missions since the run was last reopened. */
  readonly passedGates: Set<string>
  /** The first subflow of the whole run that did not do its work. */
  broken: BrokenSubflow | undefined
}

/** A failure of a call that was never dispatched. */
export const notDispatched = (
  call: IssuedCall,
  error: ModelError,
  status?: ModelRunFailure["status"]
): ModelRunFailure =>
  undispatched(
    error,
    { adapterId: lane(call), modelId: call.chain.at(-1)?.modelId ?? "", requestId: requestIdOf(call.ref) },
    status
  )

const decodeSpent = Schema.decodeUnknownOption(
  Schema.Struct({
    durationMs: Schema.Number,
    attempts: Schema.Int,
    usage: Schema.optionalKey(TokenUsage),
    costUsd: Schema.optionalKey(Schema.Number)
  })
)

/** The answer that stands for one that cannot be journaled: a failure, of a call that was made and cost what it cost. */
const unwritten = (call: IssuedCall, result: Json, problem: string): ModelRunFailure => ({
  ...notDispatched(call, makeError("invalid_response", `the answer cannot be journaled: ${problem}`)),
  ...Option.getOrElse(decodeSpent(result), () => ({}))
})

export const makeAnswers = (run: RunContext, counts: LiveCounts) => {
  let forPlan: Array<Ready> = []
  const forSubflows: Array<{ readonly call: IssuedCall; readonly reply: Reply; readonly result: Json }> = []
  const replies = new Map<number, Reply>()
  let uncommitted = false

  const write = (body: RunEventBody) => {
    uncommitted = true
    return append(run, body)
  }

  /** Everything written so far is durable. */
  const commit = Effect.suspend(() => {
    if (!uncommitted) return Effect.void
    uncommitted = false
    return run.journal.commit
  })

  /** Journals an answer. The asker gets the very text the journal holds, so that a resume cannot give another. */
  const complete = Effect.fnUntraced(function* (
    call: IssuedCall,
    result: Json,
    more: { readonly reused?: boolean } = {}
  ) {
    uncommitted = true
    const { event, text } = yield* Effect.catchIf(
      appendAnswer(run, { ...call.ref, result, ...more }),
      isUnwritable,
      ({ problem }) =>
        appendAnswer(run, { ...call.ref, result: { ...unwritten(call, result, problem) }, ...more })
    )
    const reply = replies.get(call.n)
    if (call.parent === undefined && call.verb !== "agent") counts.broken ??= brokenSubflow(result)
    if (reply === undefined) forPlan.push({ seq: event.seq, call, answer: { n: call.n, json: text } })
    else {
      replies.delete(call.n)
      forSubflows.push({ call, reply, result: JSON.parse(text) })
    }
  })

  const fail = Effect.fnUntraced(function* (call: IssuedCall, failure: ModelRunFailure) {
    const refused = refusalIn(failure)
    if (refused !== undefined) {
      counts.overBudget++
      counts.refusedBy ??= refused
    }
    yield* complete(call, { ...failure })
  })

  return {
    write,
    commit,
    complete,
    fail,
    /** The answer of this call goes to a subflow. */
    expect: (call: IssuedCall, reply: Reply) => void replies.set(call.n, reply),
    /** Nobody wants the answer any more. True if it was journaled already: then the call has ended. */
    forget: (call: IssuedCall): boolean => {
      const isIts = (one: { readonly call: IssuedCall }) => one.call.n === call.n
      const ended = forPlan.some(isIts) || forSubflows.some(isIts)
      replies.delete(call.n)
      if (ended) forPlan = forPlan.filter((one) => !isIts(one))
      return ended
    },
    size: () => forPlan.length + forSubflows.length,
    /** Takes answers for the plan, the first ones journaled first. Only after `commit`. */
    takeForPlan: (limit: number) => forPlan.splice(0, limit),
    putBack: (rest: ReadonlyArray<Ready>) => {
      forPlan = [...rest, ...forPlan]
    },
    takeForSubflows: () => forSubflows.splice(0)
  }
}
export type LiveAnswers = ReturnType<typeof makeAnswers>
