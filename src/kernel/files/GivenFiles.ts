// GivenFiles: the one place that reads files which somebody else put there: evidence, attachments, what a worker hands
// over. Such a file may be a pipe that nobody writes to, a device without end, a link out of the folder, or grow while
// it is read. Only a regular file is read, only below its root by its real path, up to a size and within a time.
// Live layer: GivenFiles.node.ts.
import { Context, Effect, Layer, Schema } from "effect"

/** More is no evidence that anybody reads. */
export const maxGivenBytes = 64 * 1024 * 1024
/** A file system that takes longer is not there. */
export const maxGivenMs = 30_000

/** Why a file was not read. `missing`: there is none; `unreadable`: the system said `detail`. */
export class GivenFileError extends Schema.TaggedError<GivenFileError>()("GivenFileError", {
  path: Schema.String,
  code: Schema.Literals([
    "missing",
    "outside",
    "directory",
    "not_regular",
    "too_large",
    "too_slow",
    "unreadable"
  ]),
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    switch (this.code) {
      case "missing":
        return "there is no such file"
      case "outside":
        return "it leads out of its folder, through a link or `..`"
      case "directory":
        return "it is a directory"
      case "not_regular":
        return `it is ${this.detail ?? "not a file"}, and only regular files are read`
      case "too_large":
        return `it is over ${this.detail ?? String(maxGivenBytes)} bytes`
      case "too_slow":
        return `it was not read within ${maxGivenMs / 1000} seconds`
      case "unreadable":
        return this.detail === "EACCES" || this.detail === "EPERM"
          ? "permission denied"
          : `it cannot be read (${this.detail ?? "unknown"})`
    }
  }
}

export interface GivenLimits {
  /** `maxGivenBytes` unless set. */
  readonly maxBytes?: number
}

export class GivenFiles extends Context.Service<
  GivenFiles,
  {
    /** The bytes of the file at `path` below the directory `root`. Links that stay below `root` are followed. */
    readonly read: (
      root: string,
      path: string,
      limits?: GivenLimits
    ) => Effect.Effect<Uint8Array, GivenFileError>
  }
>()("alembic/kernel/GivenFiles") {
  /** Files of a folder in memory, by path; there are none unless given. */
  static readonly layerMemory = (
    files: (path: string) => Uint8Array | undefined = () => undefined
  ): Layer.Layer<GivenFiles> =>
    Layer.succeed(
      GivenFiles,
      GivenFiles.of({
        read: (_root, path) =>
          Effect.suspend(() => {
            const bytes = files(path)
            return bytes === undefined
              ? Effect.fail(new GivenFileError({ path, code: "missing" }))
              : Effect.succeed(bytes)
          })
      })
    )
}
