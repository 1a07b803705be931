// The subflows of a live run: a verb whose answer is made of further calls. Each runs in a fiber, and what it asks of
// the run is handled here: from the journal if it is known, through the dispatcher if not. So a debate or mission
// that is killed goes on where it was, and nothing in it is paid twice.
import { Deferred, Effect, Option, Result, Schema } from "effect"
import { callId, computeCacheKey, type CallIdentity, type CallRef } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import { makeError } from "../../domain/ModelError.ts"
import { ModelRunResult, type ModelRunFailure } from "../../domain/ModelRun.ts"
import { earlierOf, type IssuedCall } from "../calls/CallBook.ts"
import type { Dispatcher } from "../calls/Dispatcher.ts"
import type { CallsInFlight, Outcome, SubflowRequest } from "../calls/CallsInFlight.ts"
import { notDispatched, type LiveAnswers, type LiveCounts } from "../calls/LiveAnswers.ts"
import type { PendingItems } from "../people/pendingItems.ts"
import type { SubflowContext } from "./Subflow.ts"
import type { RunContext } from "../run/RunContext.ts"
import { Evidence } from "../../verifier/Evidence.ts"
import { proofRecord } from "../gates/proofRecords.ts"
import type { TakeLentDoubt } from "../doubt/lentDoubt.ts"
import { keyAlike } from "../reuse/lentCopy.ts"
import type { RunHistory } from "../replay/RunHistory.ts"

interface LiveSubflowsParts {
  readonly run: RunContext
  readonly history: RunHistory
  readonly inFlight: CallsInFlight
  readonly answers: LiveAnswers
  readonly items: PendingItems
  readonly dispatcher: Dispatcher
  readonly counts: LiveCounts
  readonly lentDoubt: TakeLentDoubt
  readonly wanted: (call: IssuedCall) => boolean
}

const decodeGate = Schema.decodeUnknownOption(
  Schema.Struct({ gate: Schema.String, pass: Schema.Boolean, detail: Schema.optionalKey(Schema.Json) })
)
const encodeEvidence = Schema.encodeSync(Schema.toCodecJson(Evidence))
const decodeEvidence = Schema.decodeUnknownEffect(Evidence)
const decodeResult = Schema.decodeUnknownEffect(ModelRunResult)

const keyOf = (identity: CallIdentity) => Result.getOrThrow(computeCacheKey(identity))

