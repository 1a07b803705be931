// Where an archive is unpacked before it is a run: a directory beside the runs, `.import-N`, that is one process's
// alone while its claim names that process. What an import that died has left is found by that, not by its age.
import { Effect, type Scope } from "effect"
import { FsPort } from "../../kernel/files/FsPort.ts"
import type { HostIdentity } from "../../kernel/HostIdentity.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { acquireLock, lockHolder } from "../store/RunLock.ts"
import { treeBytes } from "../store/treeBytes.ts"

/** A directory, its claim, and what a process that died while it claimed has left beside that. */
const pattern = /^(\.import-\d+)(?:\.claim(?:\.(?:claim|tmp)-[^/]+)?)?$/
const claimOf = (directory: string) => `${directory}.claim`

/** What an import that died has left. */
export interface LeftImport {
  readonly directory: string
  readonly bytes: number
}

/** Holds a directory until the scope ends, empty at first; then it is gone. */
export const claimAside = Effect.fnUntraced(function* (
  baseDir: string
): Effect.fn.Return<string, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  for (let n = 1; ; n++) {
    const directory = `${baseDir}/.import-${n}`
    const held = yield* Effect.result(acquireLock(claimOf(directory)))
    if (held._tag === "Failure") {
      if (held.failure.code === "run_locked") continue
      return yield* held.failure
    }
    // Removed before the claim is: nobody else may have put something there.
    yield* Effect.addFinalizer(() => Effect.ignore(fs.removeTree(directory)))
    yield* Effect.mapError(fs.removeTree(directory), fromFsError)
    return directory
  }
})

/** The directories of imports whose process is dead, or that nobody claims. Writes nothing. */
export const leftImports = Effect.fnUntraced(function* (
  baseDir: string
): Effect.fn.Return<ReadonlyArray<LeftImport>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const names = yield* Effect.catch(fs.list(baseDir), (error) =>
    error.code === "ENOENT" ? Effect.succeed([]) : Effect.fail(fromFsError(error))
  )
  const directories = new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))
  const left: Array<LeftImport> = []
  for (const name of directories) {
    const directory = `${baseDir}/${name}`
    // Whose claim cannot be read is nobody's: what is claimed with a name is claimed in one step.
    const holder = yield* Effect.result(lockHolder(claimOf(directory)))
    if (holder._tag === "Failure" || holder.success !== undefined) continue
    left.push({ directory, bytes: yield* treeBytes(directory) })
  }
  return left
})

/** Removes what imports that died have left. One that somebody has claimed since stays. */
export const removeLeftImports = Effect.fnUntraced(function* (
  left: ReadonlyArray<LeftImport>
): Effect.fn.Return<ReadonlyArray<LeftImport>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const removed: Array<LeftImport> = []
  const remove = Effect.fnUntraced(function* (directory: string) {
    yield* fs.removeTree(directory)
    const cut = directory.lastIndexOf("/")
    const beside = `${directory.slice(cut + 1)}.claim.`
    for (const name of yield* fs.list(directory.slice(0, cut))) {
      if (name.startsWith(beside)) yield* fs.remove(`${directory.slice(0, cut)}/${name}`)
    }
  })
  for (const one of left) {
    const outcome = yield* Effect.result(
      Effect.scoped(
        Effect.andThen(
          acquireLock(claimOf(one.directory)),
          Effect.mapError(remove(one.directory), fromFsError)
        )
      )
    )
    if (outcome._tag === "Success") removed.push(one)
    else if (outcome.failure.code !== "run_locked") return yield* outcome.failure
  }
  return removed
})
