// LogReader: from bytes to events. It is fed chunk by chunk and checks every line: readable, a known event, in its
// place, chained to the line before. Pure; it neither opens nor repairs. What is after the last newline is a torn
// tail and the caller's to judge.
import { Option, Result, Schema } from "effect"
import { isTooDeep, spellsHalfCharacter } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { guardOf } from "../../domain/guardOf.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import { JournalError } from "../JournalError.ts"

/** `prev` of the first event. */
export const genesis = "0".repeat(64)

/** Longest line, in bytes. What is larger belongs in a blob. */
export const maxLineBytes = 16 * 1024 * 1024

/** An event and where its line stands: offset and length in bytes, newline not counted. */
export interface LogEntry {
  readonly event: RunEvent
  readonly line: number
  readonly offset: number
  readonly length: number
  /** SHA-256 of the line. */
  readonly hash: string
}

/** A problem with one line. Reading can go on after it, which is what `verify` does. */
export interface LineProblem {
  readonly line: number
  readonly code: "journal_corrupt" | "journal_tampered" | "journal_sequence" | "schema"
  readonly problem: string
}

const newline = 0x0a
const tampered = "the line was changed: its hash, or the one it names, does not fit its neighbours"
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
// Events are the same in the log and in memory, so that checking one is enough, at half the price of decoding it.
const isEvent = guardOf(RunEvent)
const isHeader = Schema.is(Schema.Struct({ seq: Schema.Int, prev: Schema.String, type: Schema.String }))

/** The text of whole lines, in one piece: a thousand small ones take as long to decode as to parse. */
const decoded = (lines: Uint8Array): string | undefined =>
  Result.getOrUndefined(Result.try(() => decoder.decode(lines)))

/** `given`: the text of the bytes, where they have one and it is known. */
const parse = (bytes: Uint8Array, given?: string): Result.Result<unknown, string> =>
  Result.flatMap(parsed(bytes, given), ({ text, value }) =>
    spellsHalfCharacter(text, value) ? Result.fail("it holds half of a character") : Result.succeed(value)
  )

const parsed = (
  bytes: Uint8Array,
  given?: string
): Result.Result<{ readonly text: string; readonly value: unknown }, string> =>
  Result.try({
    try: () => {
      const text = given ?? decoder.decode(bytes)
      const value: unknown = JSON.parse(text)
      return { text, value }
    },
    catch: () => {
      if (bytes.length === 0) return "an empty line"
      if (bytes.includes(0)) return "zero bytes in the middle of the log"
      const text = new TextDecoder().decode(bytes)
      return /\{"seq":.*\{"seq":/.test(text)
        ? "two events on one line: a torn line was appended to by another program"
        : "not a whole JSON object in UTF-8"
    }
  })

/** An event out of a line's bytes, without its place in the chain being checked. */
export const parseEvent = (bytes: Uint8Array): Option.Option<RunEvent> =>
  Option.filter(Result.getSuccess(parse(bytes)), isEvent)

export class LogReader {
  /** Lines taken so far. */
  line = 0
  /** Offset of the first byte not taken: the end of the last whole line. */
  offset = 0
  /** Hash of the last line taken. */
  hash = genesis
  private expected = 1
  /** A line whose `prev` is not the hash of the one before: the next line tells which of the two was changed. */
  private suspect = 0
  private rest: Uint8Array = new Uint8Array(0)
  private readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** What stands after the last newline, so far. */
  get tail(): Uint8Array {
    return this.rest
  }

  /** The seq of the last event taken, 0 for none. */
  get lastSeq(): number {
    return this.expected - 1
  }

  /** Takes the next bytes; gives each entry to `onEntry`, each problem to `onProblem`. */
  push(
    chunk: Uint8Array,
    onEntry: (entry: LogEntry) => void,
    onProblem: (problem: LineProblem) => void
  ): void {
    let from = 0
    let end = chunk.indexOf(newline)
    if (end >= 0 && this.rest.length > 0) {
      const line = Buffer.concat([this.rest, chunk.subarray(0, end)])
      this.rest = new Uint8Array(0)
      this.take(line, undefined, onEntry, onProblem)
      from = end + 1
      end = chunk.indexOf(newline, from)
    }
    // The newlines of the text are those of the bytes, one by one.
    const text = end < 0 ? undefined : decoded(chunk.subarray(from, chunk.lastIndexOf(newline) + 1))
    let at = 0
    while (end >= 0) {
      const next = text === undefined ? 0 : text.indexOf("\n", at)
      this.take(chunk.subarray(from, end), text?.slice(at, next), onEntry, onProblem)
      at = next + 1
      from = end + 1
      end = chunk.indexOf(newline, from)
    }
    if (from < chunk.length) {
      const piece = chunk.subarray(from)
      this.rest = this.rest.length === 0 ? new Uint8Array(piece) : Buffer.concat([this.rest, piece])
    }
  }

  private take(
    bytes: Uint8Array,
    text: string | undefined,
    onEntry: (entry: LogEntry) => void,
    onProblem: (problem: LineProblem) => void
  ) {
    const line = ++this.line
    const { offset } = this
    this.offset += bytes.length + 1
    const before = this.hash
    this.hash = sha256(bytes)
    const at = (code: LineProblem["code"], problem: string, on = line) =>
      onProblem({ line: on, code, problem })

    const parsed = parse(bytes, text)
    if (Result.isFailure(parsed)) {
      this.expected++
      return at("journal_corrupt", parsed.failure)
    }
    const found = parsed.success
    if (isTooDeep(found, bytes.length)) {
      this.expected++
      return at("journal_corrupt", "it nests deeper than anything that is ever written")
    }
    const event = isEvent(found) ? found : undefined
    const header = event ?? (isHeader(found) ? found : undefined)
    if (header === undefined) {
      this.expected++
      return at("journal_corrupt", "not an event")
    }
    const { prev, seq, type } = header
    const { expected } = this
    // What comes after a gap is counted from there, so that one missing line is one problem.
    this.expected = seq === expected ? expected + 1 : Math.max(seq, 0) + 1
    if (seq !== expected)
      return at("journal_sequence", `event ${expected} is expected here, this is event ${seq}`)
    const chained = prev === before
    if (this.suspect > 0) {
      at("journal_tampered", tampered, chained && this.suspect > 1 ? this.suspect - 1 : this.suspect)
      this.suspect = 0
    } else if (!chained) {
      this.suspect = line
    }
    if (!chained) return
    if (event === undefined) return at("schema", `an event of an unknown kind or form: ${type.slice(0, 40)}`)
    onEntry({ event, line, offset, length: bytes.length, hash: this.hash })
  }

  /** To be called after the last chunk. `lastHash`: that of the last line, where another file vouches for it. */
  finish(onProblem: (problem: LineProblem) => void, lastHash?: string): void {
    if (this.suspect === 0) return
    const line =
      lastHash !== undefined && lastHash !== this.hash ? this.suspect : Math.max(1, this.suspect - 1)
    onProblem({ line, code: "journal_tampered", problem: tampered })
    this.suspect = 0
  }

  /** The error that a problem is for whoever wants a sound log. */
  errorOf(problem: LineProblem): JournalError {
    // The log lies in its run's directory.
    const run = this.path.split("/").at(-2) ?? "RUN"
    return new JournalError({
      ...problem,
      path: this.path,
      cure:
        problem.code === "schema"
          ? "use the version of Alembic that made the run"
          : `\`alembic verify ${run}\` lists all problems; \`alembic repair ${run} --truncate-at ${Math.max(0, problem.line - 1)}\` keeps what is before, and a backup`
    })
  }
}
