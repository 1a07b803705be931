// Units: exact factors inside a dimension, nothing across dimensions, nothing by guess.
import { assert, describe, it } from "@effect/vitest"
import { decimalFromNumber, sameDecimal } from "../../src/domain/decimal.ts"
import { inOneUnit } from "../../src/verifier/units.ts"

const same = (a: number, unitA: string, b: number, unitB: string): boolean | undefined => {
  const [x, y] = [decimalFromNumber(a), decimalFromNumber(b)]
  if (x === undefined || y === undefined) return undefined
  const pair = inOneUnit(x, unitA, y, unitB)
  return pair === undefined ? undefined : sameDecimal(...pair)
}

describe("units", () => {
  it("converts exactly inside a dimension", () => {
    assert.isTrue(same(1.5, "h", 90, "min"))
    assert.isTrue(same(1, "GiB", 1024, "MiB"))
    assert.isTrue(same(1, "B", 8, "bit"))
    assert.isTrue(same(0.7, "%", 7, "‰"))
    assert.isTrue(same(0.1, "km", 100, "m"))
    assert.isFalse(same(1, "MiB", 1, "MB"))
  })

  it("knows no factor across dimensions, for ambiguous names, or for look-alikes", () => {
    assert.isUndefined(same(1, "s", 1, "m"))
    assert.isUndefined(same(1, "KB", 1000, "B"))
    assert.isUndefined(same(1, "\u03bcs", 1000, "ns"))
    assert.isUndefined(same(1, "MS", 1, "ms"))
  })

  it("an unknown unit is equal to itself", () => {
    assert.isTrue(same(1, "widgets", 1, "widgets"))
  })
})
