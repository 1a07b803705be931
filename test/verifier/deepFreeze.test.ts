// deepFreeze: everything reachable, arrays and null prototypes included.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { deepFreeze } from "../../src/verifier/deepFreeze.ts"

const frozen = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(frozen))

describe("deepFreeze", () => {
  it.prop("freezes all of any plain value and changes none of it", [Schema.Json], ([value]) => {
    const copy = structuredClone(value)
    assert.isTrue(frozen(deepFreeze(copy)))
    assert.deepStrictEqual(copy, value)
  })
})
