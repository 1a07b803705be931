// A mission inside a run: attempts and proofs are journaled, a failed proof is shown to the next attempt, what nobody
// classified waits for a person, gates decide and are events; killed anywhere, it goes on.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Stream } from "effect"
import type { Tier } from "../../../src/domain/Call.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import type { RunOptions } from "../../../src/engine/Engine.ts"
import { answerItem } from "../../../src/engine/people/answerItem.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import type { ProofResult } from "../../../src/mission/Mission.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"

const contract = {
  commands: ["check"],
  proofs: [{ id: "check", command: ["check", "it"] }],
  assertions: [
    {
      id: "checked",
      statement: "the check passes",
      oracle: "exit_code",
      args: { code: 0 },
      evidence: "proof:check"
    }
  ]
}

const mission = (tier?: Tier) => ({
  title: "mend it",
  units: [
    {
      id: "mend",
      prompt: "Mend it.",
      proof: ["check"],
      fulfills: ["checked"],
      maxAttempts: 3,
      ...(tier === undefined ? {} : { tier })
    }
  ]
})

const handoff = JSON.stringify({ summary: "done", files: [], notes: "" })
const workers = () =>
  paidRegistry({
    answer: () =>
      Effect.succeed({ text: handoff, finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1 } })
  })

/** Proofs that fail `failures` times, counted over all processes. */
const proving = (
  failures: number,
  readFile: (path: string) => Effect.Effect<Uint8Array> = (path) => Effect.die(path)
) => {
  const runs: Array<string> = []
  const runner = ProofRunner.layerScripted((proof) =>
    Effect.sync((): ProofResult => {
      runs.push(proof.command.join(" "))
      const passed = runs.length > failures
      return {
        id: proof.id,
        command: proof.command,
        exitCode: passed ? 0 : 1,
        stdout: passed ? "ok" : "it is broken",
        stderr: ""
      }
    })
  )
  const files = Layer.succeed(GivenFiles, { read: (_root, path) => readFile(path) })
  return { runs, rooms: layerWithMissions("/folder").pipe(Layer.provide(Layer.merge(runner, files))) }
}

const spec = (tier?: Tier) => ({ program: `mission ${tier ?? ""}`, goal: "g", contract })
const program = (tier?: Tier) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    return yield* h.mission(mission(tier))
  })

const events = (disk: MemoryDisk, runId: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Journal
      const journal = yield* store.open(yield* store.runId(runId), "read")
      return yield* Stream.runCollect(journal.events)
    })
  ).pipe(Effect.provide(engineOn(disk, workers().layer, { pid: 9 })))