export const makeLiveSubflows = (parts: LiveSubflowsParts) => {
  const { answers, counts, dispatcher, inFlight, history, items, lentDoubt, run, wanted } = parts
  /** Calls of subflows that have no answer yet, by their own number; numbers are negative, the plan's are positive. */
  const asked = new Map<number, IssuedCall>()
  const occurrences = new Map<string, number>()
  const asks = new Map<string, number>()
  const records = new Map<string, number>()
  /** Whom a person's answer goes to, by the number of the call that stands for the question. */
  const toPerson = new Map<number, Deferred.Deferred<Json>>()
  const busy = new Map<number, number>()
  let lastNumber = 0
  const process = history.processes

  /** Identical calls of one subflow are told apart in the order they are asked for. */
  const refOf = (identity: CallIdentity): CallRef => {
    const key = keyOf(identity)
    const occurrence = (occurrences.get(key) ?? 0) + 1
    occurrences.set(key, occurrence)
    return { key, occurrence }
  }

  const numbered = (call: Omit<IssuedCall, "n" | "id" | "parent">, subflow: IssuedCall): IssuedCall => {
    const id = callId(call.ref)
    const parent = subflow.parent ?? subflow.n
    const issued: IssuedCall = { ...call, n: --lastNumber, id, parent, ...earlierOf(run.journal.state(), id) }
    asked.set(issued.n, issued)
    return issued
  }

  /** A call of a subflow that no model answers. */
  const bare = (identity: CallIdentity, subflow: IssuedCall): IssuedCall => {
    const { phase, site, verb } = subflow
    const plain = { identity, verb, phase, site, options: undefined, chain: [], refusal: undefined }
    return numbered({ ...plain, ref: refOf(identity) }, subflow)
  }

  /** The journal's answer, if it has one. */
  const known = Effect.fnUntraced(function* (call: IssuedCall) {
    if (call.earlier?.status !== "completed") return undefined
    return yield* run.journal.readResult(call.id)
  })

  /** Which of the calls alike it is that subflows of that verb have asked for, whichever subflow it was. */
  const alikeOf = ({ identity }: IssuedCall, subflow: IssuedCall) => {
    const key = keyAlike(identity)
    const occurrence = (asks.get(`${subflow.verb} ${key}`) ?? 0) + 1
    asks.set(`${subflow.verb} ${key}`, occurrence)
    return { room: subflow.verb, key, occurrence }
  }

  const handleAsk = Effect.fnUntraced(function* (request: Extract<SubflowRequest, { _tag: "ask" }>) {
    const { options, part, reply, subflow } = request
    const taken = yield* run.book.takeFor(options, subflow, refOf)
    const call = numbered(part === undefined ? taken : { ...taken, part }, subflow)
    const alike = alikeOf(call, subflow)
    const answer = yield* known(call)
    if (answer !== undefined) {
      asked.delete(call.n)
      yield* Deferred.succeed(reply, answer)
      return
    }
    answers.expect(call, reply)
    // What a reopening dropped is asked again, and not taken from where it came.
    const anew = options.cache === false || call.earlier?.status === "parked"
    const reused = anew ? Option.none<Json>() : yield* run.reuse.answer(call.id, alike)
    if (Option.isSome(reused)) {
      counts.cached++
      yield* dispatcher.schedule(call)
      return yield* answers.complete(call, reused.value, { reused: true })
    }
    if (call.refusal === undefined) {
      const taken = yield* lentDoubt(call, alike)
      if (taken !== call) asked.set(call.n, taken)
      dispatcher.enqueue(taken)
      return
    }
    yield* dispatcher.schedule(call)
    yield* answers.fail(call, call.refusal)
  })

  const handleStep = Effect.fnUntraced(function* (request: Extract<SubflowRequest, { _tag: "step" }>) {
    const { kind, reply, subflow, spec } = request
    const identity: CallIdentity = { verb: `${subflow.verb}.${kind}`, spec: { of: subflow.id, step: spec } }
    const call = bare(identity, subflow)
    const answer = yield* known(call)
    if (answer !== undefined) {
      asked.delete(call.n)
      yield* Deferred.succeed(reply, answer)
      return
    }
    answers.expect(call, reply)
    yield* dispatcher.schedule(call)
    yield* answers.commit
    yield* inFlight.launch(
      call,
      Effect.map(request.run, (result): Outcome => ({ call, result, model: undefined }))
    )
  })

  const handleQuestion = Effect.fnUntraced(function* (
    request: Extract<SubflowRequest, { _tag: "question" }>
  ) {
    const { ask, reply, subflow } = request
    const identity: CallIdentity = {
      verb: `${subflow.verb}.question`,
      spec: { of: subflow.id, ask: { ...ask } }
    }
    const call = bare(identity, subflow)
    const answer = items.reply(call)
    if (answer !== undefined) {
      asked.delete(call.n)
      yield* Deferred.succeed(reply, answer)
      return
    }
    const item = yield* items.record(call, ask)
    toPerson.set(call.n, reply)
    dispatcher.wait({ call, reason: ask.kind === "approval" ? "approval" : "question", item })
  })

  /** An approval that was asked for before approvals had a hash: it holds where its text alone said what it was for. */
  const askedBefore = (subflow: IssuedCall, name: string, text: string | undefined): Json | undefined => {
    if (text === undefined) return undefined
    const ask: Json = { kind: "approval", text: `${name}: ${text}`, choices: ["approve", "refuse"] }
    const ref = {
      key: keyOf({ verb: `${subflow.verb}.question`, spec: { of: subflow.id, ask } }),
      occurrence: 1
    }
    return items.replyTo(ref)
  }

  const handleApproval = Effect.fnUntraced(function* (
    request: Extract<SubflowRequest, { _tag: "approval" }>
  ) {
    const { reply, subflow, wanted } = request
    const { before, content, name, text } = wanted
    const ask = {
      kind: "approval" as const,
      text: `${name}: ${text}`,
      choices: ["approve", "refuse"],
      hash: Result.getOrThrow(fingerprint(content)),
      name
    }
    const earlier = askedBefore(subflow, name, before)
    // A run has one set of gates, however often it is reopened: what a person said of the same content stands.
    const of = subflow.verb === "gates" ? subflow.verb : subflow.id
    const call = bare({ verb: `${subflow.verb}.question`, spec: { of, name, hash: ask.hash } }, subflow)
    const decided =
      earlier === "approve"
        ? { _tag: "answered" as const, answer: earlier }
        : yield* items.approval(call, ask)
    if (decided._tag === "asked") toPerson.set(call.n, reply)
    if (decided._tag === "asked") return dispatcher.wait({ call, reason: "approval", item: decided.item })
    asked.delete(call.n)
    yield* Deferred.succeed(reply, decided.answer)
  })

  const handleWaiver = Effect.fnUntraced(function* ({
    reply,
    subflow,
    wanted
  }: Extract<SubflowRequest, { _tag: "waiver" }>) {
    const hash = Result.getOrThrow(fingerprint(wanted.content))
    const key = keyOf({ verb: `${subflow.verb}.question`, spec: { of: subflow.id, name: wanted.name, hash } })
    yield* Deferred.succeed(reply, yield* items.waive({ ref: { key, occurrence: 1 } }))
  })

  /** A person has answered a subflow's question. False: the call is none of those. */
  const answered = Effect.fnUntraced(function* (call: IssuedCall) {
    const reply = toPerson.get(call.n)
    const answer = items.reply(call)
    if (reply === undefined || answer === undefined) return false
    toPerson.delete(call.n)
    asked.delete(call.n)
    yield* Deferred.succeed(reply, answer)
    return true
  })

  /** Whether the gate was decided before the plan began, so that a mission only says again what was decided. */
  const isDecided = (gate: string): boolean =>
    run.council() !== undefined && (gate === "scope" || gate === "council")

  /** Does what a subflow asked for. */
  const handle = Effect.fnUntraced(function* (request: SubflowRequest) {
    if (!wanted(request.subflow)) return
    switch (request._tag) {
      case "ask":
        return yield* handleAsk(request)
      case "step":
        return yield* handleStep(request)
      case "approval":
        return yield* handleApproval(request)
      case "waiver":
        return yield* handleWaiver(request)
      case "question":
        return yield* handleQuestion(request)
      case "record": {
        // What an earlier process of the run wrote down is not written again.
        const written = (records.get(request.subflow.id) ?? 0) + 1
        records.set(request.subflow.id, written)
        if (written <= (history.records.get(request.subflow.id) ?? 0)) return
        const gate = request.kind === "gate" ? Option.getOrUndefined(decodeGate(request.data)) : undefined
        if (gate !== undefined && !isDecided(gate.gate))
          yield* answers.write({ type: "GateDecided", ...gate })
        if (gate?.pass === false) counts.closedGate ??= gate
        if (gate?.pass === true && request.subflow.verb === "mission") counts.passedGates.add(gate.gate)
        return void (yield* answers.write({
          type: "RoomRecorded",
          ...request.subflow.ref,
          room: request.subflow.verb,
          kind: request.kind,
          data: request.data
        }))
      }
    }
  })

  const contextOf = (subflow: IssuedCall): SubflowContext => {
    const handled = (request: (reply: Deferred.Deferred<Json>) => SubflowRequest) =>
      Effect.gen(function* () {
        const reply = yield* Deferred.make<Json>()
        yield* inFlight.request(request(reply))
        return yield* Deferred.await(reply)
      })
    return {
      ask: (options, of) =>
        handled((reply) => ({
          _tag: "ask",
          subflow,
          options,
          ...(of === undefined
            ? {}
            : { part: { id: `${subflow.id}/${of.part}`, name: of.name, caps: of.caps } }),
          reply
        })).pipe(Effect.flatMap(decodeResult), Effect.orDie),
      step: (kind, spec, effect) =>
        handled((reply) => ({ _tag: "step", subflow, kind, spec, run: effect, reply })),
      work: (effect) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void busy.set(subflow.n, (busy.get(subflow.n) ?? 0) + 1)),
          () => effect,
          () =>
            Effect.suspend(() => {
              busy.set(subflow.n, (busy.get(subflow.n) ?? 1) - 1)
              return inFlight.nudge
            })
        ),
      proof: (proof, id) =>
        handled((reply) => ({
          _tag: "step",
          subflow,
          kind: "evidence",
          spec: { proof, id },
          run: Effect.orDie(Effect.map(proofRecord(run.journal, proof, { id }), encodeEvidence)),
          reply
        })).pipe(Effect.flatMap(decodeEvidence), Effect.orDie),
      record: (kind, data) => inFlight.request({ _tag: "record", subflow, kind, data }),
      question: (ask) => handled((reply) => ({ _tag: "question", subflow, ask, reply })),
      approval: (wanted) => handled((reply) => ({ _tag: "approval", subflow, wanted, reply })),
      waiver: (wanted) =>
        Effect.map(
          handled((reply) => ({ _tag: "waiver", subflow, wanted, reply })),
          (isWaived) => isWaived === true
        ),
      isFree: run.book.isFree,
      isForecast: run.approve === "all",
      reopened: run.journal.state().reopened,
      process,
      rules: run.journal.state().rules,
      contract: run.contract,
      council: run.council(),
      boards: run.boards
    }
  }

  /** Starts the subflow that answers the call. A subflow that dies answers with why. */
  const enter = Effect.fnUntraced(function* (call: IssuedCall) {
    const { verb } = call
    const subflow = verb === "agent" || verb === "sleep" || verb === "step" ? undefined : run.subflows[verb]
    if (subflow === undefined) {
      const error = makeError("not_available", `h.${call.verb} is not available here`)
      const failure = notDispatched(call, error, "skipped")
      return yield* answers.fail(call, { ...failure, adapterId: call.verb })
    }
    const { spec = null } = call.identity
    const broken = (problem: unknown): ModelRunFailure =>
      notDispatched(
        call,
        makeError("unknown", `h.${call.verb}: ${problem instanceof Error ? problem.message : "it broke"}`)
      )
    yield* inFlight.launch(
      call,
      subflow(spec, contextOf(call)).pipe(
        Effect.catchDefect((problem) => Effect.succeed<Json>({ ...broken(problem) })),
        Effect.map((result): Outcome => ({ call, result, model: undefined }))
      )
    )
  })

  /** The plan gave up on the subflow: so do its calls. */
  const leave = Effect.fnUntraced(function* (subflow: IssuedCall) {
    for (const call of asked.values()) {
      if (call.parent !== subflow.n) continue
      asked.delete(call.n)
      if (!answers.forget(call) && (call.earlier !== undefined || inFlight.has(call.n))) {
        yield* answers.write({ type: "CallCancelled", n: 0, ...call.ref })
      }
      yield* dispatcher.giveUp(call)
    }
  })

  /** Gives subflows the answers that are theirs. Only after `commit`. */
  const deliver = Effect.suspend(() =>
    Effect.forEach(
      answers.takeForSubflows(),
      ({ call, reply, result }) => {
        asked.delete(call.n)
        return Deferred.succeed(reply, result)
      },
      { discard: true }
    )
  )

  /** A subflow in flight that waits for calls of its own, none of which is in flight. */
  const isWaiting = (call: IssuedCall): boolean => {
    if ((busy.get(call.n) ?? 0) > 0) return false
    const own = [...asked.values()].filter(({ parent }) => parent === call.n)
    return own.length > 0 && own.every(({ n }) => !inFlight.has(n))
  }

  return { answered, enter, leave, handle, deliver, isWaiting }
}
