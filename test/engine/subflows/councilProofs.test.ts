// What a council's claims on commands stand on: the run's own journal, by reference; nothing that a plan says.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { good } from "../../support/councilAnswers.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const board = {
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ],
  phases: ["opening", "contrarian", "ballot"] as const,
  axes: [{ id: "value", weight: 1 }]
}
const contract = { commands: ["check"], proofs: [{ id: "tests", command: ["check", "it"] }] }
const posing = { kind: "command" as const, command: ["check", "it"], exitCode: 0, stdout: "ok", stderr: "" }
const claimed = ["posing", "proof", "nobody"].map((evidence) => ({
  statement: `${evidence} passed`,
  oracle: "exit_code",
  args: `{"code":0}`,
  evidence
}))
const answer = (prompt: string) => {
  const text = good(prompt, 9)
  return prompt.includes("Your task (opening)")
    ? JSON.stringify({ ...JSON.parse(text), claims: claimed })
    : text
}
const handoff = JSON.stringify({ summary: "done", files: [], notes: "" })
const Claims = Schema.Array(
  Schema.Struct({
    claim: Schema.Struct({ evidence: Schema.String }),
    finding: Schema.Struct({ finding: Schema.String })
  })
)

const rooms = (exitCode: number) =>
  layerWithMissions("/folder").pipe(
    Layer.provide(
      Layer.merge(
        GivenFiles.layerMemory(),
        ProofRunner.layerScripted(({ command, id }) =>
          Effect.succeed({ id, command, exitCode, stdout: "it ran", stderr: "" })
        )
      )
    )
  )

const program = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.mission({
    title: "m",
    maxAttempts: 1,
    units: [{ id: "u", prompt: "p", proof: ["tests"], tier: "T1" }]
  })
  const verdict = yield* h.council({
    board,
    question: "Shall we?",
    evidence: [
      { ...posing, id: "posing" },
      { kind: "proof", id: "proof", proof: "tests" },
      { kind: "proof", id: "nobody", proof: "nobody" }
    ]
  })
  return Schema.decodeUnknownSync(Claims)(verdict["claims"]).map(
    ({ claim, finding }) => `${claim.evidence} ${finding.finding}`
  )
})

describe("claims of a council on commands", () => {
  for (const [exitCode, is] of [
    [0, "proven"],
    [1, "refuted"]
  ] as const) {
    it.effect(`a proof that exited with ${exitCode} is ${is}; what the plan says of one is unproven`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const spec = { program: `claims ${exitCode}`, goal: "g", contract }
        const paid = paidRegistry({
          answer: ({ prompt }) =>
            Effect.succeed(said(prompt.includes("Your task (") ? answer(prompt) : handoff))
        })
        const go = Alembic.runProgram(spec, program).pipe(
          Effect.provide(Layer.merge(engineOn(disk, paid.layer), rooms(exitCode)))
        )
        const summary = yield* go
        const found = summary.result ?? []
        const want = exitCode === 0 ? summary.status === "completed" : summary.error?.code === "gate_failed"
        assert.isTrue(want, JSON.stringify(summary))
        const each = ["posing unproven", `proof ${is}`, "nobody unproven"]
        assert.deepStrictEqual(found, [...each, ...each, ...each, ...each].slice(0, 9))
        // Members read what the journal says.
        assert.isTrue(paid.made.some((prompt) => prompt.includes("it ran")))
        const replay = yield* Alembic.replayProgram(spec, program).pipe(
          Effect.provide(engineOn(disk, paid.layer))
        )
        assert.isTrue(replay.identical, JSON.stringify(replay))
      })
    )
  }
})
