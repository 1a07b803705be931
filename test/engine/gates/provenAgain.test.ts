// What the missions of a run have proven holds when the run is completed: a later mission, a call that acts, or
// somebody while the run was down may have broken it.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import type { Contract } from "../../../src/domain/Contract.ts"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import type { ProgramSpec } from "../../../src/engine/program/runProgram.ts"
import { layerWithMissions } from "../../../src/engine/subflows/layerWithMissions.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { FolderHashes } from "../../../src/kernel/folder/FolderHashes.ts"
import { GivenFileError, GivenFiles } from "../../../src/kernel/files/GivenFiles.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { dice } from "../../support/dice.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

/** A folder in memory. The proof `has FILE WORD` passes where the file holds the word. */
type Files = Record<string, string>

const holds = (files: Files, [, file = "", word = ""]: ReadonlyArray<string>): boolean =>
  (files[file] ?? "").includes(word)

const rooms = (files: Files, proved: Array<string>, folder = true) =>
  layerWithMissions("/folder").pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(GivenFiles, {
          read: (_root, path) => {
            const text = files[path]
            return text === undefined
              ? Effect.fail(new GivenFileError({ path, code: "missing" }))
              : Effect.succeed(new TextEncoder().encode(text))
          }
        }),
        folder
          ? Layer.succeed(FolderHashes, () =>
              Effect.sync(() => Object.entries(files).map(([path, text]) => [path, sha256(text)] as const))
            )
          : Layer.empty,
        ProofRunner.layerScripted(({ command, id }) =>
          Effect.sync(() => {
            proved.push(command.join(" "))
            return { id, command, exitCode: holds(files, command) ? 0 : 1, stdout: "", stderr: "" }
          })
        )
      )
    )
  )

interface Given {
  readonly files: Files
  readonly program: string
  readonly contract: Contract
  /** What whoever is asked with that prompt writes. */
  readonly work: (prompt: string) => void
  readonly more?: Partial<ProgramSpec>
  readonly pid?: number
  readonly proved?: Array<string>
  readonly folder?: boolean
}

const go = <A>(disk: MemoryDisk, given: Given, program: Effect.Effect<A, never, Hooks>) => {
  const registry = paidRegistry({
    answer: ({ prompt }) =>
      Effect.sync(() => {
        given.work(prompt)
        return said(JSON.stringify({ summary: "done", files: [], notes: "" }))
      })
  })
  const spec = { program: given.program, goal: "g", contract: given.contract, ...given.more }
  return Alembic.runProgram(spec, program).pipe(
    Effect.provide(
      Layer.merge(
        engineOn(disk, registry.layer, { pid: given.pid ?? 1 }),
        rooms(given.files, given.proved ?? [], given.folder)
      )
    )
  )
}

const mission = (title: string, proof: ReadonlyArray<Json>, rest: Readonly<Record<string, Json>> = {}) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const result = yield* h.mission({
      title,
      units: [{ id: title, prompt: title, tier: "T1", proof: proof.map(String), ...rest }]
    })
    return result.ok
  })

const ask = (prompt: string) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const answer = yield* h.agent(prompt)
    return answer.ok
  })

const contract: Contract = { commands: ["has <file> good"] }
const two = Effect.gen(function* () {
  const first = yield* mission("first", ["has one good"])
  return first && (yield* mission("second", ["has two good"]))
})
const breaking = (files: Files, spoils: string) => (prompt: string) => {
  if (prompt.startsWith("first")) files["one"] = "good"
  if (prompt.startsWith("second")) files["two"] = "good"
  if (prompt.startsWith(spoils)) files["one"] = "bad"
}

