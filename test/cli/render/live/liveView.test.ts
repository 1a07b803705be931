// The live view: what is counted (L1 to L3), and that what is drawn fits every terminal.
import stringWidth from "string-width"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LiveRun } from "../../../../src/cli/render/live/LiveRun.ts"
import { fitted, liveLines } from "../../../../src/cli/render/live/liveLines.ts"
import type { RunEvent } from "../../../../src/domain/run/RunEvent.ts"
import { dice } from "../../../support/dice.ts"

const head = (seq: number, at = seq * 100) => ({ seq, at, prev: "" })
const key = (n: number) => `${n}`.padStart(64, "0")

const scheduled = (seq: number, n: number, phase = "A", label = `call ${n}`): RunEvent => ({
  ...head(seq),
  type: "CallScheduled",
  n,
  key: key(n),
  occurrence: 1,
  call: { verb: "agent", prompt: label },
  label,
  phase
})
const completed = (seq: number, n: number, ok = true): RunEvent => ({
  ...head(seq),
  type: "CallCompleted",
  key: key(n),
  occurrence: 1,
  outcome: { ok }
})

/** A log of calls that begin, end, are made again and park, drawn. */
const drawnLog = (seed: number): ReadonlyArray<RunEvent> => {
  const { below, pick } = dice(seed)
  const open = new Set<number>()
  const events: Array<RunEvent> = []
  for (let seq = 1; seq < 60; seq++) {
    const n = 1 + below(20)
    const one = [...open][below(open.size || 1)]
    if (one === undefined || below(3) === 0) {
      events.push(scheduled(seq, n, pick(["A", "B"])))
      open.add(n)
    } else {
      events.push(
        below(5) === 0
          ? { ...head(seq), type: "CallCancelled", n: one, key: key(one), occurrence: 1 }
          : completed(seq, one, below(4) > 0)
      )
      open.delete(one)
    }
  }
  return events
}

const folded = (...logs: ReadonlyArray<ReadonlyArray<RunEvent>>): LiveRun => {
  const live = new LiveRun()
  for (const event of logs.flat()) live.fold(event)
  return live
}

const idOf = (event: RunEvent): string => ("key" in event ? event.key : "")

describe("LiveRun", () => {
  it.prop("L1: counts every scheduled call once", [Schema.Int], ([seed]) => {
    const log = drawnLog(seed)
    const ids = new Set(log.filter(({ type }) => type === "CallScheduled").map(idOf))
    assert.strictEqual(folded(log).all.scheduled, ids.size)
  })

  it.prop("L2: has in flight what was scheduled and has no end", [Schema.Int], ([seed]) => {
    const log = drawnLog(seed)
    const open = new Set<string>()
    for (const event of log) {
      if (event.type === "CallScheduled") open.add(idOf(event))
      else open.delete(idOf(event))
    }
    assert.strictEqual(folded(log).inFlight.size, open.size)
  })

  it.prop("L3: is the same in one go and in two", [Schema.Int], ([seed]) => {
    const log = drawnLog(seed)
    const live = folded(log.slice(0, 20), log.slice(20))
    assert.deepStrictEqual(live.told, folded(log).told)
    assert.deepStrictEqual([...live.inFlight], [...folded(log).inFlight])
  })

  it("knows the size of a fan-out from its first call on", () => {
    const live = new LiveRun()
    for (let n = 0; n < 30; n++) live.issued({ phase: "A" })
    live.fold(scheduled(1, 1))
    live.fold(completed(2, 1))
    assert.deepStrictEqual(live.told, [{ title: "A", scheduled: 30, ended: 1, failed: 0 }])
  })

  it("says how long the rest may take, once enough is known", () => {
    const live = new LiveRun()
    for (let n = 1; n <= 3; n++) {
      live.fold({ ...scheduled(n, n), at: 0 })
      assert.isUndefined(live.remaining(0))
      live.fold({ ...completed(10 + n, n), at: 1000 })
    }
    live.fold({ ...scheduled(20, 9), at: 2000 })
    assert.deepStrictEqual(live.remaining(2400), { about: 600, from: 600, to: 600 })
  })
})

describe("the live view", () => {
  const many = folded([
    { ...head(1), type: "PhaseStarted", title: "評価する 👩‍💻" },
    ...Array.from({ length: 1000 }, (_, n) =>
      scheduled(
        n + 2,
        n + 1,
        "評価する 👩‍💻",
        n % 2 === 0 ? `部品 ${n} 👩‍💻 ${"long ".repeat(30)}` : "\u001b[2Jevil\u202E"
      )
    )
  ])

  it("fits terminals of every size, with wide characters and a thousand calls in flight", () => {
    for (const columns of [20, 30, 80, 200]) {
      for (const rows of [3, 6, 24, 60]) {
        const lines = liveLines(many, { now: 200_000, startedAt: 0 }, { columns, rows }, { maxUsd: 2 })
        assert.isAtMost(lines.length, Math.max(1, rows - 1), `${columns}×${rows}`)
        for (const line of lines) assert.isBelow(stringWidth(line), columns, line)
        assert.notInclude(lines.join(""), "\u001b")
        assert.match(lines.at(-1) ?? "", /0\/1000|評価/)
      }
    }
  })

  it("cuts a text at the columns that it takes, and no character in half", () => {
    assert.strictEqual(fitted("部品部品", 5), "部品…")
    assert.strictEqual(fitted("a👩‍💻b", 3), "a…")
    assert.strictEqual(fitted("plain", 5), "plain")
  })
})
