// The supervisor's rules, with every order in which things can happen, by dice.
import { assert, describe, it } from "@effect/vitest"
import {
  answerMs,
  graceMs,
  saidOf,
  sayOf,
  signalExitCode,
  step,
  termMs,
  unsignalled,
  type Action,
  type Happened,
  type Held,
  type Said,
  type Supervision
} from "../../../src/app/signals/supervision.ts"
import { dice } from "../../support/dice.ts"

const of = (name: Held, at: "supervisor" | "host" = "supervisor"): Happened => ({ _tag: "signal", name, at })

const after = (...all: ReadonlyArray<Happened>) => {
  let state: Supervision = unsignalled
  let deeds: ReadonlyArray<Action> = []
  for (const happened of all) [state, deeds] = step(state, happened)
  return { state, deeds }
}

const told = (name: Held): Action => ({ _tag: "tell", said: { _tag: "signal", name } })

describe("the supervisor", () => {
  it("G1: ends a host that holds nothing with the first signal, before and after it held any", () => {
    assert.deepStrictEqual(after(of("SIGINT")).deeds, [{ _tag: "end" }])
    assert.deepStrictEqual(after({ _tag: "hold" }, { _tag: "release" }, of("SIGTERM")).deeds, [
      { _tag: "end" }
    ])
  })

  it("G2, G3: hands on the first and the second signal, with a limit for the second, and ends it at the third", () => {
    assert.deepStrictEqual(after({ _tag: "hold" }, of("SIGINT")).deeds, [
      told("SIGINT"),
      { _tag: "listen", ms: answerMs }
    ])
    assert.deepStrictEqual(after({ _tag: "hold" }, of("SIGINT"), of("SIGTERM")).deeds, [
      told("SIGTERM"),
      { _tag: "limit", ms: graceMs }
    ])
    assert.deepStrictEqual(after({ _tag: "hold" }, of("SIGINT"), of("SIGINT"), of("SIGINT")).deeds, [
      { _tag: "end" }
    ])
  })

  it("G4: gives the host a limit from SIGTERM on", () => {
    const { deeds, state } = after({ _tag: "hold" }, of("SIGTERM"))
    assert.deepStrictEqual(deeds, [
      told("SIGTERM"),
      { _tag: "listen", ms: answerMs },
      { _tag: "limit", ms: termMs }
    ])
    assert.deepStrictEqual(step(state, { _tag: "timeIsOver" })[1], [{ _tag: "end" }])
  })

  it("G5: counts once what a terminal sends to both", () => {
    for (const order of [["supervisor", "host"] as const, ["host", "supervisor"] as const]) {
      const [first, second] = order
      const { deeds, state } = after({ _tag: "hold" }, of("SIGINT", first), of("SIGINT", second))
      assert.deepStrictEqual(deeds, [])
      assert.strictEqual(state.heard, 1)
    }
  })

  it("G6: tells the person of a host that does not say that it has heard, and of no other", () => {
    const silence: Happened = { _tag: "silence" }
    const notes = (...all: ReadonlyArray<Happened>) => after(...all, silence).deeds.map(({ _tag: t }) => t)
    assert.deepStrictEqual(notes({ _tag: "hold" }, of("SIGINT")), ["note"])
    assert.deepStrictEqual(notes({ _tag: "hold" }, of("SIGINT"), { _tag: "heard" }), [])
    assert.deepStrictEqual(notes({ _tag: "hold" }, of("SIGINT"), of("SIGINT")), [])
  })

  it("G7: exits as the host does, or as the signal says that ended it", () => {
    assert.deepStrictEqual(after({ _tag: "exited", code: 4 }).deeds, [{ _tag: "exit", code: 4 }])
    assert.deepStrictEqual(after({ _tag: "hold" }, of("SIGINT"), { _tag: "exited", code: 0 }).deeds, [
      { _tag: "exit", code: 0 }
    ])
    assert.deepStrictEqual(after(of("SIGTERM"), { _tag: "exited", code: 137 }).deeds, [
      { _tag: "exit", code: 143 }
    ])
  })

  it("G3, G4: two signals or a SIGTERM end a host that never answers, in whatever order things happen", () => {
    const { below, pick } = dice(7)
    const kinds: ReadonlyArray<Happened> = [
      { _tag: "hold" },
      { _tag: "release" },
      of("SIGINT"),
      of("SIGTERM"),
      of("SIGINT", "host"),
      of("SIGTERM", "host")
    ]
    for (let round = 0; round < 2000; round++) {
      let state: Supervision = unsignalled
      let limit: number | undefined
      let ended = false
      const all = Array.from({ length: 1 + below(8) }, () => pick(kinds))
      for (const happened of all) {
        const [next, deeds] = step(state, happened)
        state = next
        for (const deed of deeds) {
          if (deed._tag === "limit") limit = deed.ms
          if (deed._tag === "end") ended = true
        }
      }
      const [, deeds] = limit === undefined ? [state, []] : step(state, { _tag: "timeIsOver" })
      ended ||= deeds.some(({ _tag: t }) => t === "end")
      const signals = all.filter((happened) => happened._tag === "signal")
      const heardBy = (at: "supervisor" | "host") => signals.filter((signal) => signal.at === at).length
      const mustEnd = Math.max(heardBy("supervisor"), heardBy("host")) >= 2 || signals[0]?.name === "SIGTERM"
      if (mustEnd) assert.isTrue(ended, JSON.stringify(all))
      if (signals.length === 0) assert.isFalse(ended, JSON.stringify(all))
      if (limit !== undefined) assert.isAtMost(limit, termMs)
    }
  })

  it("says over the channel what it means, and takes nothing else for a word", () => {
    const words: ReadonlyArray<Said> = [
      { _tag: "hold" },
      { _tag: "holding" },
      { _tag: "release" },
      { _tag: "signal", name: "SIGTERM" },
      { _tag: "watch", target: -4711 },
      { _tag: "unwatch", target: 4711 }
    ]
    for (const word of words) assert.deepStrictEqual(saidOf(sayOf(word)), word)
    for (const other of ["", "signal SIGKILL", "watch 0", "watch -1", "watch 1", "watch x", 7, null])
      assert.isUndefined(saidOf(other))
    assert.strictEqual(signalExitCode("SIGINT"), 130)
  })
})
