// The rooms of a live run: a verb whose answer is made of further calls. Each runs in a fiber, and what it asks of
// the run is granted here: from the journal if it is known, through the dispatcher if not. So a debate or mission
// that is killed goes on where it was, and nothing in it is paid twice.
import { Deferred, Effect, Option, Result, Schema } from "effect"
import { callId, computeCacheKey, type CallIdentity, type CallRef } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { fingerprint } from "../../domain/fingerprint.ts"
import { makeError } from "../../domain/ModelError.ts"
import { ModelRunResult, type ModelRunFailure } from "../../domain/ModelRun.ts"
import { earlierOf, type IssuedCall } from "../calls/CallBook.ts"
import type { Dispatcher } from "../calls/Dispatcher.ts"
import type { Flights, Outcome, RoomWish } from "../calls/CallsInFlight.ts"
import { notDispatched, type LiveAnswers, type LiveCounts } from "../calls/LiveAnswers.ts"
import type { PendingItems } from "../people/pendingItems.ts"
import type { RoomContext } from "./Subflow.ts"
import type { RunContext } from "../run/RunContext.ts"
import { Evidence } from "../../verifier/Evidence.ts"
import { proofRecord } from "../gates/proofRecords.ts"
import type { TakeLentDoubt } from "../doubt/lentDoubt.ts"
import { keyAlike } from "../reuse/lentCopy.ts"
import type { RunHistory } from "../replay/RunHistory.ts"

