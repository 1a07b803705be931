// The ReplayQueue's invariants, by number.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { IssuedCall } from "../../../src/engine/calls/CallBook.ts"
import { ReplayQueue } from "../../../src/engine/replay/ReplayQueue.ts"
import { dice } from "../../support/dice.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

const callOf = (n: number): IssuedCall => ({
  n,
  id: `k#${n}`,
  ref: { key: "k", occurrence: n },
  verb: "agent",
  identity: { verb: "agent" },
  options: undefined,
  phase: undefined,
  site: undefined,
  chain: [],
  refusal: undefined
})

describe("ReplayQueue", () => {
  it.prop("K1: gives the lowest rank that was put and neither taken nor dropped", [Seed], ([seed]) => {
    const random = dice(seed)
    const ranked = new ReplayQueue()
    const there = new Set<number>()
    for (let step = 0; step < 300; step++) {
      const rank = random.below(100)
      switch (random.below(4)) {
        case 0:
        case 1:
          ranked.put(rank, callOf(rank))
          there.add(rank)
          break
        case 2:
          ranked.drop(rank)
          there.delete(rank)
          break
        default: {
          const least = there.size === 0 ? undefined : Math.min(...there)
          assert.strictEqual(ranked.takeFirst()?.n, least)
          if (least !== undefined) there.delete(least)
        }
      }
      assert.strictEqual(ranked.size, there.size)
    }
  })

  it("K2: what was dropped weighs nothing for long, and the rest comes in order", () => {
    const ranked = new ReplayQueue()
    for (let rank = 20_000; rank > 0; rank--) ranked.put(rank, callOf(rank))
    for (let rank = 1; rank <= 20_000; rank++) {
      if (rank % 100 !== 0) ranked.drop(rank)
      assert.isAtMost(ranked.weight, ranked.size * 2 + 64)
    }
    const taken = Array.from({ length: 201 }, () => ranked.takeFirst()?.n)
    assert.deepStrictEqual(taken, [...Array.from({ length: 200 }, (_, n) => (n + 1) * 100), undefined])
  })
})