describe("what missions have proven, when the plan has returned", () => {
  for (const folder of [true, false]) {
    it.effect(`a later mission that breaks it closes Proof; folder looked at: ${folder}`, () =>
      Effect.gen(function* () {
        const files: Files = {}
        const given = { files, program: "broken", contract, folder, work: breaking(files, "second") }
        const summary = yield* go(MemoryDisk.make(), given, two)
        assert.strictEqual(summary.error?.code, "gate_failed", JSON.stringify(summary))
        assert.include(summary.error?.message ?? "", "proof did not pass")
        assert.include(summary.error?.message ?? "", "has one good")

        const kept: Files = {}
        const fine = { ...given, files: kept, work: breaking(kept, "nobody") }
        const done = yield* go(MemoryDisk.make(), fine, two)
        assert.strictEqual(done.status, "completed", JSON.stringify(done))
      })
    )
  }

  it.effect(
    "a call that acts after the last mission closes Proof, and what was published is not asked again",
    () =>
      Effect.gen(function* () {
        const program = Effect.gen(function* () {
          const ok = yield* mission("first", ["has one good"])
          return ok && (yield* ask("spoil it"))
        })
        for (const publish of [true, false]) {
          const asks: ProgramSpec["contract"] = { ...contract, ...(publish ? { publish } : {}) }
          const more = publish ? { approve: ["publish"] } : {}
          const files: Files = {}
          const given = { files, program: "spoilt", contract: asks, more, work: breaking(files, "spoil") }
          const closed = yield* go(MemoryDisk.make(), given, program)
          assert.strictEqual(closed.error?.code, "gate_failed", JSON.stringify(closed))
          const kept: Files = {}
          const edits = (prompt: string) => {
            breaking(kept, "nobody")(prompt)
            if (prompt.startsWith("spoil")) kept["notes"] = "harmless"
          }
          const open = yield* go(MemoryDisk.make(), { ...given, files: kept, work: edits }, program)
          assert.strictEqual(open.status, "completed", JSON.stringify(open))
        }
      })
  )

  it.effect("an assertion that an earlier mission had shown is checked again", () =>
    Effect.gen(function* () {
      const asserts: Contract = {
        assertions: [
          { id: "a", statement: "", oracle: "containment", args: { value: "good" }, evidence: "file:one" }
        ]
      }
      const files: Files = {}
      const program = Effect.gen(function* () {
        const ok = yield* mission("first", [], { fulfills: ["a"] })
        return ok && (yield* ask("spoil it"))
      })
      const given = { files, program: "assertion", contract: asserts, work: breaking(files, "spoil") }
      const closed = yield* go(MemoryDisk.make(), given, program)
      assert.strictEqual(closed.error?.code, "gate_failed", JSON.stringify(closed))
      assert.include(closed.error?.message ?? "", "validator did not pass")
    })
  )

  it.effect("nothing is run again where all is as it was proven, and the run replays", () =>
    Effect.gen(function* () {
      const files: Files = {}
      const proved: Array<string> = []
      const disk = MemoryDisk.make()
      const given = { files, program: "same", contract, proved, work: breaking(files, "nobody") }
      const program = mission("first", ["has one good"])
      const summary = yield* go(disk, given, program)
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      // In its attempt, and on the state at the mission's end.
      assert.strictEqual(proved.length, 2)
      const replay = yield* Alembic.replayProgram({ program: "same", goal: "g", contract }, program).pipe(
        Effect.provide(engineOn(disk, paidRegistry().layer, { pid: 2 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )

  it.effect(
    "stopped after any event and spoilt meanwhile, a run is not completed on what does not hold",
    () =>
      Effect.gen(function* () {
        let stopped = 0
        let closed = 0
        for (let after = 1; ; after++) {
          const files: Files = {}
          const disk = MemoryDisk.make()
          const stop = yield* Deferred.make<string>()
          let seen = 0
          const observe = (_event: RunEvent) =>
            Effect.sync(() => void (++seen === after && Deferred.doneUnsafe(stop, Exit.succeed("SIGINT"))))
          const given = { files, program: "stopped", contract, work: breaking(files, "nobody") }
          const first = yield* go(disk, { ...given, more: { stop, observe } }, two)
          if (first.status === "completed") break
          stopped++
          const had = files["one"] === "good"
          files["one"] = "bad"
          const second = yield* go(disk, { ...given, pid: 2 }, two)
          if (second.status === "completed") assert.include(files["one"], "good", `after ${after}`)
          else closed++
          if (had && second.status !== "completed")
            assert.strictEqual(second.error?.code, "gate_failed", `after ${after}: ${JSON.stringify(second)}`)
        }
        assert.isAbove(stopped, 10)
        assert.isAbove(closed, 5)
      })
  )
})

const words = ["good", "bad", "good bad", ""]
const names = ["one", "two", "three"]

describe("workers of several missions, and calls between them, that write anything", () => {
  const seen = { runs: 0, through: 0 }
  it.effect("in 300 random runs none is completed with a proof that fails on what is left", () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < 300; seed++) {
        const from = dice(seed)
        const files: Files = {}
        const write = () => {
          files[from.pick(names)] = from.pick(words)
        }
        const asks: Contract = { ...contract, ...(seed % 3 === 0 ? { publish: true } : {}) }
        const proofs = Array.from({ length: 1 + from.below(3) }, () => from.pick(names))
        const work = (prompt: string) => {
          for (const name of names) if (prompt.startsWith(name) && from.below(4) > 0) files[name] = "good"
          if (from.below(4) === 0) write()
        }
        const program = Effect.gen(function* () {
          for (const [index, name] of proofs.entries()) {
            yield* mission(name, [`has ${name} good`], { maxAttempts: 2 })
            if (index % 2 === 0) yield* ask(`between ${index}`)
          }
          return true
        })
        const given = { files, program: "random", contract: asks, work, more: { approve: ["publish"] } }
        const summary = yield* go(MemoryDisk.make(), given, program)
        seen.runs++
        if (summary.status !== "completed") continue
        seen.through++
        for (const name of proofs) assert.isTrue(holds(files, ["has", name, "good"]), `seed ${seed}: ${name}`)
      }
      assert.isAbove(seen.through, seen.runs / 10)
      assert.isBelow(seen.through, seen.runs)
    })
  )
})
