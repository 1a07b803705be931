// Imports that die, at every step they have: what they leave is found by whose it is, and removed; what a living one
// holds stays.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Journal } from "../../../src/journal/Journal.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { HostIdentity, type ProcessIdentity } from "../../../src/kernel/HostIdentity.ts"
import { baseDir, journalOn, me, newRun, onDisk, runId } from "../support.ts"

const archive = Effect.gen(function* () {
  const disk = MemoryDisk.make()
  yield* onDisk(
    disk,
    Effect.flatMap(Journal, (store) => store.create(newRun()))
  )
  yield* onDisk(
    disk,
    Effect.flatMap(Journal, (store) => store.export(runId, "/out.tar"))
  )
  const bytes = disk.read("/out.tar")
  assert.isDefined(bytes)
  return bytes ?? new Uint8Array()
})

const as = (disk: MemoryDisk, self: ProcessIdentity, others: ReadonlyArray<ProcessIdentity> = []) =>
  journalOn(disk.layer, HostIdentity.layerTest({ self, others }))

const importing = Effect.flatMap(Journal, (store) => store.import("/out.tar"))
const leftOf = Effect.flatMap(Journal, ({ leftImports }) => leftImports)
const collected = Effect.flatMap(Journal, (store) =>
  Effect.flatMap(store.leftImports, store.removeLeftImports)
)
const leavings = (disk: MemoryDisk) => disk.files.filter((path) => path.startsWith(`${baseDir}/.import-`))

describe("an import that died", () => {
  it.effect("leaves what gc finds and removes, wherever it died; a living one's stays", () =>
    Effect.gen(function* () {
      const bytes = yield* archive
      const later = { ...me, pid: 200 }
      let found = 0
      for (let step = 1; ; step++) {
        const dying = MemoryDisk.make().write("/out.tar", bytes).crashAfterStep(step)
        yield* Effect.exit(Effect.scoped(Effect.provide(importing, as(dying, me))))
        if (!dying.crashed) break
        const disk = dying.afterCrash("process")
        const before = leavings(disk)
        if (before.includes(`${baseDir}/.import-1.claim`)) {
          assert.deepStrictEqual(
            yield* Effect.provide(leftOf, as(disk, later, [me])),
            [],
            "its process lives"
          )
        }
        assert.deepStrictEqual(leavings(disk), before)
        const removed = yield* Effect.provide(collected, as(disk, later))
        if (removed.length > 0) found++
        assert.deepStrictEqual(leavings(disk), [], `after step ${step}`)
        assert.deepStrictEqual(yield* Effect.provide(leftOf, as(disk, later)), [])
        // The next import does not mind.
        yield* Effect.scoped(Effect.provide(importing, as(disk, later))).pipe(
          Effect.catchIf(
            ({ code }) => code === "run_exists",
            () => Effect.void
          )
        )
        assert.deepStrictEqual(leavings(disk), [])
      }
      assert.isAbove(found, 5)
    })
  )

  it.effect("left by an earlier version, without a name on its claim, is nobody's", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
        .write(`${baseDir}/.import-1.claim`, "")
        .write(`${baseDir}/.import-1/runs/x/events.jsonl`, "12345")
        .write(`${baseDir}/.import-7/runs/x/events.jsonl`, "123")
        .write(`${baseDir}/.important`, "kept")
      const removed = yield* Effect.provide(collected, as(disk, me))
      assert.deepStrictEqual(removed, [
        { directory: `${baseDir}/.import-1`, bytes: 5 },
        { directory: `${baseDir}/.import-7`, bytes: 3 }
      ])
      assert.deepStrictEqual(disk.files, [`${baseDir}/.important`])
    })
  )
})
