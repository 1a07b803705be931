// Whatever a contract asks for is decided before a run is completed, by whatever path its plan ends; no loss that is
// accepted opens a gate; and gates are calls of the run: resumed, replayed and paid once.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Stream } from "effect"
import type { Contract } from "../../../src/domain/Contract.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import type { ProgramSpec } from "../../../src/engine/program/runProgram.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { FolderHashes } from "../../../src/kernel/folder/FolderHashes.ts"
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
  phases: ["opening", "contrarian", "ballot"],
  axes: [{ id: "value", weight: 1 }]
}
const boards = { three: board }

const proofs = [{ id: "check", command: ["check", "it"] }]
const assertions = [
  { id: "checked", statement: "s", oracle: "exit_code", args: { code: 0 }, evidence: "proof:check" },
  { id: "written", statement: "s", oracle: "containment", args: { value: "yes" }, evidence: "file:out.txt" }
]

/** What the run leaves behind: how its proof exits, and what stands in out.txt. */
interface Left {
  exit: number
  text: string
}

const rooms = (left: Left, proved: Array<string> = []) =>
  layerWithMissions("/folder").pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(GivenFiles, { read: () => Effect.sync(() => new TextEncoder().encode(left.text)) }),
        Layer.succeed(FolderHashes, () =>
          Effect.sync(() => [["out.txt", `${left.text} ${left.exit}`] as const])
        ),
        ProofRunner.layerScripted(({ command, id }) =>
          Effect.sync(() => {
            proved.push(command.join(" "))
            return { id, command, exitCode: left.exit, stdout: "", stderr: "" }
          })
        )
      )
    )
  )

const handoff = JSON.stringify({ summary: "done", files: ["out.txt"], notes: "" })
const models = (score = 9) =>
  paidRegistry({
    answer: ({ prompt }) =>
      Effect.succeed(said(prompt.includes("Your task (") ? good(prompt, score) : handoff))
  })

const go = <A>(
  disk: MemoryDisk,
  left: Left,
  spec: ProgramSpec,
  program: Effect.Effect<A, never, Hooks>,
  more: {
    readonly made?: ReturnType<typeof models>
    readonly pid?: number
    readonly proved?: Array<string>
  } = {}
) =>
  Alembic.runProgram({ ...spec, boards }, program).pipe(
    Effect.provide(
      Layer.merge(
        engineOn(disk, (more.made ?? models()).layer, { pid: more.pid ?? 1 }),
        rooms(left, more.proved)
      )
    )
  )

const gatesOf = (disk: MemoryDisk, runId = "") =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const journal = yield* store.open(yield* store.runId(runId), "read")
      const events = yield* Stream.runCollect(journal.events)
      return events.flatMap((event) => (event.type === "GateDecided" ? [`${event.gate}:${event.pass}`] : []))
    })
  ).pipe(Effect.provide(engineOn(disk, models().layer, { pid: 9 })))

const sound: Left = { exit: 0, text: "yes" }
const plain = Effect.gen(function* () {
  const h = yield* Hooks
  const slot = yield* h.agent("Do it.")
  return slot.ok
})
const unit = { id: "u", prompt: "p", proof: ["check"], fulfills: ["checked", "written"], tier: "T1" as const }

