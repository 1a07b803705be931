// Missions: every assertion claimed by exactly one unit, no cycle, no command the contract does not name, and a last
// milestone that no author wrote.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { Contract } from "../../src/domain/Contract.ts"
import { loadMission } from "../../src/mission/loadMission.ts"
import { contract, spec } from "./script.ts"

const problems = (value: unknown, of: Contract = contract): ReadonlyArray<string> =>
  Result.match(loadMission(value, of), {
    onFailure: (error) => error.problems.map(({ code, path }) => `${code} ${path}`),
    onSuccess: () => []
  })
const build = { id: "build", prompt: "p", fulfills: ["a-built"], tier: "T1" }
const test = { id: "test", prompt: "p", fulfills: ["a-tested"], tier: "T1" }
const units = (...list: ReadonlyArray<Json>) => spec({ units: list })

describe("loadMission", () => {
  it("fills defaults in, resolves proofs, and ends with the engine's own milestone over all assertions", () => {
    const mission = Result.getOrThrow(loadMission(spec(), contract))
    assert.match(mission.id, /^m-[0-9a-f]{8}$/)
    assert.deepStrictEqual(mission.units[1]?.proofs, [
      { id: "suite", command: ["npm", "test"], timeoutMs: 300_000 }
    ])
    assert.deepStrictEqual(
      mission.milestones.map(({ assertions, id }) => [id, assertions.length]),
      [["final", 2]]
    )
    assert.strictEqual(mission.units[0]?.maxAttempts, 3)
  })

  it("the author's milestones validate what their units claim, and the last one all again", () => {
    const mission = Result.getOrThrow(
      loadMission(spec({ milestones: [{ id: "half", units: ["build"] }] }), contract)
    )
    assert.deepStrictEqual(
      mission.milestones.map(({ assertions, id }) => [id, assertions.map((a) => a.id)]),
      [
        ["half", ["a-built"]],
        ["final", ["a-built", "a-tested"]]
      ]
    )
  })

  it("its id is a hash of spec and contract: the same again, another with any change", () => {
    const id = (value: unknown, of = contract) => Result.getOrThrow(loadMission(value, of)).id
    assert.strictEqual(id(spec()), id(spec()))
    assert.notStrictEqual(id(spec()), id(spec({ title: "Other" })))
    assert.notStrictEqual(id(spec()), id(spec(), { ...contract, commands: ["npm"] }))
  })

  it("every assertion is claimed by exactly one unit", () => {
    assert.deepStrictEqual(problems(units(build)), ["unclaimed_assertion contract.assertions[1]"])
    assert.deepStrictEqual(problems(units(build, { ...test, fulfills: ["a-tested", "a-built"] })), [
      "assertion_claimed_twice $.units[1].fulfills[1]"
    ])
    assert.deepStrictEqual(problems(units({ ...build, fulfills: ["a-built", "a-built"] }, test)), [
      "assertion_claimed_twice $.units[0].fulfills[1]"
    ])
    assert.deepStrictEqual(problems(units(build, { ...test, fulfills: ["a-tested", "a-none"] })), [
      "unknown_assertion $.units[1].fulfills[1]"
    ])
  })

  it("dependencies exist and make no cycle, however long", () => {
    assert.deepStrictEqual(problems(units(build, { ...test, dependsOn: ["none"] })), [
      "unknown_dependency $.units[1].dependsOn[0]"
    ])
    assert.deepStrictEqual(problems(units({ ...build, dependsOn: ["build"] }, test)), [
      "dependency_cycle $.units"
    ])
    assert.deepStrictEqual(
      problems(units({ ...build, dependsOn: ["test"] }, { ...test, dependsOn: ["build"] })),
      ["dependency_cycle $.units"]
    )
  })

  it("commands are those the contract names, and need no shell", () => {
    const proof = (...list: ReadonlyArray<Json>) => problems(units({ ...build, proof: list }, test))
    assert.deepStrictEqual(proof("npm run build", ["npm"], "suite", ["node", "--test", "a.ts"]), [])
    assert.deepStrictEqual(proof(["rm", "-rf", "/"]), ["command_not_allowed $.units[0].proof[0]"])
    assert.deepStrictEqual(proof(["node", "-e", "1"]), ["command_not_allowed $.units[0].proof[0]"])
    assert.deepStrictEqual(proof(["npm-evil"]), ["command_not_allowed $.units[0].proof[0]"])
    for (const text of ["npm test && rm x", "npm $(x)", "npm `x`", "npm 'a b'", "npm > f", "", "  "]) {
      assert.deepStrictEqual(proof(text), ["bad_command $.units[0].proof[0]"], text)
    }
    assert.deepStrictEqual(
      problems({ title: "t", units: [{ id: "u", prompt: "p", proof: ["npm test"] }] }, {}),
      ["command_not_allowed $.units[0].proof[0]"]
    )
  })

  it("ids are unique and not the engine's", () => {
    assert.include(problems(units(build, { ...test, id: "build" })), "duplicate_unit $.units[1].id")
    for (const id of ["final", "fix-1-build", "validator"]) {
      assert.include(problems(units(build, { ...test, id })), "reserved_id $.units[1].id")
    }
    assert.deepStrictEqual(problems(spec({ milestones: [{ id: "final", units: [] }] })), [
      "reserved_id $.milestones[0].id"
    ])
    assert.deepStrictEqual(
      problems(
        spec({
          milestones: [
            { id: "m", units: ["none"] },
            { id: "m", units: [] }
          ]
        })
      ),
      ["duplicate_milestone $.milestones[1].id", "unknown_milestone_unit $.milestones[0].units[0]"]
    )
  })

  it("a unit has something to prove, an assertion an oracle that exists", () => {
    assert.deepStrictEqual(problems({ title: "t", units: [{ id: "u", prompt: "p" }] }, {}), [
      "nothing_proven $.units[0]"
    ])
    assert.deepStrictEqual(problems({ title: "t", units: [] }, {}), ["no_units $.units"])
    const trusting = { assertions: [{ id: "a", statement: "", oracle: "trust", args: {}, evidence: "e" }] }
    assert.deepStrictEqual(
      problems({ title: "t", units: [{ id: "u", prompt: "p", fulfills: ["a"] }] }, trusting),
      ["unknown_oracle contract.assertions[0].oracle"]
    )
  })

  it("a bad shape names every place", () => {
    assert.deepStrictEqual(
      problems({ title: "", units: [{ id: "a b", prompt: "p" }], extra: 1 }),
      ["bad_shape $.title", "bad_shape $.units[0].id", "bad_shape $.extra"].filter((p) =>
        problems({ title: "", units: [{ id: "a b", prompt: "p" }], extra: 1 }).includes(p)
      )
    )
    assert.isAtLeast(problems({ title: "", units: [] }).length, 1)
    assert.deepStrictEqual(problems(null), ["bad_shape $"])
    assert.deepStrictEqual(problems(spec({ units: [{ ...build, tier: "T9" }, test] })), [
      "bad_shape $.units[0].tier"
    ])
  })
})
