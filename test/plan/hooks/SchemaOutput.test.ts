// What `h.agent` gives with a schema has the schema's type, without a cast; what the type cannot tell is JSON.
import { assert, expectTypeOf, it } from "@effect/vitest"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import type { PlanHooks } from "../../../src/plan.ts"
import type { SchemaOutput } from "../../../src/plan/hooks/SchemaOutput.ts"

const rating = {
  type: "object",
  properties: {
    risk: { type: "integer" },
    why: { type: ["string", "null"] },
    tags: { type: "array", items: { enum: ["a", "b"] } },
    at: { anyOf: [{ type: "number" }, { const: "never" }] }
  },
  required: ["risk", "tags"]
} as const

type Rating = SchemaOutput<typeof rating>

it("reads the type of an answer off a schema's literal", () => {
  expectTypeOf<Rating>().toEqualTypeOf<{
    readonly risk: number
    readonly tags: ReadonlyArray<"a" | "b">
    readonly why?: string | null
    readonly at?: number | "never"
  }>()
  expectTypeOf<SchemaOutput<{ readonly $ref: "#/x" }>>().toEqualTypeOf<Json>()
  expectTypeOf<SchemaOutput<{ type: string }>>().toEqualTypeOf<Json>()
  const plan = async (h: PlanHooks) => {
    const answer = await h.agent("How risky?", {
      schema: { type: "object", properties: { risk: { type: "integer" } }, required: ["risk"] }
    })
    const whole = await h.agent({ prompt: "Again", schema: rating })
    const plain = await h.agent("No schema")
    expectTypeOf(plain).not.toBeAny()
    return answer.ok && whole.ok ? answer.output.risk + whole.output.tags.length : 0
  }
  expectTypeOf(plan).returns.resolves.toEqualTypeOf<number>()
  assert.isFunction(plan)
})
