// One property for each invariant of the projection, over random histories: any order of events that a log could
// hold, also orders that no engine would write.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import type { RunEvent, RunEventBody, RunEventOf } from "../../../src/domain/run/RunEvent.ts"
import { currentRules, firstRules } from "../../../src/domain/run/rules.ts"
import { Projection, project } from "../../../src/journal/state/projection.ts"
import { committedOf } from "../../../src/domain/budget/Spending.ts"
import { inDoubt, type CallState, type RunState } from "../../../src/journal/state/RunState.ts"
import { answer, failure } from "../support.ts"

/** One step of a random history: what happens, to which of five calls, and at what cost in cents. */
const Step = Schema.Struct({
  what: Schema.Literals([
    "schedule",
    "complete",
    "fail",
    "complete unpriced",
    "reuse",
    "cancel",
    "late",
    "park",
    "reopen",
    "resume",
    "suspend",
    "interrupt",
    "end",
    "log"
  ]),
  call: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 5 }))),
  cents: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 50 })))
})
type Step = typeof Step.Type
const History = Schema.Array(Step)

const usd = (cents: number) => cents / 100
const parkedResult = (cents: number) => ({
  ok: false as const,
  status: "parked" as const,
  adapterId: "a",
  modelId: "m",
  requestId: "r",
  durationMs: 1,
  attempts: 1,
  costUsd: usd(cents),
  error: { code: "quota_exhausted" as const, message: "", retryable: false }
})

const unpriced = (): Json => {
  const { costUsd: _, ...rest } = answer("x")
  return rest
}

const bodyOf = ({ call, cents, what }: Step, n: number): RunEventBody => {
  const ref = { key: `k${call}`, occurrence: 1 }
  switch (what) {
    case "schedule":
      return { type: "CallScheduled", n, ...ref, call: { verb: "agent" }, reserveUsd: usd(cents) }
    case "complete":
      return { type: "CallCompleted", ...ref, result: answer("x", usd(cents)) }
    case "fail":
      return { type: "CallCompleted", ...ref, result: { ...failure("auth"), costUsd: usd(cents) } }
    case "complete unpriced":
      return { type: "CallCompleted", ...ref, result: unpriced() }
    case "reuse":
      return { type: "CallCompleted", ...ref, result: answer("x", usd(cents)), reused: true }
    case "cancel":
      return { type: "CallCancelled", n, ...ref }
    case "late":
      return { type: "CallLate", ...ref, costUsd: usd(cents) }
    case "park":
      return { type: "CallParked", ...ref, result: parkedResult(cents) }
    case "reopen":
      return { type: "RunReopened", failed: 0 }
    case "resume":
      return { type: "RunResumed" }
    case "suspend":
      return { type: "RunSuspended", reason: "outage", items: [] }
    case "interrupt":
      return { type: "RunInterrupted", signal: "SIGINT" }
    case "end":
      return { type: "RunCompleted", status: "incomplete", coverage: { done: 1, of: 2 } }
    case "log":
      return { type: "Logged", message: "m" }
  }
}

const eventsOf = (history: ReadonlyArray<Step>): ReadonlyArray<RunEvent> =>
  history.map((step, index) => ({ seq: index + 1, at: index, prev: "", ...bodyOf(step, index + 1) }))

const at = (event: RunEvent): readonly [number, number] => [event.seq * 1000, 100]

const callOf = ({ failed, id, length, n, offset, rank, retry, status }: CallState) => ({
  failed,
  id,
  length,
  n,
  offset,
  rank,
  retry,
  status
})

/** A state as plain data, which later events do not change. */
const snapshot = ({ calls, completed, spending, ...rest }: RunState) => ({
  ...structuredClone(rest),
  ...spending.of(),
  held: new Map([...calls.values()].map(({ id }) => [id, spending.heldFor(id)?.usd ?? 0])),
  calls: new Map([...calls.values()].map((call) => [call.id, callOf(call)])),
  completed: Array.from({ length: completed.length }, (_, rank) => completed.at(rank)?.id)
})
type Snapshot = ReturnType<typeof snapshot>

/** Calls `check` with the state before and after each event. */
const stepwise = (
  history: ReadonlyArray<Step>,
  check: (before: Snapshot, event: RunEvent, after: Snapshot) => void
) => {
  const projection = new Projection()
  for (const event of eventsOf(history)) {
    const before = snapshot(projection.state)
    projection.advance(event, ...at(event))
    check(before, event, snapshot(projection.state))
  }
}

