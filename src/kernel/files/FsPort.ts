// FsPort: the files a run is kept in, as a service. What it promises is durability: an acknowledged append or
// replace is on the disk. Live layer: FsPort.node.ts. In memory and fault injecting: alembic/testing.
// Paths are absolute or relative to the process; `/` separates.
import { Context, Schema, type Effect, type Scope } from "effect"

export const FsOperation = Schema.Literals([
  "open",
  "read",
  "write",
  "fsync",
  "rename",
  "unlink",
  "mkdir",
  "list",
  "stat",
  "truncate",
  "link",
  "fsync_directory"
])
export type FsOperation = typeof FsOperation.Type

/** A file operation that failed. `code` is the errno name (`ENOENT`, `ENOSPC`, …); `ELOOP` for a symbolic link. */
export class FsError extends Schema.TaggedError<FsError>()("FsError", {
  op: FsOperation,
  path: Schema.String,
  code: Schema.String
}) {
  override get message() {
    return `${this.code} on ${this.op} of ${this.path}`
  }
}

export interface FileStat {
  readonly type: "file" | "directory" | "symlink" | "other"
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number
}

/** An open log. After a failed `sync` it is poisoned: every later call fails with the same error (fail-stop). */
export interface AppendHandle {
  /** Bytes in the file, acknowledged or not. */
  readonly size: Effect.Effect<number>
  /** Writes all of `bytes` at the end, short writes completed. On failure the file is cut back to what it was. */
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, FsError>
  /** Everything appended so far is durable when this returns. Other fibers go on meanwhile. */
  readonly sync: Effect.Effect<void, FsError>
  /** The same, holding the thread: quicker where nobody else has anything to do. */
  readonly syncNow: Effect.Effect<void, FsError>
  /** Cuts the file to `size` bytes, durably. */
  readonly truncate: (size: number) => Effect.Effect<void, FsError>
}

export interface ReadHandle {
  readonly size: Effect.Effect<number, FsError>
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, FsError>
  /** Fills `into` from `offset`; returns how many bytes there were, fewer only at the end of the file. */
  readonly readInto: (offset: number, into: Uint8Array) => Effect.Effect<number, FsError>
}

export class FsPort extends Context.Service<
  FsPort,
  {
    readonly readFile: (path: string) => Effect.Effect<Uint8Array, FsError>
    readonly openRead: (path: string) => Effect.Effect<ReadHandle, FsError, Scope.Scope>
    /** Opens (creating, mode 0600) a file for appending, not following a symbolic link. */
    readonly openAppend: (path: string) => Effect.Effect<AppendHandle, FsError, Scope.Scope>
    /** Atomic and durable: unique temporary file beside it, fsync, rename, fsync of the directory. */
    readonly replace: (path: string, bytes: Uint8Array) => Effect.Effect<void, FsError>
    /** Many files of one directory, each atomic, all durable when it returns; the directory is synced once. */
    readonly replaceAll: (
      directory: string,
      files: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }>
    ) => Effect.Effect<void, FsError>
    /** Creates the file with its content, durably, in one step; `EEXIST` if there is one. */
    readonly createExclusive: (path: string, bytes: Uint8Array) => Effect.Effect<void, FsError>
    /** Removes a file; absent is fine. */
    readonly remove: (path: string) => Effect.Effect<void, FsError>
    /** Removes a directory and all in it; absent is fine. */
    readonly removeTree: (path: string) => Effect.Effect<void, FsError>
    readonly rename: (from: string, to: string) => Effect.Effect<void, FsError>
    /** Makes the directory and its parents, mode 0700, durably; present is fine. */
    readonly makeDirectory: (path: string) => Effect.Effect<void, FsError>
    /** Names in a directory, sorted by UTF-16 code unit. */
    readonly list: (path: string) => Effect.Effect<ReadonlyArray<string>, FsError>
    /** What is at the path itself; a symbolic link is not followed. `undefined` where nothing is. */
    readonly stat: (path: string) => Effect.Effect<FileStat | undefined, FsError>
    /** Bytes that this user may still write where `path` is; undefined where the system does not say. */
    readonly freeBytes: (path: string) => Effect.Effect<number | undefined, FsError>
  }
>()("alembic/kernel/FsPort") {}
