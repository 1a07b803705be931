// FsPort out of single steps: short writes completed, failed appends cut back, a failed fsync fatal to its handle,
// replacement by a unique temporary file, fsync, rename, fsync of the directory. The steps are FsPrimitives.
import { Effect, type Scope } from "effect"
import { FsError, type AppendHandle, type FsPort, type ReadHandle } from "./FsPort.ts"
import type { Descriptor, FsPrimitives } from "./FsPrimitives.ts"

/** Names of temporary files: `<target>.tmp-<unique>`. A crash may leave one; it is never read. */
export const temporaryMark = ".tmp-"

/** The file system has no fsync (of files, of directories); what is written is as durable as it gets. */
const unsupported: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"])
const refusedForDirectories: ReadonlySet<string> = new Set([
  ...unsupported,
  "EPERM",
  "EISDIR",
  "EACCES",
  "EBADF"
])
/** Something holds the target for a moment, or an NFS handle went stale. */
const passing: ReadonlySet<string> = new Set(["EPERM", "EBUSY", "EACCES", "ESTALE"])
const renameTries = 4

export const isSyncUnsupported = (error: FsError): boolean =>
  error.op === "fsync" && unsupported.has(error.code)

const parentOf = (path: string): string => {
  const end = path.lastIndexOf("/")
  if (end < 0) return "."
  return end === 0 ? "/" : path.slice(0, end)
}

