// Pending items: what a run waits for that is not a model: a person's answer, an approval, an adapter that is down,
// a call in doubt. Each is an event, survives a restart, and is answered from outside (`alembic answer`, `approve`).
import { Effect } from "effect"
import type { CallRef } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelErrorInfo } from "../../domain/ModelError.ts"
import type { ModelRunFailure } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEventOf, SuspendReason } from "../../domain/run/RunEvent.ts"
import { nameGiven } from "./approvalName.ts"
import { takeInbox } from "./answerItem.ts"
import type { Brake } from "../calls/brake.ts"
import { closedLane } from "../calls/brake.ts"
import { requestIdOf, undispatched, type IssuedCall } from "../calls/CallBook.ts"
import { lane } from "../calls/CallsInFlight.ts"
import type { LentDoubt } from "../reuse/lentCopy.ts"
import { append, type RunContext } from "../run/RunContext.ts"
import { isAboutDoubt, isRetry } from "../doubt/Doubts.ts"
import type { RunHistory } from "../replay/RunHistory.ts"
import { answered } from "./Witness.ts"

/** A call that waits for something outside the run. */
export interface Waiting {
  readonly call: IssuedCall
  readonly reason: SuspendReason
  readonly item: string
}

type Ask = Pick<
  RunEventOf<"QuestionAsked">,
  "kind" | "text" | "choices" | "schema" | "hash" | "name" | "before"
>

/** What the links before the person did, which the log tells of nowhere else as one. */
const beforePerson = ({ attempts, fellBackFrom, repairs, usage }: ModelRunFailure): Pick<Ask, "before"> =>
  fellBackFrom === undefined
    ? {}
    : {
        before: {
          // The last of them is the look for the person's answer.
          attempts: attempts - 1,
          ...defined({ repairs, usage }),
          fellBackFrom
        }
      }

/** What a person, or `--approve`, said to an approval; or that they have to be asked. */
export type ApprovalGiven =
  | { readonly _tag: "answered"; readonly answer: Json }
  | { readonly _tag: "asked"; readonly item: string }

export interface Suspension {
  readonly _tag: "suspended"
  readonly reason: SuspendReason
  readonly until?: number
  readonly items: ReadonlyArray<string>
  readonly error?: ModelErrorInfo
}

/** The name of a call that waits: its number, or its place among those of the call it is made for. */
export const itemOf = ({ n, parent }: IssuedCall): string =>
  parent === undefined ? `call-${n}` : `call-${parent}.${Math.abs(n)}`

/** What has no room left for an answer. */
export type Full = "disk" | "journal_full"

/** Of several reasons, the one a person can act on comes first. */
const urgency: ReadonlyArray<SuspendReason> = [
  "question",
  "approval",
  "parked",
  "in_doubt",
  "quota",
  "outage",
  "disk",
  "journal_full"
]

/**
 * Why the run stops here, and for what. `blocked`: calls that were never dispatched, since their adapter's brake is
 * closed, or since there is no room for what they would bring (`full`): on the disk, or in what the journal may come to.
 */
export const suspension = (
  waiting: ReadonlyArray<Waiting>,
  blocked: ReadonlyArray<IssuedCall>,
  brake: Brake,
  full?: Full
): Suspension => {
  const reasons = new Set(waiting.map(({ reason }) => reason))
  const closed = [...new Set([...blocked, ...waiting.map(({ call }) => call)].map(lane))].flatMap((id) => {
    const lane = closedLane(brake, id)
    return lane === undefined ? [] : [lane]
  })
  for (const { reason } of closed) reasons.add(reason)
  if (full !== undefined) reasons.add(full)
  const until = closed.flatMap((lane) => (lane.until === undefined ? [] : [lane.until]))
  const error = closed[0]?.error
  return {
    _tag: "suspended",
    reason: urgency.find((reason) => reasons.has(reason)) ?? "parked",
    items: [...waiting.map(({ item }) => item), ...blocked.map(itemOf)],
    ...(until.length === 0 ? {} : { until: Math.max(...until) }),
    ...defined({ error })
  }
}

/** Whether making the call a second time may act on the world a second time, and nobody has said that it may. */
export const mayActAgain = ({ chain }: IssuedCall): boolean =>
  chain.some(({ adapter, retryInDoubt }) => adapter.hasSideEffects && retryInDoubt !== true)

