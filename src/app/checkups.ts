// Checkups: what of this machine a run depends on (`alembic doctor`). Each is tried for real, in the base directory
// itself, and leaves nothing behind.
import { statfs } from "node:fs/promises"
import process from "node:process"
import { Clock, Effect, Scope } from "effect"
import type { Checkup } from "../cli/Host.ts"
import { FsPort, type FsError } from "../kernel/files/FsPort.ts"
import * as FsPortNode from "../kernel/files/FsPort.node.ts"

const leastNode = [22, 19] as const

const nodeCheckup = (): Checkup => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  return { what: "Node", ok, detail: `${process.versions.node} (needs ${leastNode.join(".")} or newer)` }
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

/** The nearest directory above that is there. */
const spaceCheckup = (directory: string): Effect.Effect<Checkup> =>
  Effect.promise(() =>
    statfs(directory).then(
      ({ bavail, bsize }): Checkup => ({
        what: "disk",
        ok: bavail * bsize > 100 * 1024 * 1024,
        detail: `${gibibytes(bavail * bsize)} free`
      }),
      (): Checkup => ({ what: "disk", ok: true, detail: "free space is not known" })
    )
  )

const scratchName = (at: number): string => `doctor-${process.pid}-${at}`

/** No directory can be made at that place; a full or failing disk is another matter. */
const cannotBe = ({ code, op }: FsError): boolean =>
  op === "mkdir" && !["ENOSPC", "EDQUOT", "EIO"].includes(code)

/** Writes and syncs a record in the base directory, as a run does. */
const durableCheckup = (baseDir: string): Effect.Effect<Checkup> =>
  Effect.gen(function* () {
    const fs = yield* FsPort
    const there = yield* fs.stat(baseDir)
    const started = yield* Clock.currentTimeMillis
    const scratch = `${baseDir}/${scratchName(started)}`
    yield* fs.makeDirectory(scratch)
    const scope = yield* Scope.make()
    const synced = Effect.gen(function* () {
      const log = yield* fs.openAppend(`${scratch}/log`)
      const from = yield* Clock.currentTimeNanos
      for (let n = 0; n < 10; n++) {
        yield* log.append(new Uint8Array(1024))
        yield* log.sync
      }
      return Number((yield* Clock.currentTimeNanos) - from) / 10 / 1e6
    }).pipe(Effect.provideService(Scope.Scope, scope))
    const ms = yield* Effect.ensuring(
      synced,
      Effect.ignore(fs.removeTree(there === undefined ? baseDir : scratch))
    )
    const result: Checkup = {
      what: "base directory",
      ok: true,
      detail: `${baseDir}: writable, ${ms.toFixed(2)} ms a synced record`
    }
    return result
  }).pipe(
    Effect.catch((error: FsError) =>
      Effect.succeed<Checkup>({
        what: "base directory",
        ok: false,
        ...(cannotBe(error) ? { misnamed: true } : {}),
        detail: cannotBe(error)
          ? `${baseDir}: no directory can be made there (${error.code}): choose another --base-dir`
          : error.code === "EINVAL"
            ? `${baseDir}: no fsync here, runs are kept as well as it goes`
            : `${baseDir}: ${error.message}`
      })
    ),
    Effect.provide(FsPortNode.layer)
  )

export const checkups = (baseDir: string): Effect.Effect<ReadonlyArray<Checkup>> =>
  Effect.map(Effect.all([spaceCheckup(process.cwd()), durableCheckup(baseDir)]), (found) => [
    nodeCheckup(),
    ...found
  ])
