// list: what is told of each run, finding one among many, names and tags, and an index that is only a cache.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryDisk } from "../../../../src/kernel/files/FsPort.memory.ts"
import { Alembic } from "../../../../src/engine/Alembic.ts"
import { Hooks } from "../../../../src/plan/hooks/Hooks.ts"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { echo, engineOn } from "../../../support/engineLayer.ts"
import { planFolder } from "../../../support/planFolder.ts"
import { layerOffline } from "../../../../src/adapters/registry/offlineRegistry.ts"

const files = {
  "GOAL.md": "Sort the letters",
  "other.md": "Sort the numbers",
  "alembic.plan.ts": `export const run = (h, { args }) => h.agent("q " + JSON.stringify(args))`,
  "broken.plan.ts": `export const run = () => { throw new Error("no") }`
}

const ids = (said: Parameters<typeof jsonLines>[0]) =>
  jsonLines(said).flatMap(({ runId }) => (runId === undefined ? [] : [String(runId)]))

describe("alembic list", () => {
  it.live("has heads, plan, arguments, name and tags, and finds runs by each of them", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      yield* alembic({ cwd }, "run", "--args", '{"n":1}', "--name", "letters", "--tag", "daily", "--tag", "a")
      yield* alembic({ cwd }, "run", "--goal", "other.md")
      yield* alembic({ cwd }, "run", "--plan", "broken.plan.ts")
      const { out } = yield* alembic({ cwd }, "list")
      assert.match(out, /^RUN +STATUS +WRITTEN +TOOK +CALLS +COST +PLAN +GOAL/)
      assert.match(out, /alembic\.plan\.ts +letters {2}#a {2}#daily {2}Sort the letters {2}\{"n":1\}/)
      const count = (...flags: ReadonlyArray<string>) =>
        Effect.map(alembic({ cwd }, "list", "--json", ...flags), (said) => ids(said).length)
      assert.strictEqual(yield* count(), 3)
      assert.strictEqual(yield* count("--status", "failed"), 1)
      assert.strictEqual(yield* count("--status", "failed,completed"), 3)
      assert.strictEqual(yield* count("--plan", "broken"), 1)
      assert.strictEqual(yield* count("--tag", "daily"), 1)
      assert.strictEqual(yield* count("--search", "NUMBERS"), 1)
      assert.strictEqual(yield* count("--since", "1h"), 3)
      assert.strictEqual(yield* count("--since", "2100-01-01"), 0)
      assert.strictEqual(yield* count("--limit", "2"), 2)
      const wrong = yield* alembic({ cwd }, "list", "--status", "fine")
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.err, /"fine" is no status[\s\S]*completed, incomplete/)
    })
  )

  it.live("a name stands for its run everywhere; one of two runs, or like an id, does not", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      yield* alembic({ cwd }, "run", "--name", "letters")
      const [runId] = ids(yield* alembic({ cwd }, "list", "--json"))
      const named = lastLine(yield* alembic({ cwd }, "inspect", "letters", "--json"))
      assert.deepNestedInclude(named, { "run.runId": runId })
      yield* alembic({ cwd }, "run", "--goal", "other.md", "--name", "letters")
      const two = yield* alembic({ cwd }, "inspect", "letters")
      assert.strictEqual(two.code, 2)
      assert.include(two.err, "2 runs are called letters")
      assert.strictEqual((yield* alembic({ cwd }, "run", "--name", "cafe")).code, 2)
      assert.strictEqual((yield* alembic({ cwd }, "inspect", "nobody")).code, 2)
    })
  )

  it.live(
    "lists the same with an index, without one, with a broken one and with one that is out of date",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const program = Effect.flatMap(Hooks, (h) => h.agent("why?"))
        const engine = engineOn(disk, layerOffline(echo))
        const list = Effect.flatMap(Alembic, (alembic) => alembic.list).pipe(Effect.provide(engine))
        yield* Effect.forEach(
          Array.from({ length: 70 }, (_, n) => `goal ${n}`),
          (goal) => Alembic.runProgram({ program: "p", goal }, program),
          { discard: true }
        ).pipe(Effect.provide(engine))
        const first = yield* list
        const index = "/base/list-index.json"
        assert.isTrue(disk.files.includes(index))
        assert.deepStrictEqual(yield* list, first)
        const kept = new TextDecoder().decode(disk.read(index))
        for (const broken of [
          "",
          "{",
          "[]",
          '{"v":1,"runs":[]}',
          kept.replaceAll('"calls":1', '"calls":"x"')
        ]) {
          disk.write(index, broken)
          assert.deepStrictEqual(yield* list, first, broken.slice(0, 40))
        }
        yield* Alembic.runProgram({ program: "p", goal: "one more" }, program).pipe(Effect.provide(engine))
        assert.strictEqual((yield* list).length, 71)
      })
  )
})
