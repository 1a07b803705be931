// Patterns of schemas never hold the host: all run in linear time, and mean what ECMAScript says they mean.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { patternProblem } from "../../../src/schema/schemaProblems.ts"
import { Validator } from "../../../src/schema/validator.ts"
import { compileSchema } from "../../../src/adapters/structured/structuredOutput.ts"

const explosive = ["^(a+)+$", "^(a|a)*$", "^(\\w+\\s?)*$", "^([a-zA-Z]+)*$", "^(.*a){12}$", "a*a*a*a*a*b"]
const hostile = `${"a".repeat(50_000)}!`

const soon = (f: () => void) => {
  const from = performance.now()
  f()
  assert.isBelow(performance.now() - from, 3_000)
}
const fits = (schema: { readonly [key: string]: Json }, value: Json): boolean =>
  Result.getOrThrow(new Validator(schema).issuesOf(value)).length === 0

describe("patterns of schemas", () => {
  for (const pattern of explosive) {
    it(`${pattern} ends soon on hostile text: in an answer, in a name, in the schema's own values`, () => {
      const { issuesOf } = Result.getOrThrow(
        compileSchema({
          type: "object",
          properties: { a: { type: "string", pattern } },
          required: ["a"],
          patternProperties: { [pattern]: { maxLength: 60_000 } }
        })
      )
      soon(() => {
        const [issue] = issuesOf({ a: hostile, [hostile]: 1 })
        assert.deepInclude(issue, { path: "$.a", problem: `String does not match pattern ${pattern}.` })
      })
      soon(() => void compileSchema({ enum: [hostile], pattern }))
    })
  }

  it("the same texts match as by ECMAScript's own engine, as a pattern and as a name's", () => {
    const texts = [
      "",
      "a",
      "A",
      "é",
      "0",
      "_",
      "-",
      " ",
      "\t",
      "\n",
      "\v",
      "\f",
      "\r",
      "\u0085",
      "\u00a0",
      "\u1680"
    ]
      .concat([
        "\u180e",
        "\u2003",
        "\u200b",
        "\u2028",
        "\u2029",
        "\u202f",
        "\u205f",
        "\u3000",
        "\ufeff",
        "٣",
        "😀"
      ])
      .flatMap((char) => [char, `x${char}`, `${char}y`, `x${char}y`, `a\n${char}`])
    const patterns = [
      "^\\s$",
      "^\\S$",
      "\\s",
      "\\S",
      "^.$",
      "^x.y$",
      "\\w",
      "\\W",
      "\\d",
      "\\D",
      "\\bx",
      "x\\b",
      "x\\B"
    ]
      .concat([
        "[\\s_]",
        "[^\\s]",
        "[^\\w]",
        "^[\\S]$",
        "^$",
        "a$",
        "\\u00a0",
        "\\x41",
        "\\cJ",
        "\\p{L}",
        "\\P{L}"
      ])
      .concat([
        "\\p{Lu}",
        "\\p{Letter}",
        "\\p{Script=Latin}",
        "^(?:x|y)+$",
        "^x{1,2}y?$",
        "^(?<n>x)y",
        "[a-c\\-]"
      ])
      .concat([
        "^(?=.*y)x",
        "^(?!.*y)x",
        "^(?=x)(?!.*a).{2,}$",
        "^\\u{1F600}$",
        "\\uD83D\\uDE00",
        "[^\\n]",
        "\\/|\\."
      ])
    for (const pattern of patterns) {
      assert.isUndefined(patternProblem(pattern), pattern)
      for (const text of texts) {
        const wanted = new RegExp(pattern, "u").test(text)
        assert.strictEqual(fits({ pattern }, text), wanted, `${pattern} on ${JSON.stringify(text)}`)
        const named = fits({ patternProperties: { [pattern]: false } }, { [text]: 1 })
        assert.strictEqual(!named, wanted, `name: ${pattern} on ${JSON.stringify(text)}`)
      }
    }
  })

  it("repetitions over a thousand, and within each other, are written out", () => {
    assert.isTrue(fits({ pattern: "^.{1,2000}$" }, "x".repeat(2_000)))
    assert.isFalse(fits({ pattern: "^.{1,2000}$" }, "x".repeat(2_001)))
    const host = "^(?:[a-z]{1,63}\\.){1,20}[a-z]{2,}$"
    assert.isTrue(fits({ pattern: host }, "www.example.com"))
    assert.isFalse(fits({ pattern: host }, `${"a".repeat(64)}.com`))
  })

  it("a property or a value that is called pattern is none", () => {
    const schema = { properties: { pattern: { type: "string" } }, const: { pattern: "(a+)+$" } }
    assert.isTrue(fits(schema, { pattern: "(a+)+$" }))
  })

  it("what has no linear answer is refused by its place", () => {
    for (const pattern of [
      "^(a+)+(?=b)$",
      "^(a|b)*\\1$",
      "(",
      "x(?<!a)b",
      "(?=a)b",
      "^a|(?=b)",
      "(a{999}){999}"
    ])
      assert.isDefined(patternProblem(pattern), pattern)
    const refused = compileSchema({ properties: { a: { patternProperties: { "^(a+)+\\1$": true } } } })
    assert.include(
      Result.isFailure(refused) ? refused.failure.message : "",
      "$.properties.a.patternProperties"
    )
  })
})
