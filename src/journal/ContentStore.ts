// ContentStore: values by the SHA-256 of their content, in a run's blobs/. Storing again is a no-op, writers of the
// same content converge, and what is returned is durable (put) or verified (get).
import { Effect, Result, Schema } from "effect"
import { canonicalJson, type Json } from "../domain/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import { FsPort } from "../kernel/FsPort.ts"
import { fromFsError, JournalError } from "./JournalError.ts"
import { isBlobName } from "./RunDirectory.ts"

/** Largest value that is kept, in bytes of its canonical JSON. A string of twice that could not be made. */
export const maxBlobBytes = 256 * 1024 * 1024

export interface ContentStore {
  /** Stores the canonical JSON of `value`; returns its name. */
  readonly put: (value: unknown) => Effect.Effect<string, JournalError>
  readonly putBytes: (bytes: Uint8Array) => Effect.Effect<string, JournalError>
  /** The value; fails with `blob_missing` or `blob_corrupt`. */
  readonly get: (name: string) => Effect.Effect<Json, JournalError>
  readonly getBytes: (name: string) => Effect.Effect<Uint8Array, JournalError>
  readonly has: (name: string) => Effect.Effect<boolean, JournalError>
  /** Names of all blobs, sorted. */
  readonly list: Effect.Effect<ReadonlyArray<string>, JournalError>
}

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

export const makeContentStore = Effect.fnUntraced(function* (
  dir: string
): Effect.fn.Return<ContentStore, never, FsPort> {
  const fs = yield* FsPort
  const known = new Set<string>()
  let made = false

  const error = (code: JournalError["code"], name: string, problem: string, cure: string) =>
    new JournalError({ code, path: `${dir}/${name}`, problem, cure })

  const pathOf = (name: string): Effect.Effect<string, JournalError> =>
    isBlobName(name)
      ? Effect.succeed(`${dir}/${name}`)
      : Effect.fail(
          error(
            "bad_id",
            "",
            `${JSON.stringify(name.slice(0, 80))} is not a blob's name`,
            "see `alembic verify`"
          )
        )

  const getBytes = Effect.fnUntraced(function* (name: string) {
    const path = yield* pathOf(name)
    const bytes = yield* Effect.mapError(fs.readFile(path), (cause) =>
      cause.code === "ENOENT"
        ? error("blob_missing", name, "the blob is gone", "restore it from a copy of the run")
        : fromFsError(cause)
    )
    if (sha256(bytes) !== name) {
      return yield* error(
        "blob_corrupt",
        name,
        "its content is not what its name says",
        "restore it from a copy of the run"
      )
    }
    return bytes
  })

  const putBytes = Effect.fnUntraced(function* (bytes: Uint8Array) {
    if (bytes.length > maxBlobBytes) {
      return yield* error(
        "too_large",
        "",
        `a value of ${bytes.length} bytes is over the limit of ${maxBlobBytes}`,
        "ask for less at once, or split the work"
      )
    }
    const name = sha256(bytes)
    if (known.has(name)) return name
    if (!made) {
      yield* Effect.mapError(fs.makeDirectory(dir), fromFsError)
      made = true
    }
    const path = `${dir}/${name}`
    // One that is there and of the right size may still be damaged; then it is written again, which mends it.
    const intact = yield* Effect.match(getBytes(name), { onFailure: () => false, onSuccess: () => true })
    if (!intact) yield* Effect.mapError(fs.replace(path, bytes), fromFsError)
    known.add(name)
    return name
  })

  return {
    put: (value) => {
      const text = canonicalJson(value)
      return Result.isFailure(text)
        ? Effect.fail(error("not_canonical", "", text.failure.message, "give plain JSON data"))
        : putBytes(Buffer.from(text.success))
    },
    putBytes,
    get: (name) =>
      Effect.flatMap(getBytes(name), (bytes) => {
        const value = decodeJson(new TextDecoder().decode(bytes))
        return Result.isSuccess(value)
          ? Effect.succeed(value.success)
          : Effect.fail(error("blob_corrupt", name, "it is not JSON", "it is read as bytes, not as a value"))
      }),
    getBytes,
    has: (name) =>
      Effect.flatMap(pathOf(name), (path) =>
        Effect.map(Effect.mapError(fs.stat(path), fromFsError), (stat) => stat?.type === "file")
      ),
    list: Effect.catch(
      Effect.map(fs.list(dir), (names) => names.filter(isBlobName)),
      (cause) => (cause.code === "ENOENT" ? Effect.succeed([]) : Effect.fail(fromFsError(cause)))
    )
  }
})