const property = (name: string, check: (history: ReadonlyArray<Step>) => void) =>
  it.effect.prop(name, [History], ([history]) => Effect.sync(() => check(history)))

const idOf = (event: RunEvent) => ("key" in event ? `${event.key}#${event.occurrence}` : "")

describe("projection", () => {
  it("a run goes on by the rules it began under: those its start names, or the first", () => {
    const begun = (rules: { readonly rules?: number }): RunEvent => ({
      seq: 1,
      at: 0,
      prev: "",
      type: "RunStarted",
      runId: "r",
      v: 1,
      concurrency: 1,
      ...rules
    })
    assert.strictEqual(project([]).rules, currentRules)
    assert.strictEqual(project([begun({})]).rules, firstRules)
    assert.strictEqual(project([begun({ rules: 7 })]).rules, 7)
  })

  property("P1: a prefix advanced by the rest is the whole", (history) => {
    const events = eventsOf(history)
    for (const cut of [0, Math.floor(events.length / 2), events.length]) {
      const projection = new Projection()
      for (const event of events.slice(0, cut)) projection.advance(event, ...at(event))
      for (const event of events.slice(cut)) projection.advance(event, ...at(event))
      assert.deepStrictEqual(snapshot(projection.state), snapshot(project(events, at)))
    }
  })

  property("P2: the first completion counts, until a reopening drops it", (history) => {
    stepwise(history, (before, event, after) => {
      if (event.type !== "CallCompleted") return
      const [was, is] = [before.calls.get(idOf(event)), after.calls.get(idOf(event))]
      assert.strictEqual(is?.status, "completed")
      if (was?.status !== "completed") return assert.strictEqual(is?.offset, event.seq * 1000)
      assert.deepStrictEqual(is, was)
      assert.strictEqual(after.spentUsd, before.spentUsd)
    })
  })

  property("P3: ranks are journal order, and list the completed calls and no others", (history) => {
    const state = snapshot(project(eventsOf(history), at))
    const listed = state.completed.flatMap((id) => (id === undefined ? [] : [id]))
    const completed = [...state.calls.values()].filter(({ status }) => status === "completed")
    assert.deepStrictEqual(listed.toSorted(), completed.map(({ id }) => id).toSorted())
    for (const { id, offset, rank } of completed) {
      assert.strictEqual(state.completed[rank], id)
      for (const other of completed) if (other.rank > rank) assert.isAbove(other.offset, offset)
    }
    for (const { rank, status } of state.calls.values())
      if (status !== "completed") assert.strictEqual(rank, -1)
  })

  property("P4: counts are of calls", (history) => {
    const state = project(eventsOf(history), at)
    const counted = { scheduled: 0, completed: 0, cancelled: 0, parked: 0 }
    for (const { status } of state.calls.values()) counted[status]++
    assert.deepStrictEqual(state.counts, counted)
    assert.strictEqual(state.failed, [...state.calls.values()].filter(({ failed }) => failed).length)
    assert.strictEqual(inDoubt(state).length, state.counts.scheduled)
  })

  property(
    "P5: what is committed rises only by a reserve or by a cost above it, and never falls below what was spent",
    (history) => {
      stepwise(history, (before, event, after) => {
        const held = [...after.held.values()].reduce((sum, usd) => sum + usd, 0)
        assert.closeTo(after.heldUsd, held, 1e-9)
        assert.isAtLeast(after.spentUsd, before.spentUsd)
        const rise = committedOf(after) - committedOf(before)
        if (event.type === "CallScheduled") return assert.isAtMost(rise, (event.reserveUsd ?? 0) + 1e-9)
        const cost =
          event.type === "CallCompleted" || event.type === "CallParked"
            ? Number(Object(event.result).costUsd ?? 0)
            : event.type === "CallLate"
              ? (event.costUsd ?? 0)
              : 0
        const reserved = before.held.get(idOf(event)) ?? 0
        assert.isAtMost(rise, Math.max(0, cost - reserved) + 1e-9)
      })
    }
  )

  property("P5: a call whose cost is unknown settles at its reserve, and is counted unpriced", (history) => {
    stepwise(history, (before, event, after) => {
      if (event.type !== "CallCompleted" || "costUsd" in Object(event.result)) return
      const was = before.calls.get(idOf(event))
      if (was?.status === "completed") return
      assert.closeTo(after.unknownUsd - before.unknownUsd, before.held.get(idOf(event)) ?? 0, 1e-9)
      assert.strictEqual(after.spentUsd, before.spentUsd)
      assert.strictEqual(after.unpriced, before.unpriced + 1)
    })
  })

  property("P6: after the end nothing but a reopening makes it open", (history) => {
    stepwise(history, (before, event, after) => {
      if (event.type === "RunReopened") return assert.isUndefined(after.end)
      if (event.type === "RunCompleted") return assert.strictEqual(after.end?.offset, event.seq * 1000)
      assert.deepStrictEqual(after.end, before.end)
    })
  })

  property("P7: reopening drops exactly the failed completions, and not their cost", (history) => {
    stepwise(history, (before, event, after) => {
      if (event.type !== "RunReopened") return
      for (const [id, was] of before.calls) {
        const is = after.calls.get(id)
        if (was.status === "completed" && was.failed)
          assert.deepStrictEqual([is?.status, is?.rank], ["parked", -1])
        else assert.deepStrictEqual(is, was)
      }
      assert.strictEqual(after.failed, 0)
      assert.strictEqual(after.spentUsd, before.spentUsd)
      assert.strictEqual(after.reopenedRank, before.completed.length)
    })
  })

  for (const [verb, dropped] of [
    ["council", true],
    ["swarm", true],
    ["mission", false]
  ] as const) {
    it(`P7: a ${verb} that answered although one of its calls failed is ${dropped ? "dropped too" : "kept: it has made up for it"}`, () => {
      const ref = (key: string) => ({ key, occurrence: 1 })
      const scheduled = (
        key: string,
        n: number,
        call: RunEventOf<"CallScheduled">["call"]
      ): RunEventBody => ({
        type: "CallScheduled",
        n,
        ...ref(key),
        call
      })
      const completed = (key: string, result: Json): RunEventBody => ({
        type: "CallCompleted",
        ...ref(key),
        result
      })
      const made = (of: string) => ({ verb: "agent", spec: { of } })
      const bodies: ReadonlyArray<RunEventBody> = [
        scheduled("room", 1, { verb }),
        scheduled("good", 0, made("room#1")),
        scheduled("bad", 0, made("room#1")),
        scheduled("other", 2, { verb }),
        scheduled("fine", 0, made("other#1")),
        completed("bad", failure("server_error")),
        completed("good", answer("x")),
        completed("fine", answer("x")),
        completed("room", { ok: true }),
        completed("other", { ok: true }),
        { type: "RunReopened", failed: 1 }
      ]
      const state = project(bodies.map((body, index) => ({ seq: index + 1, at: index, prev: "", ...body })))
      const statusOf = (key: string) => state.calls.get(`${key}#1`)?.status
      assert.deepStrictEqual(["bad", "room", "good", "fine", "other"].map(statusOf), [
        "parked",
        dropped ? "parked" : "completed",
        "completed",
        "completed",
        "completed"
      ])
      assert.strictEqual(state.failed, 0)
    })
  }

  it("a call in doubt that is made again is counted twice", () => {
    const events = eventsOf([
      { what: "schedule", call: 1, cents: 10 },
      { what: "resume", call: 1, cents: 0 },
      { what: "schedule", call: 1, cents: 10 },
      { what: "complete", call: 1, cents: 4 }
    ])
    const spent = [1, 2, 3, 4].map((n) => {
      const { heldUsd, spentUsd, unknownUsd } = project(events.slice(0, n)).spending.of()
      return [spentUsd, unknownUsd, heldUsd]
    })
    assert.deepStrictEqual(spent, [
      [0, 0, 0.1],
      [0, 0, 0.1],
      [0, 0.1, 0.1],
      [0.04, 0.1, 0]
    ])
  })

  it("the answer of a blob counts by its outcome", () => {
    const event: RunEvent = {
      seq: 1,
      at: 0,
      prev: "",
      type: "CallCompleted",
      key: "k",
      occurrence: 1,
      resultBlob: { blob: "b", bytes: 1 },
      outcome: { ok: false, costUsd: 0.5, usage: { inputTokens: 7 } }
    }
    const state = project([event])
    const sums = state.spending.of()
    assert.deepStrictEqual(
      [state.failed, sums.spentUsd, state.usage.inputTokens, sums.unpriced],
      [1, 0.5, 7, 0]
    )
  })
})