interface LiveRoomsParts {
  readonly run: RunContext
  readonly history: RunHistory
  readonly flights: Flights
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

export const makeLiveRooms = (parts: LiveRoomsParts) => {
  const { answers, counts, dispatcher, flights, history, items, lentDoubt, run, wanted } = parts
  /** Calls of rooms that have no answer yet, by their own number; numbers are negative, the plan's are positive. */
  const asked = new Map<number, IssuedCall>()
  const occurrences = new Map<string, number>()
  const asks = new Map<string, number>()
  const records = new Map<string, number>()
  /** Whom a person's answer goes to, by the number of the call that stands for the question. */
  const toPerson = new Map<number, Deferred.Deferred<Json>>()
  const busy = new Map<number, number>()
  let lastNumber = 0
  const process = history.processes

  /** Identical calls of one room are told apart in the order they are asked for. */
  const refOf = (identity: CallIdentity): CallRef => {
    const key = keyOf(identity)
    const occurrence = (occurrences.get(key) ?? 0) + 1
    occurrences.set(key, occurrence)
    return { key, occurrence }
  }

  const numbered = (call: Omit<IssuedCall, "n" | "id" | "parent">, room: IssuedCall): IssuedCall => {
    const id = callId(call.ref)
    const parent = room.parent ?? room.n
    const issued: IssuedCall = { ...call, n: --lastNumber, id, parent, ...earlierOf(run.journal.state(), id) }
    asked.set(issued.n, issued)
    return issued
  }

  /** A call of a room that no model answers. */
  const bare = (identity: CallIdentity, room: IssuedCall): IssuedCall => {
    const { phase, site, verb } = room
    const plain = { identity, verb, phase, site, options: undefined, chain: [], refusal: undefined }
    return numbered({ ...plain, ref: refOf(identity) }, room)
  }

  /** The journal's answer, if it has one. */
  const known = Effect.fnUntraced(function* (call: IssuedCall) {
    if (call.earlier?.status !== "completed") return undefined
    return yield* run.journal.readResult(call.id)
  })

  /** Which of the calls alike it is that rooms of that verb have asked for, whichever room it was. */
  const alikeOf = ({ identity }: IssuedCall, room: IssuedCall) => {
    const key = keyAlike(identity)
    const occurrence = (asks.get(`${room.verb} ${key}`) ?? 0) + 1
    asks.set(`${room.verb} ${key}`, occurrence)
    return { room: room.verb, key, occurrence }
  }

  const grantAsk = Effect.fnUntraced(function* (wish: Extract<RoomWish, { t: "ask" }>) {
    const { options, part, reply, room } = wish
    const taken = yield* run.book.takeFor(options, room, refOf)
    const call = numbered(part === undefined ? taken : { ...taken, part }, room)
    const alike = alikeOf(call, room)
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

  const grantStep = Effect.fnUntraced(function* (wish: Extract<RoomWish, { t: "step" }>) {
    const { kind, reply, room, spec } = wish
    const identity: CallIdentity = { verb: `${room.verb}.${kind}`, spec: { of: room.id, step: spec } }
    const call = bare(identity, room)
    const answer = yield* known(call)
    if (answer !== undefined) {
      asked.delete(call.n)
      yield* Deferred.succeed(reply, answer)
      return
    }
    answers.expect(call, reply)
    yield* dispatcher.schedule(call)
    yield* answers.commit
    yield* flights.launch(
      call,
      Effect.map(wish.run, (result): Outcome => ({ call, result, model: undefined }))
    )
  })

  const grantQuestion = Effect.fnUntraced(function* (wish: Extract<RoomWish, { t: "question" }>) {
    const { ask, reply, room } = wish
    const identity: CallIdentity = { verb: `${room.verb}.question`, spec: { of: room.id, ask: { ...ask } } }
    const call = bare(identity, room)
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
  const askedBefore = (room: IssuedCall, name: string, text: string | undefined): Json | undefined => {
    if (text === undefined) return undefined
    const ask: Json = { kind: "approval", text: `${name}: ${text}`, choices: ["approve", "refuse"] }
    const ref = { key: keyOf({ verb: `${room.verb}.question`, spec: { of: room.id, ask } }), occurrence: 1 }
    return items.replyTo(ref)
  }

  const grantApproval = Effect.fnUntraced(function* (wish: Extract<RoomWish, { t: "approval" }>) {
    const { reply, room, wanted } = wish
    const { before, content, name, text } = wanted
    const ask = {
      kind: "approval" as const,
      text: `${name}: ${text}`,
      choices: ["approve", "refuse"],
      hash: Result.getOrThrow(fingerprint(content)),
      name
    }
    const earlier = askedBefore(room, name, before)
    // A run has one set of gates, however often it is reopened: what a person said of the same content stands.
    const of = room.verb === "gates" ? room.verb : room.id
    const call = bare({ verb: `${room.verb}.question`, spec: { of, name, hash: ask.hash } }, room)
    const decided =
      earlier === "approve" ? { t: "answered" as const, answer: earlier } : yield* items.approval(call, ask)
    if (decided.t === "asked") toPerson.set(call.n, reply)
    if (decided.t === "asked") return dispatcher.wait({ call, reason: "approval", item: decided.item })
    asked.delete(call.n)
    yield* Deferred.succeed(reply, decided.answer)
  })

  const grantWaiver = Effect.fnUntraced(function* ({
    reply,
    room,
    wanted
  }: Extract<RoomWish, { t: "waiver" }>) {
    const hash = Result.getOrThrow(fingerprint(wanted.content))
    const key = keyOf({ verb: `${room.verb}.question`, spec: { of: room.id, name: wanted.name, hash } })
    yield* Deferred.succeed(reply, yield* items.waive({ ref: { key, occurrence: 1 } }))
  })

  /** A person has answered a room's question. False: the call is none of those. */
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

  /** Does what a room wished for. */
  const grant = Effect.fnUntraced(function* (wish: RoomWish) {
    if (!wanted(wish.room)) return
    switch (wish.t) {
      case "ask":
        return yield* grantAsk(wish)
      case "step":
        return yield* grantStep(wish)
      case "approval":
        return yield* grantApproval(wish)
      case "waiver":
        return yield* grantWaiver(wish)
      case "question":
        return yield* grantQuestion(wish)
      case "record": {
        // What an earlier process of the run wrote down is not written again.
        const written = (records.get(wish.room.id) ?? 0) + 1
        records.set(wish.room.id, written)
        if (written <= (history.records.get(wish.room.id) ?? 0)) return
        const gate = wish.kind === "gate" ? Option.getOrUndefined(decodeGate(wish.data)) : undefined
        if (gate !== undefined && !isDecided(gate.gate))
          yield* answers.write({ type: "GateDecided", ...gate })
        if (gate?.pass === false) counts.closedGate ??= gate
        if (gate?.pass === true && wish.room.verb === "mission") counts.passedGates.add(gate.gate)
        return void (yield* answers.write({
          type: "RoomRecorded",
          ...wish.room.ref,
          room: wish.room.verb,
          kind: wish.kind,
          data: wish.data
        }))
      }
    }
  })

  const contextOf = (room: IssuedCall): RoomContext => {
    const granted = (wish: (reply: Deferred.Deferred<Json>) => RoomWish) =>
      Effect.gen(function* () {
        const reply = yield* Deferred.make<Json>()
        yield* flights.wish(wish(reply))
        return yield* Deferred.await(reply)
      })
    return {
      ask: (options, of) =>
        granted((reply) => ({
          t: "ask",
          room,
          options,
          ...(of === undefined
            ? {}
            : { part: { id: `${room.id}/${of.part}`, name: of.name, caps: of.caps } }),
          reply
        })).pipe(Effect.flatMap(decodeResult), Effect.orDie),
      step: (kind, spec, effect) => granted((reply) => ({ t: "step", room, kind, spec, run: effect, reply })),
      work: (effect) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void busy.set(room.n, (busy.get(room.n) ?? 0) + 1)),
          () => effect,
          () =>
            Effect.suspend(() => {
              busy.set(room.n, (busy.get(room.n) ?? 1) - 1)
              return flights.nudge
            })
        ),
      proof: (proof, id) =>
        granted((reply) => ({
          t: "step",
          room,
          kind: "evidence",
          spec: { proof, id },
          run: Effect.orDie(Effect.map(proofRecord(run.journal, proof, { id }), encodeEvidence)),
          reply
        })).pipe(Effect.flatMap(decodeEvidence), Effect.orDie),
      record: (kind, data) => flights.wish({ t: "record", room, kind, data }),
      question: (ask) => granted((reply) => ({ t: "question", room, ask, reply })),
      approval: (wanted) => granted((reply) => ({ t: "approval", room, wanted, reply })),
      waiver: (wanted) =>
        Effect.map(
          granted((reply) => ({ t: "waiver", room, wanted, reply })),
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

  /** Starts the room that answers the call. A room that dies answers with why. */
  const enter = Effect.fnUntraced(function* (call: IssuedCall) {
    const { verb } = call
    const room = verb === "agent" || verb === "sleep" || verb === "step" ? undefined : run.rooms[verb]
    if (room === undefined) {
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
    yield* flights.launch(
      call,
      room(spec, contextOf(call)).pipe(
        Effect.catchDefect((problem) => Effect.succeed<Json>({ ...broken(problem) })),
        Effect.map((result): Outcome => ({ call, result, model: undefined }))
      )
    )
  })

  /** The plan gave up on the room: so do its calls. */
  const leave = Effect.fnUntraced(function* (room: IssuedCall) {
    for (const call of asked.values()) {
      if (call.parent !== room.n) continue
      asked.delete(call.n)
      if (!answers.forget(call) && (call.earlier !== undefined || flights.has(call.n))) {
        yield* answers.write({ type: "CallCancelled", n: 0, ...call.ref })
      }
      yield* dispatcher.giveUp(call)
    }
  })

  /** Gives rooms the answers that are theirs. Only after `commit`. */
  const deliver = Effect.suspend(() =>
    Effect.forEach(
      answers.takeForRooms(),
      ({ call, reply, result }) => {
        asked.delete(call.n)
        return Deferred.succeed(reply, result)
      },
      { discard: true }
    )
  )

  /** A room in flight that waits for calls of its own, none of which is in flight. */
  const isWaiting = (call: IssuedCall): boolean => {
    if ((busy.get(call.n) ?? 0) > 0) return false
    const own = [...asked.values()].filter(({ parent }) => parent === call.n)
    return own.length > 0 && own.every(({ n }) => !flights.has(n))
  }

  return { answered, enter, leave, grant, deliver, isWaiting }
}
