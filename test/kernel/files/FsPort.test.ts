// One contract, three worlds: the machine's disk, memory, and memory in which every write is short.
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FsPort } from "../../../src/kernel/files/FsPort.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import * as nodeFs from "../../../src/kernel/files/FsPort.node.ts"
import { fsContract, type FsWorld } from "../fsContract.ts"

const onNode = Effect.acquireRelease(
  Effect.sync((): FsWorld => ({
    layer: nodeFs.layer,
    dir: mkdtempSync(`${tmpdir()}/alembic-fs-`),
    symlink: (path, target) => symlinkSync(target, path)
  })),
  ({ dir }) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const inMemory = (prepare: (disk: MemoryDisk) => MemoryDisk) =>
  Effect.sync((): FsWorld => {
    const disk = prepare(MemoryDisk.make())
    disk.write("/here/.keep", "").delete("/here/.keep")
    return { layer: disk.layer, dir: "/here", symlink: (path, target) => void disk.symlink(path, target) }
  })

fsContract("Node", onNode)
fsContract(
  "memory",
  inMemory((disk) => disk)
)
fsContract(
  "memory with every write short",
  inMemory((disk) => {
    for (let nth = 1; nth < 5000; nth++) if (nth % 2 === 1) disk.shortWrite(nth, 1)
    return disk
  })
)

it.effect("Node: files are 0600 and directories 0700", () =>
  Effect.gen(function* () {
    const { dir } = yield* onNode
    const { statSync } = yield* Effect.promise(() => import("node:fs"))
    yield* Effect.provide(
      Effect.gen(function* () {
        const fs = yield* FsPort
        yield* fs.makeDirectory(`${dir}/run`)
        yield* fs.openAppend(`${dir}/run/log`)
        yield* fs.replace(`${dir}/run/meta`, new Uint8Array(1))
      }),
      nodeFs.layer
    )
    const mode = (path: string) => statSync(path).mode & 0o777
    assert.deepStrictEqual(
      [`${dir}/run`, `${dir}/run/log`, `${dir}/run/meta`].map(mode),
      [0o700, 0o600, 0o600]
    )
  })
)

it.effect.skipIf(process.getuid?.() === 0)("Node: a directory without write permission is EACCES", () =>
  Effect.gen(function* () {
    const { dir } = yield* onNode
    chmodSync(dir, 0o555)
    const error = yield* Effect.provide(
      Effect.flip(Effect.flatMap(FsPort, (fs) => fs.replace(`${dir}/x`, new Uint8Array(1)))),
      nodeFs.layer
    )
    chmodSync(dir, 0o755)
    assert.strictEqual(error.code, "EACCES")
  })
)
