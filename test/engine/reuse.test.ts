// Edit and pay only for what changed: a plan of 100 calls is edited in 50 ways. A dry run on made-up answers says
// which calls would be paid again; then the edited plan is run for real. Prediction and reality are the same set.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { dice } from "../support/dice.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

/** What a plan asks: 60 leaves, 30 pairs over two leaves each, 9 groups, one whole. */
interface Words {
  readonly leaves: ReadonlyArray<string>
  readonly pair: (index: number) => string
  readonly group: (index: number) => string
  readonly whole: string
}

const words: Words = {
  leaves: Array.from({ length: 60 }, (_, index) => `leaf ${index}`),
  pair: () => "pair",
  group: () => "group",
  whole: "whole"
}

const plan = (edited: Words) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const ask = (prompt: string) =>
      Effect.map(h.agent(prompt), (answer) => (answer.ok ? answer.text : "lost"))
    const leaves = yield* Effect.forEach(edited.leaves, ask, { concurrency: 8 })
    const pairs = yield* Effect.forEach(
      Array.from({ length: 30 }, (_, index) => index),
      (index) => ask(`${edited.pair(index)} ${index}: ${leaves[index * 2]} ${leaves[index * 2 + 1]}`),
      { concurrency: 8 }
    )
    const groups = yield* Effect.forEach(
      Array.from({ length: 9 }, (_, index) => index),
      (index) => ask(`${edited.group(index)} ${index}: ${pairs.slice(index * 3, index * 3 + 3).join(" ")}`)
    )
    return yield* ask(`${edited.whole}: ${groups.join(" ")}`)
  })

/** 50 edits, of every layer and kind: words changed, leaves added, removed, doubled, swapped. */
const edits = Array.from({ length: 50 }, (_, index) => {
  const random = dice(index + 1)
  const at = random.below(60)
  const shapes: ReadonlyArray<readonly [string, Words]> = [
    [
      `leaf ${at} changed`,
      { ...words, leaves: words.leaves.map((leaf, i) => (i === at ? `${leaf} anew` : leaf)) }
    ],
    [`leaf ${at} removed`, { ...words, leaves: words.leaves.filter((_, i) => i !== at) }],
    [
      `leaf ${at} doubled`,
      { ...words, leaves: words.leaves.map((leaf, i) => (i === at ? (words.leaves[0] ?? "") : leaf)) }
    ],
    [
      `leaf added at ${at}`,
      { ...words, leaves: [...words.leaves.slice(0, at), "new", ...words.leaves.slice(at)] }
    ],
    [`pair ${at >> 1} changed`, { ...words, pair: (i) => (i === at >> 1 ? "couple" : "pair") }],
    [`group ${at % 9} changed`, { ...words, group: (i) => (i === at % 9 ? "party" : "group") }],
    ["whole changed", { ...words, whole: `all ${at}` }],
    ["leaves swapped", { ...words, leaves: [...words.leaves].toReversed() }],
    ["nothing changed", words]
  ]
  return random.pick(shapes)
})

/** Places in issue order of the calls that were not answered from the earlier run. */
const paidFor = (events: ReadonlyArray<RunEvent>): ReadonlyArray<number> => {
  const reused = new Set<string>()
  for (const event of events) {
    if (event.type === "CallCompleted" && event.reused === true)
      reused.add(`${event.key}#${event.occurrence}`)
  }
  return events
    .flatMap((event) =>
      event.type === "CallScheduled" && !reused.has(`${event.key}#${event.occurrence}`) ? [event.n] : []
    )
    .sort((a, b) => a - b)
}

describe("--reuse", () => {
  it.effect("is kept by the run: who goes on with it pays for nothing the other run has answered", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const base = paidRegistry()
      const steps = (first: string) =>
        Effect.gen(function* () {
          const h = yield* Hooks
          yield* h.agent(first)
          for (let n = 0; n < 10; n++) yield* h.agent(`step ${n}`)
        })
      const one = yield* Alembic.runProgram({ program: "one", goal: "g" }, steps("a")).pipe(
        Effect.provide(engineOn(disk, base.layer))
      )
      const asked = yield* Deferred.make<void>()
      const hangs = paidRegistry({
        answer: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      })
      const two = { program: "two", goal: "g" }
      const running = yield* Effect.forkChild(
        Alembic.runProgram({ ...two, reuse: one.runId ?? "" }, steps("b")).pipe(
          Effect.provide(engineOn(disk, hangs.layer))
        )
      )
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(running)
      const after = paidRegistry()
      const summary = yield* Alembic.runProgram(two, steps("b")).pipe(
        Effect.provide(engineOn(disk, after.layer, { pid: 2 }))
      )
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.strictEqual(summary.calls.cached, 10)
      assert.deepStrictEqual(after.made, ["b"])
    })
  )

  it.effect(
    "pays again for exactly the calls that a dry run foretells, over 50 edits of a 100-call plan",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const real = paidRegistry({
          answer: (input) => Effect.succeed(said(`<${input.prompt.slice(0, 200)}>`))
        })
        const base = yield* Alembic.runProgram({ program: "plan", goal: "g" }, plan(words)).pipe(
          Effect.provide(engineOn(disk, real.layer))
        )
        assert.strictEqual(real.made.length, 100)
        let some = 0
        for (const [index, [name, edited]] of edits.entries()) {
          const attempt = (program: string, registry: typeof real) => {
            const events: Array<RunEvent> = []
            const spec = {
              program: `${program} ${index}`,
              goal: "g",
              reuse: base.runId ?? "",
              observe: (event: RunEvent) => Effect.sync(() => void events.push(event))
            }
            return Alembic.runProgram(spec, plan(edited)).pipe(
              Effect.provide(engineOn(disk, registry.layer)),
              Effect.map((summary) => ({ summary, paid: paidFor(events) }))
            )
          }
          const made = paidRegistry({ answer: (input) => Effect.succeed(said(`made up ${input.cacheKey}`)) })
          const foretold = yield* attempt("dry", made)
          const before = real.made.length
          const reality = yield* attempt("real", real)
          assert.strictEqual(reality.summary.status, "completed", name)
          assert.deepStrictEqual(foretold.paid, reality.paid, name)
          assert.strictEqual(real.made.length - before, reality.paid.length, name)
          if (name === "nothing changed") assert.strictEqual(reality.paid.length, 0)
          if (name.endsWith("changed") && name.startsWith("leaf"))
            assert.strictEqual(reality.paid.length, 4, name)
          some += reality.paid.length
        }
        assert.isAbove(some, 50)
      })
  )
})
