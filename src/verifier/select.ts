// Picking the value that a claim is about out of its evidence: a stream of a command, a place in a JSON document, a
// capture in a text. What cannot be read in exactly one way is a reason to leave the claim unproven, not a guess.
import { Result, Schema } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import { cutsCapture } from "./boundary.ts"
import { decimalFromNumber, decimalFromText, type Decimal } from "../domain/decimal.ts"
import { defined } from "../domain/defined.ts"
import type { Evidence, FileEvidence } from "./Evidence.ts"
import { encodeText } from "./evidence/decode.ts"
import { certainText, doubtIn, linesOf, readText, underDoubt, type Reading } from "./evidence/reading.ts"
import { linearPattern } from "../schema/pattern/linearPattern.ts"
import { unproven, type Outcome } from "./Finding.ts"
import { pointAt } from "./pointer.ts"
import { trimAscii } from "../domain/trimming.ts"
import { strictJson, type StrictDocument, type StrictJsonError } from "../domain/json/strictJson.ts"

export type Unproven = Outcome & { readonly finding: "unproven" }

/** Longest text an oracle reads, in UTF-16 code units. */
export const maxText = 8_000_000

/**
 * Where the value is. `stream`: of a command (`stdout` if absent). `pointer`: RFC 6901, in a JSON document or a text
 * that is one. `extract`: a regular expression with one group, tried line by line; every match must capture the same text.
 */
export const selection = {
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"])),
  pointer: Schema.optionalKey(Schema.String),
  extract: Schema.optionalKey(Schema.String)
}
const Selection = Schema.Struct(selection)
export type Selection = typeof Selection.Type

export interface Selected {
  readonly value: Json
  readonly unit?: string
  /** How the text is read that the value is, or stands in; absent where it is no text. */
  readonly reading?: Reading
  /** What of the evidence was not fully understood. */
  readonly doubt?: string
}

const give = (code: Unproven["code"], reason: string) => Result.fail(unproven(code, reason))

const isOfItsBytes = ({ encoding = "utf-8", sha256: hash }: FileEvidence, text: string): boolean =>
  sha256(encodeText(text, encoding)) === hash

const readable = (evidence: Evidence | undefined): Result.Result<Evidence, Unproven> => {
  if (evidence === undefined) return give("evidence_missing", "there is no evidence of that id")
  if (evidence.kind === "unreadable") return give("evidence_unreadable", evidence.reason)
  if (evidence.kind === "file" && evidence.text !== undefined && !isOfItsBytes(evidence, evidence.text)) {
    return give("evidence_inconsistent", "the text is not what the hash was taken of")
  }
  return Result.succeed(evidence)
}

/** The evidence itself, if it can be read at all. Kept per sealed evidence, so that its text is hashed once. */
export const evidenceOf = (evidence: Evidence | undefined): Result.Result<Evidence, Unproven> => {
  if (evidence === undefined) return readable(evidence)
  const known = checked.get(evidence)
  if (known !== undefined) return known
  const fresh = readable(evidence)
  checked.set(evidence, fresh)
  return fresh
}
const checked = new WeakMap<Evidence, Result.Result<Evidence, Unproven>>()

/** The text of a file, a source or a command's stream, whole, as it was gathered. */
export const wholeText = (
  evidence: Evidence | undefined,
  stream: Selection["stream"]
): Result.Result<string, Unproven> =>
  Result.flatMap(evidenceOf(evidence), (found) => {
    if (stream !== undefined && found.kind !== "command")
      return give("wrong_kind", "only a command has streams")
    if (found.kind === "command" && found.truncated === true) {
      return give("evidence_truncated", "the command's output is not whole")
    }
    const text =
      found.kind === "command"
        ? found[stream ?? "stdout"]
        : found.kind === "file" || found.kind === "source"
          ? found.text
          : undefined
    if (text === undefined) return give("wrong_kind", `there is no text in evidence of kind ${found.kind}`)
    return text.length > maxText ? give("too_large", `more than ${maxText} characters`) : Result.succeed(text)
  })

const readings = new WeakMap<Evidence, Map<string, Result.Result<Reading, Unproven>>>()

/** The text of a file, a source or a command's stream, as every oracle reads it. Read once. */
export const textOf = (
  evidence: Evidence | undefined,
  stream: Selection["stream"]
): Result.Result<Reading, Unproven> => {
  const known = evidence === undefined ? undefined : readings.get(evidence)?.get(stream ?? "")
  if (known !== undefined) return known
  const read = Result.flatMap(wholeText(evidence, stream), readText)
  if (evidence !== undefined) {
    const streams = readings.get(evidence) ?? new Map<string, Result.Result<Reading, Unproven>>()
    readings.set(evidence, streams.set(stream ?? "", read))
  }
  return read
}

const documents = new WeakMap<Evidence, Map<string, Result.Result<StrictDocument, StrictJsonError>>>()

/** The JSON document that the evidence is, or that its text is. */
const documentOf = (
  evidence: Evidence,
  stream: Selection["stream"]
): Result.Result<StrictDocument, Unproven> => {
  if (evidence.kind === "json") return Result.succeed({ value: evidence.value, lossy: [] })
  return Result.flatMap(textOf(evidence, stream), ({ exact }) => {
    const streams =
      documents.get(evidence) ?? new Map<string, Result.Result<StrictDocument, StrictJsonError>>()
    const document = streams.get(stream ?? "") ?? strictJson(exact)
    documents.set(evidence, streams.set(stream ?? "", document))
    return Result.mapError(document, (error) => unproven("not_json", error.message))
  })
}

