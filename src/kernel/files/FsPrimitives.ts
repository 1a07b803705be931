// FsPrimitives: the single steps that FsPort's promises are built from, one system call each. The Node layer and
// the layer in memory differ only here, so that faults can strike between any two steps of either.
// What the steps add up to (durable append, atomic replace) is durableFs.ts.
import type { Effect } from "effect"
import type { FileStat, FsError } from "./FsPort.ts"

/** A number that stands for an open file. */
export type Descriptor = number

/** `read`: it must be there. `append`: created if absent. `create`: it must not be there. None follows a link. */
export type OpenMode = "read" | "append" | "create"

export interface FsPrimitives {
  readonly open: (path: string, mode: OpenMode) => Effect.Effect<Descriptor, FsError>
  readonly close: (descriptor: Descriptor) => Effect.Effect<void>
  /** Bytes in the open file. */
  readonly size: (descriptor: Descriptor) => Effect.Effect<number, FsError>
  /** Returns how many bytes it read, which may be fewer than there is room for. */
  readonly read: (descriptor: Descriptor, offset: number, into: Uint8Array) => Effect.Effect<number, FsError>
  /** Writes at the end; returns how many bytes were taken, which may be fewer than given. */
  readonly write: (descriptor: Descriptor, bytes: Uint8Array) => Effect.Effect<number, FsError>
  readonly fsync: (descriptor: Descriptor) => Effect.Effect<void, FsError>
  /** Holds the thread. */
  readonly fsyncNow: (descriptor: Descriptor) => Effect.Effect<void, FsError>
  readonly truncate: (descriptor: Descriptor, size: number) => Effect.Effect<void, FsError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, FsError>
  /** A second name for a file; `EEXIST` if the name is taken. */
  readonly link: (existing: string, name: string) => Effect.Effect<void, FsError>
  readonly unlink: (path: string) => Effect.Effect<void, FsError>
  /** One level; `EEXIST` if something is there. */
  readonly mkdir: (path: string) => Effect.Effect<void, FsError>
  readonly rmdir: (path: string) => Effect.Effect<void, FsError>
  readonly list: (path: string) => Effect.Effect<ReadonlyArray<string>, FsError>
  readonly stat: (path: string) => Effect.Effect<FileStat | undefined, FsError>
  /** Bytes that may still be written where `path` is; undefined where the system does not say. */
  readonly freeBytes: (path: string) => Effect.Effect<number | undefined, FsError>
  /** Makes names that were added to or removed from the directory durable. */
  readonly fsyncDirectory: (path: string) => Effect.Effect<void, FsError>
  /** Waits that long in real time: for what holds a file for a moment (virus scanners). */
  readonly pause: (ms: number) => Effect.Effect<void>
  /** Distinguishes this process's temporary files from all others'. */
  readonly uniqueName: () => string
}