describe("without a mission", () => {
  const cases: ReadonlyArray<readonly [string, Contract, Left, string]> = [
    [
      "proofs alone, that fail",
      { proofs },
      { exit: 1, text: "yes" },
      "proof did not pass: not passed: check"
    ],
    [
      "assertions alone, unproven",
      { assertions, proofs },
      { exit: 0, text: "no" },
      "validator did not pass: 1 of 2"
    ],
    [
      "an assertion on a file alone",
      { assertions: assertions.slice(1) },
      { exit: 0, text: "no" },
      "validator did not"
    ]
  ]
  for (const [name, contract, left, why] of cases) {
    it.effect(`${name} fail the run, and pass where it holds`, () =>
      Effect.gen(function* () {
        const spec = { program: name, goal: "g", contract }
        const closed = yield* go(MemoryDisk.make(), left, spec, plain)
        assert.strictEqual(closed.status, "failed", JSON.stringify(closed))
        assert.include(closed.error?.message ?? "", why)
        const accepted = yield* go(MemoryDisk.make(), left, { ...spec, acceptLoss: true }, plain)
        assert.strictEqual(accepted.error?.code, "gate_failed", JSON.stringify(accepted))
        const open = yield* go(MemoryDisk.make(), sound, spec, plain)
        assert.strictEqual(open.status, "completed", JSON.stringify(open))
      })
    )
  }

  it.effect("a council is held before the plan; a NO_GO begins nothing of it, and replays", () =>
    Effect.gen(function* () {
      let began = 0
      const program = Effect.suspend(() => {
        began++
        return plain
      })
      const contract = { council: { board: "three", question: "Shall we?" } }
      const spec = { program: "council", goal: "g", contract }
      const disk = MemoryDisk.make()
      const no = yield* go(disk, sound, spec, program, { made: models(1) })
      assert.strictEqual(no.error?.code, "gate_failed", JSON.stringify(no))
      assert.strictEqual(began, 0)
      const replay = yield* Alembic.replayProgram({ ...spec, boards }, program).pipe(
        Effect.provide(engineOn(disk, models(1).layer, { pid: 2 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))

      const made = models()
      const other = MemoryDisk.make()
      const yes = yield* go(other, sound, spec, program, { made })
      assert.strictEqual(yes.status, "completed", JSON.stringify(yes))
      assert.strictEqual(made.made.at(-1), "Do it.")
      assert.isAbove(made.made.length, 6)
      const again = yield* Alembic.replayProgram({ ...spec, boards }, program).pipe(
        Effect.provide(engineOn(other, made.layer, { pid: 2 }))
      )
      assert.isTrue(again.identical, JSON.stringify(again))
    })
  )

  it.effect("publish waits for a person after the rest has passed", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const spec = { program: "publish", goal: "g", contract: { proofs, assertions, publish: true } }
      const waits = yield* go(disk, sound, spec, plain)
      assert.strictEqual(waits.suspended?.reason, "approval", JSON.stringify(waits))
      const [item = ""] = waits.suspended?.items ?? []
      yield* answerItem(waits.runId ?? "", item, "approve").pipe(
        Effect.provide(engineOn(disk, models().layer, { pid: 2 }))
      )
      const made = models()
      const done = yield* go(disk, sound, spec, plain, { made, pid: 3 })
      assert.strictEqual(done.status, "completed", JSON.stringify(done))
      assert.strictEqual(made.made.length, 0)
      assert.deepStrictEqual(yield* gatesOf(disk, done.runId), [
        "scope:true",
        "proof:true",
        "validator:true",
        "publish:true"
      ])
      const replay = yield* Alembic.replayProgram({ ...spec, boards }, plain).pipe(
        Effect.provide(engineOn(disk, made.layer, { pid: 4 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})

describe("with a mission", () => {
  const abandoned = Effect.gen(function* () {
    const h = yield* Hooks
    return yield* Effect.raceFirst(
      h.mission({ title: "slow", units: [{ ...unit, tier: "T4" as const }] }).pipe(Effect.as("mission")),
      h.agent("quick").pipe(Effect.as("quick"))
    )
  })
  for (const contract of [
    { assertions, proofs },
    { assertions, proofs, publish: true }
  ]) {
    it.effect(`abandoned in a race: Proof fails, asked ${Object.keys(contract).join(", ")}`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const summary = yield* go(
          disk,
          sound,
          { program: "race", goal: "g", contract, acceptLoss: true },
          abandoned
        )
        assert.strictEqual(summary.error?.code, "gate_failed", JSON.stringify(summary))
        assert.include(summary.error?.message ?? "", "proof did not pass")
        assert.include(yield* gatesOf(disk, summary.runId), "proof:false")
      })
    )
  }

  it.effect("abandoned, whose units alone have proofs, fails Proof too", () =>
    Effect.gen(function* () {
      const contract = { commands: ["own"] }
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const slow = h.mission({
          title: "slow",
          units: [{ id: "u", prompt: "p", proof: ["own"], tier: "T4" }]
        })
        return yield* Effect.raceFirst(
          slow.pipe(Effect.as("mission")),
          h.agent("quick").pipe(Effect.as("quick"))
        )
      })
      const summary = yield* go(MemoryDisk.make(), sound, { program: "own", goal: "g", contract }, program)
      assert.strictEqual(summary.error?.code, "gate_failed", JSON.stringify(summary))
    })
  )

  const broken = Effect.gen(function* () {
    const h = yield* Hooks
    const result = yield* h.mission({ title: "none of it", units: [{ ...unit, fulfills: ["checked"] }] })
    return result.ok
  })
  it.effect("that does not load, its loss accepted: gates are decided all the same", () =>
    Effect.gen(function* () {
      const spec = { program: "broken", goal: "g", contract: { assertions, proofs }, acceptLoss: true }
      const closed = yield* go(MemoryDisk.make(), { exit: 1, text: "no" }, spec, broken)
      assert.strictEqual(closed.error?.code, "gate_failed", JSON.stringify(closed))
      const open = yield* go(MemoryDisk.make(), sound, spec, broken)
      assert.strictEqual(open.status, "completed", JSON.stringify(open))
    })
  )

  const failing = Effect.gen(function* () {
    const h = yield* Hooks
    const result = yield* h.mission({
      title: "fails",
      units: [{ id: "u", prompt: "p", proof: ["own"], tier: "T1" }],
      maxAttempts: 1
    })
    return result.ok
  })
  it.effect("that failed is not published", () =>
    Effect.gen(function* () {
      const contract = { commands: ["own"], publish: true }
      const summary = yield* go(
        MemoryDisk.make(),
        { exit: 1, text: "" },
        { program: "failing", goal: "g", contract, approve: ["publish"] },
        failing
      )
      assert.strictEqual(summary.error?.code, "gate_failed", JSON.stringify(summary))
    })
  )

  it.effect("that is done decides them, once; its council was held before the plan", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const contract = { assertions, proofs, council: { board: "three", question: "Shall we?" } }
      const made = models()
      const proved: Array<string> = []
      const spec = { program: "done", goal: "g", contract }
      const program = Effect.gen(function* () {
        const h = yield* Hooks
        const result = yield* h.mission({ title: "does it", units: [unit] })
        return result.ok
      })
      const summary = yield* go(disk, sound, spec, program, { made, proved })
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.strictEqual(made.made.filter((prompt) => prompt.includes("Your task (ballot)")).length, 3)
      assert.deepStrictEqual(yield* gatesOf(disk, summary.runId), [
        "scope:true",
        "council:true",
        "proof:true",
        "validator:true"
      ])
      const replay = yield* Alembic.replayProgram({ ...spec, boards }, program).pipe(
        Effect.provide(engineOn(disk, made.layer, { pid: 4 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )
})

describe("gates and processes that die", () => {
  it.effect("told to stop after any event, a run decides each of its gates, and pays nothing twice", () =>
    Effect.gen(function* () {
      const contract = { assertions, proofs, council: { board: "three", question: "Shall we?" } }
      const spec = { program: "stopped", goal: "g", contract }
      let stopped = 0
      for (let after = 1; ; after += 2) {
        const disk = MemoryDisk.make()
        const stop = yield* Deferred.make<string>()
        const made = models()
        let seen = 0
        const observe = () =>
          Effect.sync(() => void (++seen === after && Deferred.doneUnsafe(stop, Exit.succeed("SIGINT"))))
        const first = yield* go(disk, sound, { ...spec, stop, observe }, plain, { made })
        if (first.status === "completed") break
        stopped++
        const second = yield* go(disk, sound, spec, plain, { made, pid: 2 })
        assert.strictEqual(second.status, "completed", `after ${after}: ${JSON.stringify(second)}`)
        const answered = new Set(made.made)
        assert.isAtMost(made.made.length - answered.size, 4, `after ${after}`)
        // Stopped between its gates and its end, it decides those of the end anew: the files may have changed since.
        assert.deepStrictEqual(
          [...new Set(yield* gatesOf(disk, second.runId))],
          ["scope:true", "council:true", "proof:true", "validator:true"]
        )
      }
      assert.isAbove(stopped, 8)
    })
  )
})
