// Schemas that cannot be used are refused, with their place; those that can are not.
import { assert, describe, it } from "@effect/vitest"
import { schemaProblems } from "../../src/schema/schemaProblems.ts"
import { satisfiable, unusable } from "../support/schemas.ts"

describe("schemaProblems", () => {
  for (const [name, schema] of Object.entries(satisfiable)) {
    it(`accepts: ${name}`, () => assert.deepStrictEqual(schemaProblems(schema), []))
  }
  for (const [name, [schema, path]] of Object.entries(unusable)) {
    it(`refuses: ${name}`, () => {
      const [problem] = schemaProblems(schema)
      assert.isDefined(problem)
      assert.isTrue(problem?.path.startsWith(path), JSON.stringify(problem))
      assert.isNotEmpty(problem?.problem)
    })
  }

  it("a schema too deep to be walked is refused, one too large to be explored is taken", () => {
    const deep = JSON.parse(`${'{"items":'.repeat(3_000)}{}${"}".repeat(3_000)}`)
    assert.strictEqual(schemaProblems(deep).length, 1)
    const wide = {
      type: "object",
      required: Array.from({ length: 2_000 }, (_, n) => `p${n}`),
      properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { type: "string" }]))
    }
    assert.deepStrictEqual(schemaProblems(wide), [])
    // Every level doubles the branches: exploring all of them would take for ever.
    const level = (n: number): Record<string, unknown> =>
      n === 0
        ? { type: "integer" }
        : { anyOf: [level(n - 1), { allOf: [{ type: "string" }, { minLength: n }] }] }
    const from = performance.now()
    schemaProblems(JSON.parse(JSON.stringify(level(60))))
    assert.isBelow(performance.now() - from, 2_000)
  })
})
