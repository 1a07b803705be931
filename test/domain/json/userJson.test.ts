// What a person wrote wrong in a file of JSON, by its place.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { userJson } from "../../../src/domain/json/userJson.ts"

const problemOf = (text: string) =>
  Result.match(userJson(text), { onFailure: ({ message }) => message, onSuccess: String })

describe("userJson", () => {
  for (const [text, problem] of [
    ['{\n  "usd": 1e400\n}', "line 2, column 10: the number 1e400 is too large"],
    [
      '{"says": "not 1e400, \\"2e999\\"", "usd": -1e999}',
      "line 1, column 41: the number -1e999 is too large"
    ],
    ["[1, 2,]", "line 1, column 7: not a JSON value"],
    ["", "line 1, column 1: there is nothing"]
  ] as const) {
    it(JSON.stringify(text), () => assert.strictEqual(problemOf(text), problem))
  }
})
