// Strict JSON: reads what JSON.parse reads, but for documents with two meanings and numbers that lose digits.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { strictJson } from "../../../src/domain/json/strictJson.ts"

const read = (text: string) => Result.getOrThrow(strictJson(text))

describe("strictJson", () => {
  it.prop("reads every JSON value as JSON.parse does", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    // A lone surrogate, which JSON.parse lets through, is an error here.
    if (!/\\ud[89a-f]/.test(text)) assert.deepStrictEqual(read(text).value, JSON.parse(text))
  })

  it("refuses what JSON.parse refuses", () => {
    const bad = [
      "",
      "{",
      "[1,]",
      '{"a":1,}',
      "01",
      "+1",
      ".5",
      "1.",
      "NaN",
      "'a'",
      '"a',
      '"\\x"',
      '"\n"',
      "1 2",
      "nul",
      "{a:1}",
      "[1 2]",
      '{"a" 1}',
      "-",
      "\ufeff1"
    ]
    for (const text of bad) {
      assert.throws(() => JSON.parse(text))
      assert.isTrue(Result.isFailure(strictJson(text)), text)
    }
  })

  it("refuses a key that stands twice, however it is written", () => {
    assert.isTrue(Result.isFailure(strictJson('{"a":1,"a":1}')))
    assert.isTrue(Result.isFailure(strictJson('{"a":1,"\\u0061":2}')))
    assert.isTrue(Result.isFailure(strictJson('[{"x":{"y":1,"y":2}}]')))
  })

  it("refuses a lone surrogate and a document nested too deep", () => {
    assert.isTrue(Result.isFailure(strictJson('"\\ud800"')))
    assert.isTrue(Result.isFailure(strictJson("[".repeat(300) + "]".repeat(300))))
  })

  it("says where a number lost digits", () => {
    assert.deepStrictEqual(read('{"a/b":[1, 9007199254740993], "c": 0.1}').lossy, ["/a~1b/1"])
    assert.deepStrictEqual(read("1e999").lossy, [""])
    assert.deepStrictEqual(read("[1.0, 1e2, -0, 0.30, 1E-7]").lossy, [])
  })

  it("keeps __proto__ an ordinary key", () => {
    const { value } = read('{"__proto__":{"x":1}}')
    assert.deepStrictEqual(Object.keys(Object(value)), ["__proto__"])
    assert.isUndefined(Object(value).x)
  })

  it("says at which offset it stopped", () => {
    assert.deepInclude(Result.merge(strictJson('{"a": tru}')), { offset: 6 })
  })
})