export const makeFsPort = (raw: FsPrimitives): typeof FsPort.Service => {
  const syncDirectory = (path: string): Effect.Effect<void, FsError> =>
    Effect.catch(raw.fsyncDirectory(path), (error) =>
      refusedForDirectories.has(error.code) ? Effect.void : Effect.fail(error)
    )

  const writeAll = (descriptor: Descriptor, path: string, bytes: Uint8Array): Effect.Effect<void, FsError> =>
    Effect.flatMap(raw.write(descriptor, bytes), (taken) => {
      if (taken >= bytes.length) return Effect.void
      // A step that takes nothing and reports nothing would loop for ever.
      if (taken <= 0) return Effect.fail(new FsError({ op: "write", path, code: "EIO" }))
      return writeAll(descriptor, path, bytes.subarray(taken))
    })

  const ignore = (self: Effect.Effect<void, FsError>): Effect.Effect<void> =>
    Effect.catch(self, () => Effect.void)

  const opened = (path: string, mode: "read" | "append" | "create") =>
    Effect.acquireRelease(raw.open(path, mode), (descriptor) => raw.close(descriptor))

  const fill = (
    descriptor: Descriptor,
    offset: number,
    into: Uint8Array,
    have = 0
  ): Effect.Effect<number, FsError> =>
    Effect.flatMap(raw.read(descriptor, offset + have, have === 0 ? into : into.subarray(have)), (count) =>
      count === 0 || have + count >= into.length
        ? Effect.succeed(have + count)
        : fill(descriptor, offset, into, have + count)
    )

  const openRead = Effect.fnUntraced(function* (
    path: string
  ): Effect.fn.Return<ReadHandle, FsError, Scope.Scope> {
    const descriptor = yield* opened(path, "read")
    return {
      size: raw.size(descriptor),
      read: (offset, length) => {
        const bytes = new Uint8Array(length)
        return Effect.map(fill(descriptor, offset, bytes), (count) => bytes.subarray(0, count))
      },
      readInto: (offset, into) => (into.length === 0 ? Effect.succeed(0) : fill(descriptor, offset, into))
    }
  })

  const openAppend = Effect.fnUntraced(function* (
    path: string
  ): Effect.fn.Return<AppendHandle, FsError, Scope.Scope> {
    const existed = (yield* raw.stat(path)) !== undefined
    const descriptor = yield* opened(path, "append")
    if (!existed) yield* syncDirectory(parentOf(path))
    let size = yield* raw.size(descriptor)
    let poison: FsError | undefined

    const guarded = (self: Effect.Effect<void, FsError>): Effect.Effect<void, FsError> =>
      Effect.suspend(() => (poison === undefined ? self : Effect.fail(poison)))
    const poisoned = (error: FsError): Effect.Effect<never, FsError> => {
      poison = error
      return Effect.fail(error)
    }
    // After a failed fsync the kernel may have dropped the very pages it could not write, and a second fsync would
    // say that all is well. So: no second one.
    const fatal = (self: Effect.Effect<void, FsError>) =>
      guarded(
        Effect.catch(self, (error) => (isSyncUnsupported(error) ? Effect.fail(error) : poisoned(error)))
      )

    const append = (bytes: Uint8Array): Effect.Effect<void, FsError> =>
      guarded(
        Effect.catch(
          Effect.map(writeAll(descriptor, path, bytes), () => {
            size += bytes.length
          }),
          (error) =>
            // What did not fit whole is not there at all. If even that fails, nothing may follow it.
            Effect.catch(raw.truncate(descriptor, size), poisoned).pipe(Effect.andThen(Effect.fail(error)))
        )
      )

    return {
      size: Effect.sync(() => size),
      append,
      sync: fatal(raw.fsync(descriptor)),
      syncNow: fatal(raw.fsyncNow(descriptor)),
      truncate: (to) =>
        guarded(
          Effect.andThen(
            raw.truncate(descriptor, to),
            Effect.suspend(() => {
              size = to
              return fatal(raw.fsync(descriptor))
            })
          )
        )
    }
  })

  /** Writes a new file beside `path` and makes its content durable; it is removed again when that fails. */
  const temporary = (path: string, bytes: Uint8Array): Effect.Effect<string, FsError> => {
    const name = `${path}${temporaryMark}${raw.uniqueName()}`
    return Effect.scoped(
      Effect.flatMap(opened(name, "create"), (descriptor) =>
        Effect.andThen(
          writeAll(descriptor, name, bytes),
          Effect.catch(raw.fsync(descriptor), (error) =>
            isSyncUnsupported(error) ? Effect.void : Effect.fail(error)
          )
        )
      )
    ).pipe(
      Effect.as(name),
      Effect.tapError(() => ignore(raw.unlink(name)))
    )
  }

  const renamed = (from: string, to: string, tries = renameTries): Effect.Effect<void, FsError> =>
    Effect.catch(raw.rename(from, to), (error) =>
      passing.has(error.code) && tries > 1
        ? Effect.andThen(raw.pause(10 * (renameTries - tries + 1)), renamed(from, to, tries - 1))
        : Effect.fail(error)
    )

  const replace = (path: string, bytes: Uint8Array): Effect.Effect<void, FsError> =>
    Effect.flatMap(temporary(path, bytes), (name) =>
      renamed(name, path).pipe(
        Effect.tapError(() => ignore(raw.unlink(name))),
        Effect.andThen(syncDirectory(parentOf(path)))
      )
    ).pipe(Effect.uninterruptible)

  const replaceAll: typeof FsPort.Service.replaceAll = (directory, files) =>
    Effect.forEach(
      files,
      ({ bytes, name }) => {
        const path = `${directory}/${name}`
        return Effect.flatMap(temporary(path, bytes), (made) =>
          Effect.tapError(renamed(made, path), () => ignore(raw.unlink(made)))
        )
      },
      { concurrency: 16, discard: true }
    ).pipe(
      Effect.andThen(Effect.suspend(() => (files.length === 0 ? Effect.void : syncDirectory(directory)))),
      Effect.uninterruptible
    )

  const createExclusive = (path: string, bytes: Uint8Array): Effect.Effect<void, FsError> =>
    Effect.flatMap(temporary(path, bytes), (name) =>
      raw
        .link(name, path)
        .pipe(Effect.ensuring(ignore(raw.unlink(name))), Effect.andThen(syncDirectory(parentOf(path))))
    ).pipe(Effect.uninterruptible)

  const remove = (path: string): Effect.Effect<void, FsError> =>
    Effect.catch(Effect.andThen(raw.unlink(path), syncDirectory(parentOf(path))), (error) =>
      error.code === "ENOENT" ? Effect.void : Effect.fail(error)
    )

  const removeAll = (path: string): Effect.Effect<void, FsError> =>
    Effect.flatMap(raw.stat(path), (stat) => {
      if (stat === undefined) return Effect.void
      if (stat.type !== "directory") return raw.unlink(path)
      return Effect.andThen(
        Effect.flatMap(raw.list(path), (names) =>
          Effect.forEach(names, (name) => removeAll(`${path}/${name}`), { discard: true })
        ),
        raw.rmdir(path)
      )
    })

  /** `parents`: its parents are made if they are missing, once; where that does not help, nothing will. */
  const makeOne = (path: string, parents: boolean): Effect.Effect<void, FsError> =>
    Effect.catch(Effect.andThen(raw.mkdir(path), syncDirectory(parentOf(path))), (error) => {
      if (error.code === "EEXIST") {
        return Effect.flatMap(raw.stat(path), (stat) =>
          stat?.type === "file" || stat?.type === "other"
            ? Effect.fail(new FsError({ op: "mkdir", path, code: "ENOTDIR" }))
            : Effect.void
        )
      }
      const parent = parentOf(path)
      return parents && error.code === "ENOENT" && parent !== path && parent !== "."
        ? Effect.andThen(makeOne(parent, true), makeOne(path, false))
        : Effect.fail(error)
    })

  const makeDirectory = (path: string): Effect.Effect<void, FsError> => makeOne(path, true)

  return {
    readFile: (path) =>
      Effect.scoped(
        Effect.flatMap(openRead(path), (handle) =>
          Effect.flatMap(handle.size, (size) => handle.read(0, size))
        )
      ),
    openRead,
    openAppend,
    replace,
    replaceAll,
    createExclusive,
    remove,
    removeTree: (path) =>
      Effect.andThen(
        removeAll(path),
        Effect.suspend(() => syncDirectory(parentOf(path)))
      ),
    rename: (from, to) =>
      Effect.andThen(
        renamed(from, to),
        Effect.andThen(
          syncDirectory(parentOf(to)),
          parentOf(from) === parentOf(to) ? Effect.void : syncDirectory(parentOf(from))
        )
      ),
    makeDirectory,
    list: (path) => Effect.map(raw.list(path), (names) => [...names].sort()),
    stat: raw.stat,
    freeBytes: raw.freeBytes
  }
}
