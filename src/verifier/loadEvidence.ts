// Evidence from the files of a directory, given as paths and bytes (reading the disk is the caller's). A file is
// evidence under its path; a `*.evidence.json` file holds structured evidence under ids of its own.
import { Result, Schema } from "effect"
import { sha256 } from "../domain/fingerprint.ts"
import { Evidence } from "./Evidence.ts"
import { strictJson } from "../domain/strictJson.ts"

export interface GivenFile {
  /** Relative to the evidence directory, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
}

const suffix = ".evidence.json"
const decode = Schema.decodeUnknownResult(Schema.Union([Evidence, Schema.Array(Evidence)]), {
  onExcessProperty: "error"
})

/** UTF-8 without replacement, byte order mark kept, so that the text stands for the bytes exactly. */
const textOf = (bytes: Uint8Array): string | undefined =>
  Result.getOrElse(
    Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
    () => undefined
  )

const asFile = ({ bytes, path }: GivenFile): Evidence => {
  const text = textOf(bytes)
  const file = { kind: "file" as const, id: path, path, sha256: sha256(bytes), bytes: bytes.length }
  return text === undefined ? file : { ...file, text }
}

const structured = ({ bytes, path }: GivenFile): ReadonlyArray<Evidence> => {
  const bad = (reason: string): ReadonlyArray<Evidence> => [{ kind: "unreadable", id: path, reason }]
  const text = textOf(bytes)
  if (text === undefined) return bad("not UTF-8")
  const document = strictJson(text)
  if (Result.isFailure(document)) return bad(document.failure.message)
  if (document.success.lossy.length > 0)
    return bad(`${document.success.lossy[0]}: a number with too many digits`)
  return Result.match(decode(document.success.value), {
    onFailure: (error) => bad(error.message),
    onSuccess: (evidence) => ("kind" in evidence ? [evidence] : evidence)
  })
}

/** Every file as evidence, in the order given. What cannot be read is `unreadable` evidence, never left out. */
export const loadEvidence = (files: ReadonlyArray<GivenFile>): ReadonlyArray<Evidence> =>
  files.flatMap((file) => (file.path.endsWith(suffix) ? structured(file) : [asFile(file)]))
