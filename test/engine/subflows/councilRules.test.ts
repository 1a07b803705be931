// A council and the rules of its run: one that began before there were others goes on asking as it began, so that what
// its members answered is not asked for again; what it lends is lent to a run of the same rules only.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeOfflineAdapter } from "../../../src/adapters/providers/offline.ts"
import { canonicalJsonOf, type Json } from "../../../src/domain/json/canonicalJson.ts"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry } from "../../support/paidRegistry.ts"

const board = {
  members: [
    { id: "a", role: "engineer" },
    { id: "b", role: "seller" },
    { id: "c", role: "user" },
    { id: "d", role: "contrarian" }
  ]
}
const decide = Effect.gen(function* () {
  const h = yield* Hooks
  return yield* h.council({ board, question: "Shall we?" })
})
const spec = { program: "decide", goal: "g", concurrency: 1 }

/** Members by the offline model, and the prompts that they were asked. */
const members = () => {
  const offline = makeOfflineAdapter()
  const prompts: Array<string> = []
  const registry = paidRegistry({
    answer: (input) =>
      Effect.suspend(() => {
        prompts.push(input.prompt)
        return offline.attempt(input)
      })
  })
  return { layer: registry.layer, prompts }
}

const logOf = (runId: string) => `/base/runs/${runId}/events.jsonl`

/** The log as it was before runs named their rules: the first event without them, every hash after it anew. */
const withoutRules = (disk: MemoryDisk, runId: string): MemoryDisk => {
  const text = new TextDecoder().decode(disk.read(logOf(runId)))
  let prev = "0".repeat(64)
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { rules: _rules, ...event }: Record<string, Json> = JSON.parse(line)
      const written = canonicalJsonOf({ ...event, prev })
      prev = sha256(written)
      return `${written}\n`
    })
  disk.write(logOf(runId), lines.join(""))
  disk.delete(`/base/runs/${runId}/checkpoint.json`)
  return disk
}

/** A run that has begun under the first rules and asked nobody yet. */
const begun = Effect.gen(function* () {
  const { runId = "" } = yield* Alembic.runProgram(spec, decide).pipe(
    Effect.provide(engineOn(MemoryDisk.make(), members().layer))
  )
  for (let step = 10; step < 200; step++) {
    const disk = MemoryDisk.make().crashAfterStep(step)
    yield* Effect.exit(Alembic.runProgram(spec, decide).pipe(Effect.provide(engineOn(disk, members().layer))))
    const left = disk.afterCrash("power")
    if ((left.read(logOf(runId))?.length ?? 0) > 0) return withoutRules(left, runId)
  }
  return assert.fail("no run has begun")
})

describe("a council of a run that began under the first rules", () => {
  it.effect("goes on asking as it began, and nobody again who has answered", () =>
    Effect.gen(function* () {
      const all = members()
      const old = yield* begun
      const whole = yield* Alembic.runProgram(spec, decide).pipe(
        Effect.provide(engineOn(old, all.layer, { pid: 2 }))
      )
      assert.include(["completed", "incomplete"], whole.status, JSON.stringify(whole))
      assert.strictEqual(all.prompts.length, 13)
      for (const prompt of all.prompts) {
        assert.notInclude(
          prompt,
          "that must be answered before a GO into `objections`. Those that have an id"
        )
        if (prompt.includes("Your task (opening)")) assert.notInclude(prompt, "`objections`")
      }
      assert.notInclude(JSON.stringify(whole.result), '"positions"')
      const replay = yield* Alembic.replayProgram(spec, decide).pipe(
        Effect.provide(engineOn(old, all.layer, { pid: 3 }))
      )
      assert.isTrue(replay.identical, JSON.stringify(replay))

      for (const step of [40, 60, 80]) {
        const one = members()
        const cut = (yield* begun).crashAfterStep(step)
        yield* Effect.exit(
          Alembic.runProgram(spec, decide).pipe(Effect.provide(engineOn(cut, one.layer, { pid: 2 })))
        )
        assert.isTrue(cut.crashed && one.prompts.length < 13, `${step}: ${one.prompts.length}`)
        const second = yield* Alembic.runProgram(spec, decide).pipe(
          Effect.provide(engineOn(cut.afterCrash("power"), one.layer, { pid: 3 }))
        )
        assert.deepStrictEqual(second.result, whole.result)
        assert.deepStrictEqual(new Set(one.prompts), new Set(all.prompts))
        assert.isAtMost(one.prompts.length, 13 + second.calls.inDoubt)
      }
    })
  )

  it.effect("lends a run under newer rules nothing whole: its members are asked as that run asks", () =>
    Effect.gen(function* () {
      const before = members()
      const disk = yield* begun
      const lender = yield* Alembic.runProgram(spec, decide).pipe(
        Effect.provide(engineOn(disk, before.layer, { pid: 2 }))
      )
      const borrower = members()
      const reuse = lender.runId ?? ""
      const other = yield* Alembic.runProgram({ ...spec, program: "two", reuse }, decide).pipe(
        Effect.provide(engineOn(disk, borrower.layer, { pid: 3 }))
      )
      assert.strictEqual(borrower.prompts.length, 13)
      assert.include(JSON.stringify(other.result), '"rules":3')
    })
  )

  it.effect("is lent whole to a run of the same rules", () =>
    Effect.gen(function* () {
      const first = members()
      const disk = MemoryDisk.make()
      const lender = yield* Alembic.runProgram(spec, decide).pipe(Effect.provide(engineOn(disk, first.layer)))
      const asked = first.prompts.length
      const same = yield* Alembic.runProgram(
        { ...spec, program: "two", reuse: lender.runId ?? "" },
        decide
      ).pipe(Effect.provide(engineOn(disk, first.layer)))
      assert.deepStrictEqual(same.result, lender.result)
      assert.strictEqual(first.prompts.length, asked)
      assert.include(JSON.stringify(same.result), '"rules":3')
    })
  )
})
