// FsPort on the file system of the machine, over node:fs. Quick steps are synchronous (a system call of some
// microseconds costs less than a trip to the thread pool); fsync and large reads are not, unless asked.
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { makeFsPort } from "./durableFs.ts"
import { FsError, FsPort, type FileStat, type FsOperation } from "./FsPort.ts"
import type { FsPrimitives, OpenMode } from "./FsPrimitives.ts"

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "UNKNOWN"

const step = <A>(op: FsOperation, path: string, run: () => A): Effect.Effect<A, FsError> =>
  Effect.try({ try: run, catch: (cause) => new FsError({ op, path, code: codeOf(cause) }) })

// Windows has no O_NOFOLLOW; there the components are checked by lstat alone (see journal/store/RunDirectory.ts).
const noFollow = constants.O_NOFOLLOW ?? 0
// To open a pipe that nobody writes to would hold the thread for ever; a file is opened all the same.
const noWait = constants.O_NONBLOCK ?? 0
const flags: Record<OpenMode, number> = {
  read: constants.O_RDONLY | noFollow | noWait,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | noFollow
}

const statOf = (path: string): FileStat | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const type = stat.isFile()
    ? "file"
    : stat.isDirectory()
      ? "directory"
      : stat.isSymbolicLink()
        ? "symlink"
        : "other"
  return { type, size: stat.size, mtimeMs: stat.mtimeMs }
}

const makePrimitives = (): FsPrimitives => {
  const process = randomBytes(6).toString("hex")
  let count = 0
  // Descriptors say nothing of what they are open on; errors should.
  const paths = new Map<number, string>()
  const pathOf = (descriptor: number) => paths.get(descriptor) ?? `descriptor ${descriptor}`

  const syncing = (descriptor: number, sync: typeof fdatasync): Effect.Effect<void, FsError> =>
    Effect.callback((resume) => {
      sync(descriptor, (cause) => {
        resume(
          cause === null
            ? Effect.void
            : Effect.fail(new FsError({ op: "fsync", path: pathOf(descriptor), code: codeOf(cause) }))
        )
      })
    })

  return {
    open: (path, mode) =>
      step("open", path, () => {
        const descriptor = openSync(path, flags[mode], 0o600)
        paths.set(descriptor, path)
        return descriptor
      }),
    close: (descriptor) =>
      Effect.sync(() => {
        paths.delete(descriptor)
        closeSync(descriptor)
      }),
    size: (descriptor) => step("stat", pathOf(descriptor), () => fstatSync(descriptor).size),
    read: (descriptor, offset, into) =>
      step("read", pathOf(descriptor), () => readSync(descriptor, into, 0, into.length, offset)),
    write: (descriptor, bytes) => step("write", pathOf(descriptor), () => writeSync(descriptor, bytes)),
    // The size of the file is metadata that fdatasync does write, since without it the data could not be read.
    fsync: (descriptor) => syncing(descriptor, fdatasync),
    fsyncNow: (descriptor) => step("fsync", pathOf(descriptor), () => fdatasyncSync(descriptor)),
    truncate: (descriptor, size) =>
      step("truncate", pathOf(descriptor), () => ftruncateSync(descriptor, size)),
    rename: (from, to) => step("rename", to, () => renameSync(from, to)),
    link: (existing, name) => step("link", name, () => linkSync(existing, name)),
    unlink: (path) => step("unlink", path, () => unlinkSync(path)),
    mkdir: (path) => step("mkdir", path, () => void mkdirSync(path, { mode: 0o700 })),
    rmdir: (path) => step("unlink", path, () => rmdirSync(path)),
    list: (path) => step("list", path, () => readdirSync(path)),
    stat: (path) => step("stat", path, () => statOf(path)),
    freeBytes: (path) =>
      Effect.orElseSucceed(
        step("stat", path, () => {
          const { bavail, bsize, blocks } = statfsSync(path)
          // A file system without blocks does not count them.
          return blocks === 0 ? undefined : bavail * bsize
        }),
        () => undefined
      ),
    fsyncDirectory: (path) =>
      step("fsync_directory", path, () => {
        const descriptor = openSync(path, constants.O_RDONLY)
        try {
          fsyncSync(descriptor)
        } finally {
          closeSync(descriptor)
        }
      }),
    pause: (ms) =>
      Effect.callback((resume) => {
        const timer = setTimeout(() => resume(Effect.void), ms)
        return Effect.sync(() => clearTimeout(timer))
      }),
    uniqueName: () => `${process}-${++count}`
  }
}

/** The live layer. */
export const layer: Layer.Layer<FsPort> = Layer.sync(FsPort, () => makeFsPort(makePrimitives()))
