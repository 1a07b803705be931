// Patterns from plans never hold the host: risky ones run in linear time, and mean what they mean elsewhere.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { matches, patternProblem } from "../../src/adapters/schemaPatterns.ts"
import { compileSchema } from "../../src/adapters/structuredOutput.ts"

const explosive = ["^(a+)+$", "^(a|a)*$", "^(\\w+\\s?)*$", "^([a-zA-Z]+)*$", "^(.*a){12}$", "a*a*a*a*a*b"]
const hostile = `${"a".repeat(50_000)}!`

const soon = (f: () => void) => {
  const from = performance.now()
  f()
  assert.isBelow(performance.now() - from, 3_000)
}

describe("schemaPatterns", () => {
  for (const pattern of explosive) {
    it(`${pattern} ends soon on hostile text, in an answer and in the schema's own values`, () => {
      soon(() => assert.isFalse(matches(pattern, hostile)))
      const { issuesOf } = Result.getOrThrow(
        compileSchema({ type: "object", properties: { a: { type: "string", pattern } }, required: ["a"] })
      )
      soon(() => {
        const [issue] = issuesOf({ a: hostile })
        assert.deepInclude(issue, { path: "$.a", problem: `String does not match pattern ${pattern}.` })
      })
      soon(() => void compileSchema({ enum: [hostile], pattern }))
    })
  }

  it("the same texts match as without it", () => {
    const cases: ReadonlyArray<readonly [string, string, boolean]> = [
      ["^[a-z]+(-[a-z]+)*$", "kebab-case-name", true],
      ["^[a-z]+(-[a-z]+)*$", "kebab--case", false],
      ["(ab)+", "xxababxx", true],
      ["^(?:\\d{3}-)+\\d{4}$", "555-555-1234", true],
      ["^(é|ü)+$", "éü", true],
      ["^(?<a>x){2}$", "xx", true],
      ["^(?=.*[a-z])(?=.*\\d).{8,}$", "abcdefg1", true],
      ["^(?=.*[a-z])(?=.*\\d).{8,}$", "abcdefgh", false]
    ]
    for (const [pattern, text, wanted] of cases) {
      assert.strictEqual(matches(pattern, text), wanted, pattern)
      const { issuesOf } = Result.getOrThrow(compileSchema({ pattern }))
      assert.strictEqual(issuesOf(text).length === 0, wanted, pattern)
      assert.strictEqual(new RegExp(pattern, "u").test(text), wanted, pattern)
    }
  })

  it("a pattern beside a format and an allOf keeps both", () => {
    const schema = {
      type: "string",
      format: "email",
      allOf: [{ maxLength: 20 }],
      pattern: "^(\\w+@?)+\\.com$"
    }
    const { issuesOf } = Result.getOrThrow(compileSchema(schema))
    assert.deepStrictEqual(issuesOf("ab@cd.com"), [])
    assert.isNotEmpty(issuesOf("abcd.com"))
    assert.isNotEmpty(issuesOf("ab@cd.org"))
    assert.isNotEmpty(issuesOf("abcdefghijklmnop@cd.com"))
  })

  it("a property or a value that is called pattern is none", () => {
    const schema = { properties: { pattern: { type: "string" } }, const: { pattern: "(a+)+$" } }
    const { issuesOf } = Result.getOrThrow(compileSchema(schema))
    assert.deepStrictEqual(issuesOf({ pattern: "(a+)+$" }), [])
  })

  it("what can only be matched by backtracking for ever is refused", () => {
    assert.isDefined(patternProblem("^(a+)+(?=b)$"))
    assert.isDefined(patternProblem("^(a|b)*\\1$"))
    assert.isDefined(patternProblem("("))
    assert.isUndefined(patternProblem("^(?!x)[a-z]+$"))
    assert.isTrue(Result.isFailure(compileSchema({ pattern: "^(a+)+\\1$" })))
  })
})
