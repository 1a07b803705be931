// The types that an editor completes a mission and a council by are the shapes of the Schemas that check them. That
// they are is the type check's to say (`tsc`); that they are written as they are checked, the assertions'.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { BoardFile } from "../../../src/council/Board.ts"
import { CouncilSpec as CheckedCouncil } from "../../../src/council/Pack.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { MissionSpec as CheckedMission } from "../../../src/mission/Mission.ts"
import type { BoardSpec, CouncilSpec, MissionSpec } from "../../../src/plan/hooks/HookSpecs.ts"

// Each way: neither side has a member that the other has not, and both are plain JSON.
type Same<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : false) : false
const same: [
  Same<MissionSpec, typeof CheckedMission.Type>,
  Same<MissionSpec["units"][number], (typeof CheckedMission.Type)["units"][number]>,
  Same<BoardSpec, typeof BoardFile.Type>,
  Same<BoardSpec["members"][number], (typeof BoardFile.Type)["members"][number]>,
  Same<CouncilSpec, typeof CheckedCouncil.Type>
] = [true, true, true, true, true]
const checkedMission = (spec: MissionSpec): typeof CheckedMission.Type => spec
const writtenMission = (spec: typeof CheckedMission.Type): MissionSpec => spec
const checkedBoard = (spec: BoardSpec): typeof BoardFile.Type => spec
const writtenBoard = (spec: typeof BoardFile.Type): BoardSpec => spec
const checkedCouncil = (spec: CouncilSpec): typeof CheckedCouncil.Type => spec
const plain = (spec: MissionSpec | CouncilSpec): Json => spec

describe("the specs of plans", () => {
  it("are what is checked", () => {
    const mission: MissionSpec = {
      title: "t",
      units: [{ id: "a", prompt: "p", proof: ["tests", ["node", "--test"]], fulfills: ["x"], tier: "T2" }],
      milestones: [{ id: "half", units: ["a"] }]
    }
    const board: BoardSpec = {
      members: [{ id: "a", role: "contrarian" }],
      phases: ["opening", { phase: "ballot", members: ["a"] }]
    }
    const council: CouncilSpec = { board, question: "q", options: [{ id: "a", text: "b" }] }
    const strict = { onExcessProperty: "error" } as const
    for (const [schema, value] of [
      [CheckedMission, writtenMission(checkedMission(mission))],
      [BoardFile, writtenBoard(checkedBoard(board))],
      [CheckedCouncil, checkedCouncil(council)]
    ] as const)
      assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(schema, strict)(value)))
    assert.deepStrictEqual(plain(mission), mission)
    assert.notInclude(same, false)
  })
})
