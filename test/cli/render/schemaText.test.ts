// A schema in short, as `alembic questions` shows what an answer must be.
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { schemaText } from "../../../src/cli/render/schemaText.ts"

const cases: ReadonlyArray<readonly [Json, string]> = [
  [{ type: "string" }, "string"],
  [{ type: "integer", minimum: 1, maximum: 5 }, "integer 1 to 5"],
  [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
  [{ type: ["string", "null"] }, "string | null"],
  [{ anyOf: [{ type: "number", minimum: 0 }, { const: "none" }] }, 'number from 0 | "none"'],
  [
    {
      type: "object",
      properties: { n: { type: "integer" }, why: { type: "array", items: { type: "string" } } },
      required: ["n"]
    },
    '{ "n": integer, "why"?: [string, …] }'
  ],
  [{ $ref: "#/$defs/Risk" }, "Risk"],
  [true, "any JSON"],
  [{}, "any JSON"]
]

describe("schemaText", () => {
  for (const [schema, text] of cases) it(text, () => assert.strictEqual(schemaText(schema), text))

  it("stays on one short line, however deep or wide, and draws nothing", () => {
    let deep: Json = { type: "string" }
    for (let n = 0; n < 50; n++) deep = { type: "object", properties: { [`k\u001b${n}`]: deep } }
    const text = schemaText(deep)
    assert.isAtMost(text.length, 200)
    assert.notMatch(text, /[\u001b\n]/)
  })
})
