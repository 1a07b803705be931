// Orders of the openings: real permutations, all different, never the board's own, the same every time.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { permutations } from "../../src/council/permutations.ts"

const N = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 20 })))
const K = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 24 })))

describe("permutations", () => {
  it.prop("are different orders of the same things, other than their own", [N, K], ([n, k]) => {
    const found = permutations(n, k)
    const own = Array.from({ length: n }, (_, index) => index)
    assert.strictEqual(new Set(found.map(String)).size, found.length)
    for (const order of found) {
      assert.deepStrictEqual(
        [...order].sort((a, b) => a - b),
        own
      )
      assert.notDeepEqual(order, own)
    }
    assert.deepStrictEqual(permutations(n, k), found)
  })

  it("are as many as asked for, or as there are", () => {
    assert.strictEqual(permutations(5, 4).length, 4)
    assert.strictEqual(permutations(3, 24).length, 5)
    assert.strictEqual(permutations(1, 3).length, 0)
    assert.deepStrictEqual(permutations(3, 1), [[2, 1, 0]])
  })
})
