// The engine as an app puts it together: settings as a value or out of the ConfigProvider, errors of its own, and
// nothing on the user's disk where the files are others.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Schema } from "effect"
import { Alembic } from "../../src/app/Alembic.ts"
import { AlembicSettings } from "../../src/app/engine.ts"
import { RegistryError } from "../../src/adapters/registry/AdapterRegistry.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineTest } from "../../src/testing.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-app-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const program = Effect.flatMap(Hooks, (h) => h.agent("why?"))

describe("Alembic.layer", () => {
  it.live("takes its settings out of the ConfigProvider", () =>
    Effect.gen(function* () {
      const baseDir = join(yield* folder, "runs")
      const alembic = Alembic.layerConfig({ baseDir: Config.String("RUNS") })
      const summary = yield* Alembic.runProgram({ program: "p", goal: "g" }, program).pipe(
        Effect.provide(alembic),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ RUNS: baseDir })))
      )
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.isTrue(existsSync(join(baseDir, "runs")))
    })
  )

  it.live("fails with the registry's error, never with a command's", () =>
    Effect.gen(function* () {
      const baseDir = yield* folder
      const error = yield* Alembic.runProgram({ program: "p", goal: "g" }, program).pipe(
        Effect.provide(Alembic.layer({ baseDir, model: "nobody:nothing" })),
        Effect.flip
      )
      assert.instanceOf(error, RegistryError)
    })
  )

  it("refuses settings that are none, by their path", () => {
    const decode = Schema.decodeUnknownResult(AlembicSettings)
    const refused = decode({ baseDir: "" })
    assert.strictEqual(refused._tag, "Failure")
    if (refused._tag === "Failure") assert.match(String(refused.failure), /baseDir/)
  })
})

describe("engineTest", () => {
  it.live("keeps what is made for a plan on its own disk, and nothing in the user's cache", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const before = process.env["XDG_CACHE_HOME"]
      process.env["XDG_CACHE_HOME"] = home
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["XDG_CACHE_HOME"]
          else process.env["XDG_CACHE_HOME"] = before
        })
      )
      const plan = join(home, "alembic.plan.ts")
      writeFileSync(
        plan,
        `import { Effect } from "effect"\nexport const run = () => Effect.succeed("done")\n`
      )
      const disk = MemoryDisk.make()
      const summary = yield* Effect.flatMap(Alembic, (alembic) => alembic.runPlan(plan, { goal: "g" })).pipe(
        Effect.provide(engineTest({ disk }))
      )
      assert.strictEqual(summary.result, "done", JSON.stringify(summary))
      assert.deepStrictEqual(readdirSync(home), ["alembic.plan.ts"])
      assert.isTrue(disk.files.some((path) => path.startsWith("/alembic/cache/prelude-")))
    })
  )
})
