// A disk that is full or may not be written: a clear error with its exit code, whenever it strikes, and nothing that
// the same run cannot go on from when there is room again.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { engineLayer } from "../../src/app/rooms.ts"
import type { EngineSettings } from "../../src/cli/Host.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import { alembic, lastLine } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const plan = `export const run = async (h) => [(await h.agent("one")).text, (await h.agent("two")).text]`
const files = { "GOAL.md": "# Goal\n", "alembic.plan.ts": plan }

/** The live rooms, with the runs on that disk. */
const hostOn = (disk: MemoryDisk) => {
  const self = { pid: 1, started: "0", boot: "b", host: "h" }
  const journal = (baseDir: string) =>
    Journal.layer({ baseDir }).pipe(Layer.provide(Layer.merge(disk.layer, HostIdentity.layerTest({ self }))))
  return {
    journal,
    engine: (settings: EngineSettings) => Layer.merge(engineLayer(settings), journal(settings.baseDir))
  }
}

const run = (cwd: string, disk: MemoryDisk) =>
  alembic({ cwd, host: hostOn(disk) }, "run", "--json", "--base-dir", "/base")

describe("a full disk", () => {
  for (const bytes of [0, 100, 1000, 2500]) {
    it.live(`of ${bytes} bytes ends the run with a clear error, and it goes on when there is room`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const disk = MemoryDisk.make().limit(bytes)
        const said = yield* run(cwd, disk)
        // What has begun waits for room; what has not is not there.
        const begun = said.out.includes('"RunStarted"')
        assert.strictEqual(begun, bytes >= 2500)
        assert.strictEqual(said.code, begun ? 4 : 1, said.out)
        assert.deepNestedInclude(lastLine(said), {
          type: "RunSummary",
          status: begun ? "suspended" : "failed",
          ok: false,
          "error.code": "no_space"
        })
        if (begun) assert.deepNestedInclude(lastLine(said), { "suspended.reason": "disk" })
        assert.match(said.err, /the disk is full/)
        assert.match(said.err, /next: free some space/)
        const after = yield* run(cwd, disk.limit(Infinity))
        assert.strictEqual(after.code, 0, after.out)
        assert.deepInclude(lastLine(after), { status: "completed" })
      })
    )
  }
})

describe("a disk that is full once the log is written", () => {
  it.live("does not keep the run from its end: what can be made again is left out, and said", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const disk = MemoryDisk.make().limit(4000)
      const said = yield* run(cwd, disk)
      assert.strictEqual(said.code, 0, said.out)
      assert.deepInclude(lastLine(said), { status: "completed" })
      assert.match(said.err, /cache\.json was not written: the disk is full/)
      const verify = yield* alembic({ cwd, host: hostOn(disk) }, "verify", "@last", "--base-dir", "/base")
      assert.strictEqual(verify.code, 0, verify.out)
    })
  )
})

describe("a base directory that may not be written", () => {
  it.live("exits 2, and nothing is there", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const disk = MemoryDisk.make().protect()
      const said = yield* run(cwd, disk)
      assert.strictEqual(said.code, 2, said.out)
      assert.deepNestedInclude(lastLine(said), { status: "invalid", "error.code": "read_only" })
      assert.match(said.err, /next: choose another --base-dir/)
      const listed = yield* alembic(
        { cwd, host: hostOn(disk.protect(false)) },
        "list",
        "--json",
        "--base-dir",
        "/base"
      )
      assert.deepStrictEqual(lastLine(listed), { type: "ListSummary", ok: true, count: 0 })
    })
  )

  it.live("is no hindrance to a replay or a verify", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const disk = MemoryDisk.make()
      const runId = String(lastLine(yield* run(cwd, disk))["runId"])
      const host = hostOn(disk.protect())
      assert.deepInclude(
        lastLine(yield* alembic({ cwd, host }, "replay", runId, "--json", "--base-dir", "/base")),
        { identical: true }
      )
      assert.deepInclude(
        lastLine(yield* alembic({ cwd, host }, "verify", runId, "--json", "--base-dir", "/base")),
        { ok: true }
      )
    })
  )
})
