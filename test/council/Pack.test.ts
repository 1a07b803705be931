// Packs: a question, and options that can be told apart.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { CouncilSpec, Pack } from "../../src/council/Pack.ts"

const isPack = Schema.is(Pack)

describe("Pack", () => {
  it("has a question; option ids are unique", () => {
    assert.isTrue(isPack({ question: "?" }))
    assert.isFalse(isPack({ question: "" }))
    const option = { id: "a", text: "A" }
    assert.isTrue(isPack({ question: "?", options: [option, { id: "b", text: "B" }] }))
    assert.isFalse(isPack({ question: "?", options: [option, option] }))
  })

  it("a council's spec is a pack with a board", () => {
    assert.isTrue(Schema.is(CouncilSpec)({ question: "?", board: "technical-decision" }))
    assert.isFalse(Schema.is(CouncilSpec)({ question: "?" }))
  })
})
