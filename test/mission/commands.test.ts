// Allowed commands: word for word.
import { assert, describe, it } from "@effect/vitest"
import { isAllowed, wordsOf } from "../../src/mission/commands.ts"

describe("isAllowed", () => {
  const contract = { commands: ["npm run", "make"], proofs: [{ id: "p", command: ["cargo", "test"] }] }

  it("an entry allows what begins with its words", () => {
    for (const words of [["npm", "run", "x"], ["npm", "run"], ["make"], ["make", "all"], ["cargo", "test"]])
      assert.isTrue(isAllowed(contract, words), words.join(" "))
  })

  it("and nothing else", () => {
    for (const words of [
      ["npm"],
      ["npm", "exec"],
      ["npm", "runx"],
      ["/tmp/make"],
      ["cargo", "test", "--evil"],
      ["cargo"],
      []
    ])
      assert.isFalse(isAllowed(contract, words), words.join(" "))
    assert.isFalse(isAllowed({}, ["npm"]))
    assert.isFalse(isAllowed({ commands: ["", "a|b"] }, ["x"]))
  })
})

describe("wordsOf", () => {
  it("splits plain words and refuses what a shell would read", () => {
    assert.deepStrictEqual(wordsOf(" npm  test "), ["npm", "test"])
    for (const text of ["a;b", "a|b", "$HOME", "a\nb", "~/x", "a*", '"a"', ""])
      assert.isUndefined(wordsOf(text), text)
  })
})
