// Exact decimals: order and distance agree with the integers they stand for.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  compareDecimal,
  compares,
  decimalFromText,
  distance,
  Ops,
  sameDecimal
} from "../../src/domain/decimal.ts"

const read = (text: string) => {
  const value = decimalFromText(text)
  if (value === undefined) throw new Error(`${text} is not a decimal`)
  return value
}
const Whole = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 })))
const Places = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 6 })))

describe("decimal", () => {
  it.prop("orders as the integers do, at any scale", [Whole, Whole, Places], ([a, b, places]) => {
    const scaled = (n: number) => read(`${n}e-${places}`)
    assert.strictEqual(compareDecimal(scaled(a), scaled(b)), Math.sign(a - b) + 0)
    assert.isTrue(sameDecimal(distance(scaled(a), scaled(b)), scaled(Math.abs(a - b))))
  })

  it("is one number however it is written", () => {
    for (const text of ["1", "1.0", "10e-1", "0.1E+1", "1.000"])
      assert.isTrue(sameDecimal(read(text), read("1")), text)
    assert.isTrue(sameDecimal(read("-0"), read("0")))
    assert.isTrue(sameDecimal(read("-0.5"), read("-5e-1")))
    assert.strictEqual(compareDecimal(read("-0.5"), read("0")), -1)
  })

  it("takes JSON's numbers only", () => {
    for (const text of [
      "1,5",
      "1_000",
      "0x1",
      "１",
      "½",
      "",
      " 1",
      "1 ",
      "--1",
      "Infinity",
      "NaN",
      "1e1000",
      "01"
    ]) {
      assert.isUndefined(decimalFromText(text), text)
    }
  })

  it.prop("each comparison is the negation of another", [Whole, Whole], ([a, b]) => {
    const [x, y] = [read(String(a)), read(String(b))]
    assert.strictEqual(compares("lt", x, y), !compares("ge", x, y))
    assert.strictEqual(compares("gt", x, y), !compares("le", x, y))
    assert.strictEqual(compares("eq", x, y), !compares("ne", x, y))
    assert.strictEqual(Ops.filter((op) => compares(op, x, y)).length, 3)
  })
})