export const makePendingItems = (run: RunContext, history: RunHistory) => {
  /** What was asked for the call itself, and not about a dispatch of it that is in doubt. */
  const questionAbout = ({ key, occurrence }: CallRef): RunEventOf<"QuestionAsked"> | undefined =>
    [...history.questions.values()].find(
      (event) => event.key === key && event.occurrence === occurrence && !isAboutDoubt(event)
    )
  const questionOf = ({ ref }: IssuedCall) => questionAbout(ref)

  /** What a person answered to the call, if one did. What they said of a dispatch in doubt is no answer to it. */
  const replyTo = (ref: CallRef): Json | undefined => {
    const asked = questionAbout(ref)
    return asked === undefined ? undefined : history.replies.get(asked.item)
  }
  const reply = ({ ref }: IssuedCall) => replyTo(ref)

  /** What was tried before the person was asked. */
  const triedBefore = (call: IssuedCall) => questionOf(call)?.before

  /**
   * A person has the question already: the links of its chain before the person have ended, and are not asked again.
   * Who gave an answer that the call could not use is asked anew. Undefined where nobody was asked, or where the answer
   * is there.
   */
  const unanswered = Effect.fnUntraced(function* (call: IssuedCall) {
    if (history.unusable.isAskedAnew(call.id)) return yield* ask(call)
    const asked = questionOf(call)
    if (asked?.kind !== "question" || history.replies.has(asked.item)) return undefined
    const waiting: Waiting = { call, reason: "question", item: asked.item }
    return waiting
  })

  /**
   * Scheduled by an earlier process that never said what became of it, or skipped for that reason before the run was
   * reopened. Where a person was asked, the links before the person have ended and the person does not act.
   */
  const isInDoubt = (call: IssuedCall): boolean =>
    (call.earlier?.status === "scheduled" ||
      (call.earlier?.status === "parked" && history.doubts.isOpen(call.id))) &&
    questionOf(call)?.kind !== "question"

  /** How often the call was dispatched before, where that is in doubt. */
  const retryOf = (call: IssuedCall): number | undefined => {
    return isInDoubt(call) ? (call.earlier?.retry ?? 0) + 1 : undefined
  }

  const write = Effect.fnUntraced(function* (call: IssuedCall, ask: Ask) {
    const item = `${ask.kind === "approval" ? "approve" : "q"}-${history.itemsAsked + 1}`
    const event = yield* append(run, { type: "QuestionAsked", item, ...call.ref, ...ask })
    history.add(event)
    // Others read it out of the log: it is there before anybody waits for an answer.
    yield* run.journal.commit
    return item
  })

  /** Asks, durably, unless it was asked before; the item's id. */
  const record = (call: IssuedCall, ask: Ask) => {
    const known = questionOf(call)
    return known === undefined ? write(call, ask) : Effect.succeed(known.item)
  }

  /**
   * Uses an approval that was given beforehand, by the name or by the item of what was asked, if one is left: each is for
   * one decision.
   */
  const useBeforehand = Effect.fnUntraced(function* (call: IssuedCall, ask: Ask) {
    if (run.approve === "all") return false
    const given = run.approve.map(nameGiven)
    const beforehand = [ask.name, questionOf(call)?.item].find(
      (name) =>
        name !== undefined &&
        given.filter((approved) => approved === name).length > (history.usedApprovals.get(name) ?? 0)
    )
    if (beforehand === undefined) return false
    const item = yield* record(call, ask)
    const said = { item, answer: "approve", beforehand }
    history.add(yield* append(run, yield* answered(run.journal.runId, history.questions.get(item), said)))
    return true
  })

  /**
   * 1. An approval, and a refusal, is for the call that stands for what was seen: other content is another call.
   * 2. What was approved stays so; what was refused is approved after all only by an approval given since.
   * 3. An approval given beforehand is for the first decision of its name that needs one; that it was used is journaled.
   */
  const approval = Effect.fnUntraced(function* (call: IssuedCall, ask: Ask) {
    const said = run.approve === "all" ? "approve" : reply(call)
    const given = said !== "approve" && (yield* useBeforehand(call, ask)) ? "approve" : said
    const decided: ApprovalGiven =
      given === undefined
        ? { _tag: "asked", item: yield* record(call, ask) }
        : { _tag: "answered", answer: given }
    return decided
  })

  /** What was answered since whoever waits for it last looked. */
  let news = new Set<string>()

  /** Journals what people have left for the run meanwhile. */
  const takeIn = Effect.gen(function* () {
    for (const event of yield* takeInbox(run.journal, (body) => append(run, body))) {
      history.add(event)
      if (event.type === "QuestionAnswered") news.add(event.item)
    }
  })

  /**
   * A council lets through what the approval `call` stands for. False: a person has refused it, and their word stands
   * before a council's. A question that nobody has answered is closed, so that no later answer seems to decide.
   */
  const waive = Effect.fnUntraced(function* (call: Pick<IssuedCall, "ref">) {
    const asked = questionAbout(call.ref)
    if (asked === undefined) return true
    const { item } = asked
    if (!history.replies.has(item)) yield* takeIn
    if (!history.replies.has(item))
      history.add(
        yield* append(
          run,
          yield* answered(run.journal.runId, asked, { item, answer: "approve", by: "council" })
        )
      )
    return history.replies.get(item) === "approve"
  })

  /** The durable question behind a call that only a person can answer. */
  const ask = Effect.fnUntraced(function* (call: IssuedCall, tried?: ModelRunFailure) {
    const { prompt = "", schema } = call.identity
    const item = yield* record(call, {
      kind: "question",
      text: prompt,
      ...defined({ schema }),
      ...(tried === undefined ? {} : beforePerson(tried))
    })
    const waiting: Waiting = { call, reason: "question", item }
    return waiting
  })

  /**
   * A call in doubt that acts on the world is not made again unasked: a person says `retry` or `skip`, unless the
   * configuration already said `retryInDoubt`. The answer is for that one dispatch: if the next one is in doubt too,
   * they are asked again. So are they when a reopening drops the failure of a call that they had skipped. Undefined:
   * the call may be dispatched.
   */
  const doubt = Effect.fnUntraced(function* (call: IssuedCall) {
    if (!isInDoubt(call)) return undefined
    if (!mayActAgain(call)) return undefined
    const asked = history.doubts.itemOf(call.id)
    const answer = asked === undefined ? undefined : history.replies.get(asked)
    if (isRetry(answer)) return undefined
    if (answer !== undefined) {
      const failure = undispatched(
        makeError("cancelled", "in doubt after a crash, and not made again: so answered"),
        {
          adapterId: lane(call),
          modelId: call.chain.at(-1)?.modelId ?? "",
          requestId: requestIdOf(call.ref)
        },
        "skipped"
      )
      return { _tag: "skip" as const, failure }
    }
    const times = retryOf(call) ?? 1
    const item =
      asked ??
      (yield* write(call, {
        kind: "approval",
        text: `The call was running when the run stopped${times > 1 ? ` (${times} times so far)` : ""}, and may have acted already${call.earlier?.status === "parked" ? "; so far it was skipped" : ""}. Make it again? ${call.identity.prompt ?? ""}`,
        choices: ["retry", "skip"]
      }))
    const waiting: Waiting = { call, reason: "in_doubt", item }
    return { _tag: "wait" as const, waiting }
  })

  /**
   * A call that another run lent in doubt is in doubt here as well: its intent has been journaled. Where a person said
   * there that it is skipped, that is said here too. The call as one that an earlier process has left.
   */
  const takeOver = Effect.fnUntraced(function* (call: IssuedCall, { retry, skipped }: LentDoubt) {
    const taken: IssuedCall = { ...call, earlier: { status: "scheduled", rank: -1, retry } }
    if (!skipped) return taken
    const item = yield* write(call, {
      kind: "approval",
      text: `The call may have acted in the run whose answers are taken, and was skipped there. ${call.identity.prompt ?? ""}`,
      choices: ["retry", "skip"]
    })
    const said = { item, answer: "skip" }
    history.add(yield* append(run, yield* answered(run.journal.runId, history.questions.get(item), said)))
    return taken
  })

  return {
    approval,
    ask,
    doubt,
    isInDoubt,
    record,
    reply,
    replyTo,
    retryOf,
    takeIn,
    takeOver,
    triedBefore,
    unanswered,
    waive,
    hasNews: () => news.size > 0,
    /** The items that were answered since this was last asked. */
    takeNews: (): ReadonlySet<string> => {
      const taken = news
      news = new Set()
      return taken
    }
  }
}
export type PendingItems = ReturnType<typeof makePendingItems>