/** What of a JSON document is in doubt: only what could not be decoded before it was one. */
export const documentDoubt = (
  evidence: Evidence | undefined,
  stream: Selection["stream"]
): string | undefined =>
  evidence?.kind === "json"
    ? undefined
    : Result.match(textOf(evidence, stream), {
        onFailure: () => undefined,
        onSuccess: ({ doubt, exact }) => (exact.includes("\ufffd") ? doubt : undefined)
      })

/** The value at a pointer; `undefined` inside the result where the document has no such place. */
export const valueAt = (
  evidence: Evidence | undefined,
  pointer: string,
  stream: Selection["stream"]
): Result.Result<Json | undefined, Unproven> =>
  Result.gen(function* () {
    const found = yield* evidenceOf(evidence)
    const document = yield* documentOf(found, stream)
    const value = yield* pointAt(document.value, pointer)
    if (document.lossy.some((lossy) => lossy === pointer || lossy.startsWith(`${pointer}/`))) {
      return yield* give("inexact_number", "a number there has more digits than can be compared")
    }
    return value
  })

const extractFrom = (reading: Reading, pattern: string): Result.Result<string, Unproven> =>
  Result.gen(function* () {
    const regex = yield* Result.mapError(linearPattern(pattern), (error) =>
      unproven("pattern_unsupported", error.message)
    )
    if (regex.placeless) return yield* give("pattern_unsupported", "a look-ahead captures nothing")
    if (regex.groups !== 1) return yield* give("bad_args", "extract needs exactly one group")
    const lines = linesOf(reading)
    const text = lines.join("\n")
    const matches = regex.matches(lines)
    if (matches === undefined) return yield* give("too_large", "extract takes too long")
    const captures = matches.flatMap(({ end, group }) =>
      group === undefined ? [] : [{ ...group, matchEnd: end }]
    )
    const first = captures[0]
    if (first === undefined) return yield* give("evidence_missing", "extract captures nothing")
    if (captures.some((capture) => capture.text !== first.text)) {
      return yield* give("extract_ambiguous", "extract captures different texts")
    }
    if (captures.some(({ end, matchEnd, start }) => cutsCapture(text, start, end, matchEnd))) {
      return yield* give("extract_ambiguous", "extract cuts a number, or what may belong to one")
    }
    return first.text
  })

/** Whether the value is a place in a JSON document, and not a text's own. */
export const inDocument = (evidence: Evidence | undefined, where: Selection): boolean =>
  where.pointer !== undefined || evidence?.kind === "json"

/** The value a claim is about. */
export const select = (evidence: Evidence | undefined, where: Selection): Result.Result<Selected, Unproven> =>
  Result.gen(function* () {
    const found = yield* evidenceOf(evidence)
    if (found.kind === "number") {
      if (where.pointer !== undefined || where.extract !== undefined || where.stream !== undefined) {
        return yield* give("wrong_kind", "a number has no parts")
      }
      return { value: found.value, ...defined({ unit: found.unit }) }
    }
    const whole = inDocument(found, where) ? undefined : yield* textOf(found, where.stream)
    const value = whole?.text ?? (yield* valueAt(found, where.pointer ?? "", where.stream))
    if (value === undefined) return yield* give("pointer_missing", "the document has no such place")
    const reading = whole ?? (typeof value === "string" ? certainText(value) : undefined)
    const doubt = whole === undefined ? (documentDoubt(found, where.stream) ?? doubtIn(value)) : whole.doubt
    const rest = defined({ doubt })
    if (where.extract === undefined) return { value, ...rest, ...defined({ reading }) }
    if (reading === undefined) return yield* give("wrong_kind", "extract reads texts only")
    const captured = yield* extractFrom(reading, where.extract)
    return { value: captured, reading: certainText(captured), ...rest }
  })

/** The outcome for a selected value: see `underDoubt`. */
export const judged = (
  selected: Selected,
  outcome: Outcome,
  certain: "proven" | "refuted" | "none"
): Outcome => underDoubt(outcome, selected.doubt, certain)

export interface Quantity {
  readonly amount: Decimal
  readonly unit?: string
}

/** Longest text that is read as a number with its unit. */
const maxQuantity = 500
const quantityForm = /^([-+0-9.eE]+) ?([\p{L}\p{Sc}%\u2030\u00b0][^\s\d]*)$/u

/** A number, or, where `withUnit`, a text like `512 MiB`. White space around it does not count. */
export const quantityOf = (selected: Selected, withUnit: boolean): Result.Result<Quantity, Unproven> => {
  const { unit, value } = selected
  if (typeof value === "number") {
    const amount = decimalFromNumber(value)
    if (amount !== undefined) return Result.succeed(unit === undefined ? { amount } : { amount, unit })
  }
  if (typeof value !== "string") return give("not_a_number", "what stands there is not a number")
  const text = trimAscii(value)
  if (text.length > maxQuantity) return give("not_a_number", "what stands there is not a number")
  const plain = decimalFromText(text)
  if (plain !== undefined)
    return Result.succeed(unit === undefined ? { amount: plain } : { amount: plain, unit })
  const parts = withUnit && unit === undefined ? quantityForm.exec(text) : null
  const amount = decimalFromText(parts?.[1] ?? "")
  const written = parts?.[2]
  if (amount === undefined || written === undefined)
    return give("not_a_number", "what stands there is not a number")
  return Result.succeed({ amount, unit: written })
}
