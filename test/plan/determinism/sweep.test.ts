// The textual sweep: mentions count, names that merely look alike do not.
import { assert, describe, it } from "@effect/vitest"
import { sweep } from "../../../src/plan/determinism/sweep.ts"

const found = (text: string): ReadonlyArray<string> =>
  sweep(text).map(({ construct, offset }) => `${offset} ${construct}`)

describe("sweep", () => {
  it("finds calls, mentions in comments and in strings, in the order of the text", () => {
    assert.deepStrictEqual(found("Date.now() // Math.random()\n'new Date()'"), [
      "0 Date.now()",
      "14 Math.random()",
      "29 new Date()"
    ])
  })

  it("finds them with spaces, optional, without parentheses", () => {
    assert.deepStrictEqual(found("Date\n  .now()"), ["0 Date.now()"])
    assert.deepStrictEqual(found("Date?.now?.()"), ["0 Date.now()"])
    assert.deepStrictEqual(found("new  Date( )"), ["0 new Date()"])
    assert.deepStrictEqual(found("a = new Date;"), ["4 new Date()"])
    assert.deepStrictEqual(found("a = new Date"), ["4 new Date()"])
  })

  it("leaves dates that are given, and other names", () => {
    assert.deepStrictEqual(
      found("new Date(0); new DateTime(); Date.nowhere; myDate.now(); xMath.random()"),
      []
    )
  })
})
