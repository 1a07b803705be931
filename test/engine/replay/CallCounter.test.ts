// The CallCounter's invariant: keys are counted apart.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { CallCounter } from "../../../src/engine/replay/CallCounter.ts"
import { dice } from "../../support/dice.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

describe("CallCounter", () => {
  it.prop("O1: the k-th time a key is given, it is told k", [Seed], ([seed]) => {
    const random = dice(seed)
    const counted = new CallCounter()
    const expected = new Map<string, number>()
    for (let step = 0; step < 600; step++) {
      const key = sha256(String(random.below(300)))
      const count = (expected.get(key) ?? 0) + 1
      expected.set(key, count)
      assert.strictEqual(counted.next(key), count)
    }
  })

  it("O1: keys that begin alike are counted apart, and so are twenty thousand others", () => {
    const counted = new CallCounter()
    const alike = Array.from({ length: 200 }, (_, n) => `00000000${sha256(String(n)).slice(8)}`)
    for (const key of alike) assert.strictEqual(counted.next(key), 1)
    for (let n = 0; n < 20_000; n++) counted.next(sha256(`other ${n}`))
    for (const key of alike) assert.strictEqual(counted.next(key), 2)
    assert.strictEqual(counted.next(sha256("other 0")), 2)
  })
})
