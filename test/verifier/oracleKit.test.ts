// The kit holds the oracles of the specification, each under one name.
import { assert, describe, it } from "@effect/vitest"
import { oracleNamed, oracleNames } from "../../src/verifier/oracleKit.ts"

describe("oracleKit", () => {
  it("has every oracle of the specification, once", () => {
    const names = [
      "equality",
      "numeric",
      "containment",
      "quote",
      "regex",
      "json_schema",
      "json_pointer",
      "hash",
      "count",
      "set",
      "order",
      "date",
      "exit_code",
      "all",
      "any",
      "not"
    ]
    assert.deepStrictEqual([...oracleNames].sort(), names.sort())
    for (const name of oracleNames) assert.strictEqual(oracleNamed(name)?.name, name)
  })

  it("names nothing that an object inherits", () => {
    for (const name of ["constructor", "toString", "__proto__", "Equality", ""])
      assert.isUndefined(oracleNamed(name))
  })
})
