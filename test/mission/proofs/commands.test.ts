// Allowed commands: word for word, a path inside at each free place, and no option behind a bare prefix.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Contract } from "../../../src/domain/Contract.ts"
import { allowedBy, wordsOf } from "../../../src/mission/proofs/commands.ts"
import { runMission } from "../../../src/mission/runMission.ts"
import { scripted } from "../script.ts"

const isAllowed = (contract: Contract, words: ReadonlyArray<string>) =>
  allowedBy(contract, words) !== undefined

describe("a pattern", () => {
  const contract = { commands: ["node --check <file>", "node --test <files...>"] }

  it("allows its words with a path inside at each free place", () => {
    assert.deepStrictEqual(allowedBy(contract, ["node", "--check", "a/b.mjs"]), { places: ["a/b.mjs"] })
    assert.deepStrictEqual(allowedBy(contract, ["node", "--test", "a", "b"]), { places: ["a", "b"] })
  })

  it("and no fewer, no more, no option, no path elsewhere", () => {
    for (const rest of [
      ["--check"],
      ["--check", "a", "b"],
      ["--check", "--require"],
      ["--check", "-r"],
      ["--check", "@args"],
      ["--check", "+x"],
      ["--check", "\u2212e"],
      ["--check", "/etc/hosts"],
      ["--check", "../a"],
      ["--check", "a/../../b"],
      ["--check", ""],
      ["--check", "<file>", "x"],
      ["--require", "./evil.cjs", "--check", "a"],
      ["--test"],
      ["--test", "a", "--require=./evil.cjs"],
      []
    ])
      assert.isFalse(isAllowed(contract, ["node", ...rest]), rest.join(" "))
    for (const odd of ["<program> a", "node <files...> a", "node <a b>", "node <>", "node a|b"])
      assert.isFalse(isAllowed({ commands: [odd] }, ["node", "a"]), odd)
  })
})

describe("a bare prefix", () => {
  const contract = { commands: ["npm run", "make"], proofs: [{ id: "p", command: ["cargo", "test"] }] }

  it("allows itself, and operands that are no options, and is told", () => {
    for (const words of [["npm", "run"], ["make"], ["cargo", "test"]])
      assert.deepStrictEqual(allowedBy(contract, words), { places: [] }, words.join(" "))
    assert.deepStrictEqual(allowedBy(contract, ["npm", "run", "x"]), { places: [], prefix: "npm run" })
  })

  it("and nothing else", () => {
    for (const words of [
      ["npm"],
      ["npm", "exec"],
      ["npm", "runx"],
      ["npm", "run", "x", "--evil"],
      ["make", "-f", "evil.mk"],
      ["make", "--", "x"],
      ["/tmp/make"],
      ["cargo", "test", "--evil"],
      ["cargo"],
      []
    ])
      assert.isFalse(isAllowed(contract, words), words.join(" "))
    assert.isFalse(isAllowed({}, ["npm"]))
    assert.isFalse(isAllowed({ commands: ["", "a|b"] }, ["x"]))
  })

  it.effect("the Scope gate says which", () =>
    Effect.gen(function* () {
      const { ports } = scripted()
      const spec = { title: "t", units: [{ id: "u", prompt: "p", proof: ["make all"], tier: "T1" }] }
      const told = yield* runMission(spec, contract, ports)
      assert.include(told.gates[0]?.detail, '"make" under commands has no free place')
      const exact = yield* runMission(spec, { commands: ["make <target>"] }, ports)
      assert.strictEqual(exact.gates[0]?.detail, "nothing to compare")
    })
  )
})

describe("wordsOf", () => {
  it("splits plain words and refuses what a shell would read", () => {
    assert.deepStrictEqual(wordsOf(" npm  test "), ["npm", "test"])
    for (const text of ["a;b", "a|b", "$HOME", "a\nb", "~/x", "a*", '"a"', ""])
      assert.isUndefined(wordsOf(text), text)
  })
})
