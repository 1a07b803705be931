// ContentStore: values by the SHA-256 of their content, in a run's blobs/. Storing again is a no-op, writers of the
// same content converge, and what is returned is durable (put) or verified (get).
import { Effect, Result, Schema } from "effect"
import { canonicalJson, spellsHalfCharacter, type Json } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import { isBlobName } from "./RunDirectory.ts"

/** Largest value that is kept, in bytes of its canonical JSON. A string of twice that could not be made. */
export const maxBlobBytes = 256 * 1024 * 1024

export interface ContentStore {
  /** Stores the canonical JSON of `value`; returns its name. */
  readonly put: (value: unknown) => Effect.Effect<string, JournalError>
  readonly putBytes: (bytes: Uint8Array) => Effect.Effect<string, JournalError>
  /** Many at once, for the price of one directory sync; returns their names in order. */
  readonly putAll: (contents: ReadonlyArray<Uint8Array>) => Effect.Effect<ReadonlyArray<string>, JournalError>
  /** The value; fails with `blob_missing` or `blob_corrupt`. */
  readonly get: (name: string) => Effect.Effect<Json, JournalError>
  readonly getBytes: (name: string) => Effect.Effect<Uint8Array, JournalError>
  readonly has: (name: string) => Effect.Effect<boolean, JournalError>
  /** Bytes that this process has put there. */
  readonly written: () => number
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
  let written = 0

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

  const tooLarge = (bytes: number) =>
    error(
      "too_large",
      "",
      `a value of ${bytes} bytes is over the limit of ${maxBlobBytes}`,
      "ask for less at once, or split the work"
    )

  const putAll = Effect.fnUntraced(function* (contents: ReadonlyArray<Uint8Array>) {
    const missing = new Map<string, Uint8Array>()
    const names: Array<string> = []
    for (const bytes of contents) {
      if (bytes.length > maxBlobBytes) return yield* tooLarge(bytes.length)
      const name = sha256(bytes)
      names.push(name)
      if (known.has(name)) continue
      // One that is there may still be damaged; then it is written again, which mends it.
      const intact = yield* Effect.match(getBytes(name), { onFailure: () => false, onSuccess: () => true })
      if (!intact) missing.set(name, bytes)
    }
    if (missing.size > 0) {
      if (!made) yield* Effect.mapError(fs.makeDirectory(dir), fromFsError)
      made = true
      const files = Array.from(missing, ([name, bytes]) => ({ name, bytes }))
      yield* Effect.mapError(fs.replaceAll(dir, files), fromFsError)
      for (const { bytes } of files) written += bytes.length
    }
    for (const name of names) known.add(name)
    return names
  })

  const putBytes = (bytes: Uint8Array) => Effect.map(putAll([bytes]), ([name = ""]) => name)

  return {
    put: (value) => {
      const text = canonicalJson(value)
      return Result.isFailure(text)
        ? Effect.fail(error("not_canonical", "", text.failure.message, "give plain JSON data"))
        : putBytes(Buffer.from(text.success))
    },
    putBytes,
    putAll,
    get: (name) =>
      Effect.flatMap(getBytes(name), (bytes) => {
        const text = new TextDecoder().decode(bytes)
        const value = decodeJson(text)
        return Result.isSuccess(value) && !spellsHalfCharacter(text, value.success)
          ? Effect.succeed(value.success)
          : Effect.fail(error("blob_corrupt", name, "it is not JSON", "it is read as bytes, not as a value"))
      }),
    getBytes,
    has: (name) =>
      Effect.flatMap(pathOf(name), (path) =>
        Effect.map(Effect.mapError(fs.stat(path), fromFsError), (stat) => stat?.type === "file")
      ),
    written: () => written,
    list: Effect.catch(
      Effect.map(fs.list(dir), (names) => names.filter(isBlobName)),
      (cause) => (cause.code === "ENOENT" ? Effect.succeed([]) : Effect.fail(fromFsError(cause)))
    )
  }
})
