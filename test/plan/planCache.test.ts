// What can be executed and is kept between runs stands in the user's own cache, is checked against what it was made
// from, and is done without where nobody but the user may write is nowhere to be had.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { userCache } from "../../src/kernel/userDirectories.node.ts"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import * as PlansNode from "../../src/plan/plans.node.ts"
import { Prelude } from "../../src/plan/prelude/Prelude.ts"
import * as PreludeNode from "../../src/plan/prelude/Prelude.node.ts"
import { finish } from "../support/commandProcess.ts"
import { resultOf } from "../support/planBodies.ts"
import { planFolder } from "../support/planFolder.ts"

let caches = ""
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), "alembic-caches-"))
  process.env["XDG_CACHE_HOME"] = caches
  return () => rmSync(caches, { recursive: true, force: true })
})

const effectPlan = `import { Effect } from "effect"\nexport const run = () => Effect.succeed("as written")`

/** Runs a plan that needs the prelude, to its end, and waits until its process has kept what it wanted to keep. */
const runOnce = Effect.gen(function* () {
  const path = join(caches, "plan.ts")
  writeFileSync(path, effectPlan)
  const { bundle } = yield* loadPlan(path)
  const prelude = yield* (yield* Prelude).load(bundle.kind === "module" ? bundle.imports : [])
  const driver = yield* (yield* PlanVm).launch(bundle, { goal: "g", files: [] }, { prelude })
  const { state } = yield* driver.start
  // The next exchange is taken up after the compiled prelude was kept.
  yield* driver.deliver([])
  return { result: resultOf(state), code: prelude.code }
}).pipe(Effect.scoped, Effect.provide(PlansNode.layer))

const compiledFile = () => {
  const folder = join(caches, "alembic", "plans")
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".compiled")) ?? "none")
}

const preludeFolder = fileURLToPath(new URL("../../src/plan/prelude/", import.meta.url))

describe("the compiled prelude", () => {
  it("is named by every file of ours that is in it", async () => {
    const { metafile } = await build({
      ...PreludeNode.preludeBuildOptions,
      entryPoints: [join(preludeFolder, "preludeRuntime.ts")],
      absWorkingDir: preludeFolder,
      metafile: true
    })
    const ours = Object.keys(metafile.inputs).filter((file) => !file.includes("node_modules"))
    assert.deepStrictEqual(ours.sort(), [...PreludeNode.preludeSources].sort())
  })

  it.live("is kept in the user's cache, for the user alone", () =>
    Effect.gen(function* () {
      yield* runOnce
      assert.strictEqual(statSync(compiledFile()).mode & 0o077, 0)
      assert.strictEqual(statSync(join(caches, "alembic")).mode & 0o777, 0o700)
    })
  )

  it.live("made of other code of the same length is thrown away", () =>
    Effect.gen(function* () {
      const { code } = yield* runOnce
      const path = compiledFile()
      const kept = readFileSync(path)
      // V8 itself knows a source by its length alone.
      const poison = `(() => { throw new Error("poisoned") })()`.padEnd(code.length)
      const data = new Script(poison, { filename: "prelude:" }).createCachedData()
      writeFileSync(path, data)
      assert.strictEqual((yield* runOnce).result, "as written")
      assert.deepStrictEqual(readFileSync(path).subarray(0, 32), kept.subarray(0, 32))
      // A head of this very code before data of another.
      writeFileSync(path, Buffer.concat([kept.subarray(0, 64), data]))
      assert.strictEqual((yield* runOnce).result, "as written")
    })
  )

  it.live("a damaged prelude is bundled again", () =>
    Effect.gen(function* () {
      yield* runOnce
      const folder = join(caches, "alembic", "plans")
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "// damaged")
      assert.strictEqual((yield* runOnce).result, "as written")
    })
  )
})

describe("a directory that others may write to", () => {
  it("is no cache", () => {
    mkdirSync(join(caches, "alembic"), { mode: 0o700 })
    assert.isDefined(userCache("plans"))
    chmodSync(join(caches, "alembic"), 0o770)
    assert.isUndefined(userCache("plans"))
  })

  it("nor is a link, or a place that cannot be made", () => {
    mkdirSync(join(caches, "elsewhere"), { mode: 0o700 })
    symlinkSync(join(caches, "elsewhere"), join(caches, "alembic"))
    assert.isUndefined(userCache("plans"))
    process.env["XDG_CACHE_HOME"] = "/dev/null"
    assert.isUndefined(userCache("plans"))
  })
})

it.live(
  "the command keeps what Node compiles in the user's cache, and nothing in the project or a shared folder",
  () =>
    Effect.gen(function* () {
      const shared = join(caches, "tmp")
      mkdirSync(shared)
      process.env["TMPDIR"] = shared
      const cwd = yield* planFolder({ "GOAL.md": "# Goal\n", "alembic.plan.ts": effectPlan })
      const ended = yield* finish(cwd, "run", "--yes").pipe(Effect.scoped)
      assert.strictEqual(ended.code, 0, ended.err)
      assert.isNotEmpty(readdirSync(join(caches, "alembic", "node")))
      assert.isFalse(existsSync(join(cwd, ".alembic", "cache")))
      assert.deepStrictEqual(
        readdirSync(shared).filter((name) => name.includes("compile-cache")),
        []
      )
      process.env["XDG_CACHE_HOME"] = "/dev/null"
      const without = yield* finish(cwd, "run", "--yes", "--fresh").pipe(Effect.scoped)
      assert.strictEqual(without.code, 0, without.err)
    })
)
