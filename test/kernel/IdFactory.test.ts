// Ids: counted ones are the same in every run, monotonic ones sort by age and never meet another process's.
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { IdFactory } from "../../src/kernel/IdFactory.ts"

const take = (count: number) =>
  Effect.flatMap(IdFactory, (ids) => Effect.forEach(Array.from({ length: count }), () => ids.next("q")))
const fresh = <A, E, R>(self: Effect.Effect<A, E, R | IdFactory>) =>
  Effect.provide(self, Layer.fresh(IdFactory.layerMonotonic))

describe("IdFactory", () => {
  it.effect("counts each kind from 1", () =>
    Effect.gen(function* () {
      const ids = yield* IdFactory
      const seen = yield* Effect.forEach(["q", "q", "run", "q"], ids.next)
      assert.deepStrictEqual(seen, ["q-1", "q-2", "run-1", "q-3"])
    }).pipe(Effect.provide(IdFactory.layerCounter))
  )

  it.effect("monotonic ids sort as they were made, also when the clock goes back", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      yield* Effect.gen(function* () {
        const factory = yield* IdFactory
        // Past the largest count of four digits in one millisecond would take 1.6 million ids.
        for (const at of [1_700_000_000_000, 1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_001]) {
          yield* TestClock.setTime(at)
          for (let n = 0; n < 500; n++) ids.push(yield* factory.next("q"))
        }
      }).pipe(fresh)
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("two factories at the same moment make different ids, unless their randomness is the same", () =>
    Effect.gen(function* () {
      const [a, b] = yield* Effect.all([fresh(take(1000)), fresh(take(1000))])
      assert.strictEqual(new Set([...a, ...b]).size, 2000)
      const seeded = Random.withSeed(fresh(take(10)), "seed")
      assert.deepStrictEqual(yield* seeded, yield* seeded)
    })
  )

  it.live("four real processes at once make different ids", () =>
    Effect.gen(function* () {
      const program = `
        const { Effect } = await import("effect")
        const { IdFactory } = await import(${JSON.stringify(new URL("../../src/kernel/IdFactory.ts", import.meta.url).href)})
        const take = Effect.flatMap(IdFactory, (ids) => Effect.forEach(Array.from({ length: 2000 }), () => ids.next("q")))
        console.log((await Effect.runPromise(Effect.provide(take, IdFactory.layerMonotonic))).join("\\n"))`
      const run = promisify(execFile)
      const outputs = yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 4 }, () =>
            run(process.execPath, ["--input-type=module", "-e", program], {
              cwd: new URL("../..", import.meta.url)
            })
          )
        )
      )
      const ids = outputs.flatMap(({ stdout }) => stdout.trim().split("\n"))
      assert.strictEqual(ids.length, 8000)
      assert.strictEqual(new Set(ids).size, 8000)
    })
  )
})