describe("h.mission", () => {
  it.effect("shows the failed proof to the next attempt, validates, and decides its gates", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const made = workers()
      const proofs = proving(1)
      const summary = yield* Alembic.runProgram(spec("T2"), program("T2")).pipe(
        Effect.provide(Layer.merge(engineOn(disk, made.layer), proofs.rooms))
      )
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.include(JSON.stringify(summary.result), '"ok":true')
      assert.strictEqual(made.made.length, 2)
      assert.include(made.made[1] ?? "", "it is broken")
      const all = yield* events(disk, summary.runId ?? "")
      const gates = all.filter(({ type }) => type === "GateDecided")
      assert.isAbove(gates.length, 0)
      // The mission's own answer is the last completion: every gate stands before it, also the one decided last.
      const answered = all.findLast(({ type }) => type === "CallCompleted")
      assert.isBelow(gates.at(-1)?.seq ?? Infinity, answered?.seq ?? 0)
    })
  )

  it.effect("told to stop after any event, no gate of a mission that has answered is missing", () =>
    Effect.gen(function* () {
      let stopped = 0
      for (let after = 1; ; after++) {
        const disk = MemoryDisk.make()
        const stop = yield* Deferred.make<string>()
        let seen = 0
        const observe = () =>
          Effect.sync(() => void (++seen === after && Deferred.doneUnsafe(stop, Exit.succeed("SIGINT"))))
        const summary = yield* Alembic.runProgram({ ...spec("T2"), stop, observe }, program("T2")).pipe(
          Effect.provide(Layer.merge(engineOn(disk, workers().layer), proving(0).rooms))
        )
        if (seen < after) break
        if (summary.status === "interrupted") stopped++
        const all = yield* events(disk, summary.runId ?? "")
        for (const event of all) {
          if (event.type !== "CallCompleted" || !JSON.stringify(event.result).includes('"mission":"m-'))
            continue
          // What is decided after it is the run's own: whether all of it still holds.
          const gates = all.filter(({ seq, type }) => type === "GateDecided" && seq < event.seq).length
          const decided = JSON.parse(JSON.stringify(event.result)).gates.length
          assert.strictEqual(gates, decided, `stopped after event ${after}`)
        }
      }
      assert.isAbove(stopped, 5)
    })
  )

  it.effect("a refusal to publish stands, and the cure that is told leads on", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const made = workers()
      const go = (pid: number, how: RunOptions = {}) =>
        Alembic.runProgram(
          { ...spec("T2"), contract: { ...contract, publish: true }, ...how },
          program("T2")
        ).pipe(Effect.provide(Layer.merge(engineOn(disk, made.layer, { pid }), proving(0).rooms)))
      const first = yield* go(1)
      assert.strictEqual(first.status, "suspended", JSON.stringify(first))
      yield* answerItem(first.runId ?? "", first.suspended?.items[0] ?? "", "refuse").pipe(
        Effect.provide(engineOn(disk, made.layer, { pid: 2 }))
      )
      const refused = yield* go(3)
      assert.strictEqual(refused.error?.code, "gate_failed")
      assert.include(refused.error?.cure, "--retry-failed --approve publish")
      const published = yield* go(4, { retryFailed: true, approve: ["publish"] })
      assert.strictEqual(published.status, "completed", JSON.stringify(published))
    })
  )

  it.effect(
    "what is mended by hand is seen by --retry-failed: it is proven anew, and no worker asked again",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const made = workers()
        const file = { text: "broken" }
        const { rooms } = proving(0, (path) =>
          path === "out.txt" ? Effect.succeed(new TextEncoder().encode(file.text)) : Effect.die(path)
        )
        const mended = {
          id: "mended",
          statement: "it says so",
          oracle: "containment",
          args: { value: "mended" },
          evidence: "file:out.txt"
        }
        const of = { ...spec("T2"), contract: { ...contract, assertions: [mended] } }
        const units = mission("T2").units.map((unit) => ({ ...unit, fulfills: ["mended"] }))
        const work = Effect.flatMap(Hooks, (h) => h.mission({ ...mission("T2"), units, maxFixRounds: 1 }))
        const run = (retryFailed: boolean) =>
          Alembic.runProgram({ ...of, retryFailed }, work).pipe(
            Effect.provide(Layer.merge(engineOn(disk, made.layer), rooms))
          )
        const first = yield* run(false)
        assert.deepInclude(first, { status: "failed" }, JSON.stringify(first))
        assert.strictEqual(first.error?.code, "gate_failed")
        const asked = made.made.length
        file.text = "mended"
        const second = yield* run(true)
        assert.deepInclude(second, { status: "completed" }, JSON.stringify(second))
        assert.strictEqual(made.made.length, asked)
      })
  )

  it.effect("what nobody classified waits for a person and never runs unasked", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const made = workers()
      const proofs = proving(0)
      const layer = () => Layer.merge(engineOn(disk, made.layer), proofs.rooms)
      const first = yield* Alembic.runProgram(spec(), program()).pipe(Effect.provide(layer()))
      assert.strictEqual(first.status, "suspended", JSON.stringify(first))
      assert.strictEqual(first.suspended?.reason, "approval")
      assert.deepStrictEqual(made.made, [])
      const [item = ""] = first.suspended?.items ?? []
      yield* answerItem(first.runId ?? "", item, "approve").pipe(Effect.provide(layer()))
      const second = yield* Alembic.runProgram(spec(), program()).pipe(Effect.provide(layer()))
      assert.strictEqual(second.status, "completed", JSON.stringify(second))
      assert.strictEqual(made.made.length, 1)
    })
  )

  it.effect("killed at every second step, goes on; no attempt that was answered is made again", () =>
    Effect.gen(function* () {
      let crashes = 0
      for (let step = 70; ; step += 2) {
        const made = workers()
        const proofs = proving(1)
        const disk = MemoryDisk.make().crashAfterStep(step)
        const run = (on: MemoryDisk, pid: number) =>
          Alembic.runProgram(spec("T2"), program("T2")).pipe(
            Effect.provide(Layer.merge(engineOn(on, made.layer, { pid }), proofs.rooms))
          )
        yield* Effect.exit(run(disk, 1))
        if (!disk.crashed) break
        crashes++
        const second = yield* run(disk.afterCrash("power"), 2)
        assert.strictEqual(second.status, "completed", `step ${step}: ${JSON.stringify(second)}`)
        assert.include(JSON.stringify(second.result), '"ok":true', `step ${step}`)
        assert.isAtMost(made.made.length, 2 + second.calls.inDoubt, `step ${step}`)
      }
      assert.isAbove(crashes, 8)
    })
  )
})
