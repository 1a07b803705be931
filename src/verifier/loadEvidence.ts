// Evidence from the files of a directory, given as paths and bytes (reading the disk is the caller's). A file is
// evidence under its path; a `*.evidence.json` file holds numbers, documents and sources under ids of its own. One that
// looks as if it held the engine's records (of commands, of files) is a JSON text like any other, whoever wrote it.
import { Result, Schema } from "effect"
import { sha256 } from "../domain/fingerprint.ts"
import { asGiven, Evidence } from "./Evidence.ts"
import { decodeText } from "./evidence/decode.ts"
import { strictJson } from "../domain/json/strictJson.ts"

export interface GivenFile {
  /** Relative to the evidence directory, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
}

const suffix = ".evidence.json"
const decode = Schema.decodeUnknownResult(Schema.Union([Evidence, Schema.Array(Evidence)]), {
  onExcessProperty: "error"
})

/** A file's bytes as evidence of that file, whatever its name: their hash, and their text if they are one. */
export const fileEvidence = ({ bytes, path }: GivenFile): Evidence => {
  const decoded = decodeText(bytes)
  const file = { kind: "file" as const, id: path, path, sha256: sha256(bytes), bytes: bytes.length }
  if (decoded === undefined) return file
  const { encoding, text } = decoded
  return encoding === "utf-8" ? { ...file, text } : { ...file, text, encoding }
}

/** What only whoever reads a file, or runs a command, can say of it. */
const isRecord = ({ kind }: Evidence): boolean => kind === "command" || kind === "file"

const recordsOf = (file: GivenFile, pieces: ReadonlyArray<Evidence>): ReadonlyArray<Evidence> => {
  if (!pieces.some(isRecord)) return pieces
  // Another file of that path is evidence of itself, and what this one says of it is not heard.
  return [fileEvidence(file), ...pieces.filter(({ kind }) => kind !== "file").map(asGiven)]
}

const structured = ({ bytes, path }: GivenFile): ReadonlyArray<Evidence> => {
  const bad = (reason: string): ReadonlyArray<Evidence> => [{ kind: "unreadable", id: path, reason }]
  const decoded = decodeText(bytes)
  if (decoded === undefined) return bad("not a text in UTF-8, or in UTF-16 with a byte order mark")
  const document = strictJson(decoded.text.replace(/^\ufeff/, ""))
  if (Result.isFailure(document)) return bad(document.failure.message)
  if (document.success.lossy.length > 0)
    return bad(`${document.success.lossy[0]}: a number with too many digits`)
  return Result.match(decode(document.success.value), {
    onFailure: (error) => bad(error.message),
    onSuccess: (evidence) => recordsOf({ bytes, path }, "kind" in evidence ? [evidence] : evidence)
  })
}

/** Every file as evidence, in the order given. What cannot be read is `unreadable` evidence, never left out. */
export const loadEvidence = (files: ReadonlyArray<GivenFile>): ReadonlyArray<Evidence> =>
  files.flatMap((file) => (file.path.endsWith(suffix) ? structured(file) : [fileEvidence(file)]))
