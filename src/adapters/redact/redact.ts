// Keeps keys, prompts and pages of HTML out of every message that leaves the waist. Works on known secrets in all
// the shapes they come back in, and on anything that is shaped like a key. Pure; bounding is makeError's.
import { Result } from "effect"
import { Base64 } from "effect/encoding"
import { trimEndOf } from "../../domain/trimming.ts"

const mask = "[redacted]"

/** Shortest piece of a known secret that is worth hiding; shorter secrets are hidden only whole. */
const pieceLength = 8
const promptPieceLength = 20

/** Shorter ones would be found everywhere by chance. */
const shortestSecret = 4

/** Longest text that is looked at; a message is bounded far below. */
const longest = 16_384

/** Shapes that are keys wherever they stand, precise enough to refuse a file for. */
const keyForms: ReadonlyArray<RegExp> = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[a-z]{2,12}[-_])*[A-Za-z0-9_-]{16,}/g,
  /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{30,}/g,
  /(?<![A-Za-z0-9])AQ\.[0-9A-Za-z_-]{30,}/g,
  /(?<![A-Za-z0-9])ya29\.[0-9A-Za-z_-]{20,}/g,
  /(?<![A-Za-z0-9])gh[pousr]_[0-9A-Za-z]{20,}/g,
  /(?<![A-Za-z0-9])github_pat_[0-9A-Za-z_]{20,}/g,
  /(?<![A-Za-z0-9])gl(?:pat|rt|dt)-[0-9A-Za-z_-]{16,}/g,
  /(?<![A-Za-z0-9])xox[abeoprs]-[0-9A-Za-z-]{10,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/g,
  /(?<![A-Za-z0-9])(?:hf|gsk|r8|npm|dop_v1|csk|fw)_[0-9A-Za-z]{20,}/g,
  /(?<![A-Za-z0-9])(?:xai|nvapi|pplx|tvly|lsv2|jina|tgp_v1|dapi|pul)[-_][0-9A-Za-z_-]{20,}/g,
  /(?<![A-Za-z0-9])SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}/g,
  /(?<=AccountKey=)[A-Za-z0-9+/=]{40,}/g
]

/** A kind of key: whether a text has one, and the text without. */
interface KeyShape {
  readonly stands: (text: string) => boolean
  readonly hide: (text: string) => string
}

const byForm = (form: RegExp): KeyShape => ({
  stands: (text) => text.search(form) !== -1,
  hide: (text) => text.replace(form, (found) => (found.endsWith("@") ? `${mask}@` : mask))
})

/**
 * JSON web tokens: three runs of base64url with dots between, the first with `eyJ` at its start or behind `-` or `_`.
 * Found run by run: a pattern would read the rest of a run again from every `eyJ` in it.
 */
const tokensIn = (text: string): ReadonlyArray<readonly [from: number, to: number]> => {
  const found: Array<readonly [number, number]> = []
  let runs: ReadonlyArray<readonly [from: number, to: number]> = []
  for (const run of text.matchAll(/[0-9A-Za-z_-]+/g)) {
    const from = run.index
    const last = runs.at(-1)
    const joined = last !== undefined && last[1] === from - 1 && text[from - 1] === "."
    runs = [...(joined ? runs.slice(-1) : []), [from, from + run[0].length]]
    const [first, second] = runs
    if (first === undefined || second === undefined || second[1] - second[0] < 8 || text[second[1]] !== ".")
      continue
    const opens = tokenStart(text, first)
    if (opens === undefined) continue
    let to = second[1] + 1
    while (/^[0-9A-Za-z_-]$/.test(text.charAt(to))) to++
    found.push([opens, to])
    runs = []
  }
  return found
}

const tokenStart = (text: string, [from, to]: readonly [from: number, to: number]): number | undefined => {
  // Eight characters at least stand behind it.
  const run = text.slice(from, Math.max(from, to - 8))
  for (let at = run.indexOf("eyJ"); at !== -1; at = run.indexOf("eyJ", at + 1)) {
    if (at === 0 || run[at - 1] === "-" || run[at - 1] === "_") return from + at
  }
  return undefined
}

const webTokens: KeyShape = {
  stands: (text) => tokensIn(text).length > 0,
  hide: (text) => {
    let from = 0
    let out = ""
    for (const [start, end] of tokensIn(text)) {
      if (start < from) continue
      out += text.slice(from, start) + mask
      from = end
    }
    return out + text.slice(from)
  }
}

const keyShapes: ReadonlyArray<KeyShape> = [...keyForms.map(byForm), webTokens]

/** Places where a key stands by its label; too eager for refusing files, right for messages. */
const keyPlaces: ReadonlyArray<RegExp> = [
  // What is hidden is looked at first: looking back from every white space would read it again and again.
  /(?=[^\s"',;<>\\]{6})(?<=\b(?:bearer|basic)\s+)[^\s"',;<>\\]+/gi,
  /(?<=\/\/)[^\s/?#@"'<>]+@/g,
  /(?<=[?&](?:[a-z_-]{0,40}(?:key|token|secret|sig|signature|password|auth|credential)[a-z_-]{0,40})=)[^\s&#"'<>\\]+/gi,
  /(?=[^\s"',;<>\\&]{6})(?<=\b(?:[a-z]{1,30}[-_ ]){0,4}(?:api[-_ ]?key|apikey|access[-_ ]?token|auth[-_ ]?token|secret(?:[-_ ]?key)?|password|passwd|authorization|x-goog-api-key|private[-_ ]?key)["'\\]*(?:\s*[=:]\s*|\s+(?:provided|is|was)\s*:?\s+)["'\\]*(?:(?:bearer|basic)\s+)?)[^\s"',;<>\\&]+/gi,
  // A key already masked by somebody else still shows its ends.
  /(?<![A-Za-z0-9])[A-Za-z0-9_-]{2,24}\*{2,}[A-Za-z0-9_-]*/g
]

const base64 = (text: string): string => Base64.encode(text)

/** How the bytes of a secret look inside base64 of something longer, at each of the three alignments. */
const base64Pieces = (secret: string): ReadonlyArray<string> =>
  [0, 1, 2].map((shift) => {
    const encoded = trimEndOf(base64("\0".repeat(shift) + secret), "=")
    // The first characters carry the shift, the last may carry what follows.
    return encoded.slice(shift === 0 ? 0 : shift + 1, -1)
  })

const percentEncoded = (text: string): string => {
  const encoded = Result.try(() => encodeURIComponent(text))
  return Result.isSuccess(encoded) ? encoded.success : text
}

const everyByte = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

/** Every shape a known secret may come back in. */
const shapesOf = (secret: string): ReadonlyArray<string> => {
  const bare = secret.trim()
  const base = new Set<string>([secret, bare])
  for (const form of [secret, bare]) {
    base.add(percentEncoded(form))
    base.add(percentEncoded(form).toLowerCase())
    base.add(everyByte(form))
    base.add(everyByte(form).toUpperCase())
    base.add(JSON.stringify(form).slice(1, -1))
    base.add(JSON.stringify(JSON.stringify(form).slice(1, -1)).slice(1, -1))
    base.add(form.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;"))
    base.add(trimEndOf(base64(form), "="))
    base.add(trimEndOf(base64(form), "=").replace(/\+/g, "-").replace(/\//g, "_"))
    for (const piece of base64Pieces(form)) base.add(piece)
  }
  return Array.from(base).filter((form) => form.length >= shortestSecret)
}

/**
 * Marks what of `text` occurs in `hidden`, in pieces of at least `length`. The text's pieces are indexed, then the
 * hidden one is walked once: the text is short and the hidden one (a prompt) may be megabytes.
 */
const markPieces = (text: string, hidden: string, length: number, marks: Uint8Array): void => {
  if (text.length < length || hidden.length < length) return
  const places = new Map<string, Array<number>>()
  for (let index = 0; index + length <= text.length; index++) {
    const piece = text.slice(index, index + length)
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [index])
    else known.push(index)
  }
  for (let index = 0; index + length <= hidden.length; index++) {
    for (const place of places.get(hidden.slice(index, index + length)) ?? [])
      marks.fill(1, place, place + length)
  }
}

const markWhole = (text: string, hidden: string, marks: Uint8Array): void => {
  if (hidden === "") return
  for (let from = text.indexOf(hidden); from !== -1; from = text.indexOf(hidden, from + 1)) {
    marks.fill(1, from, from + hidden.length)
  }
}

const replaceMarked = (text: string, marks: Uint8Array, by: string): string => {
  let out = ""
  for (let index = 0; index < text.length; index++) {
    if (marks[index] === 0) out += text[index]
    else if (index === 0 || marks[index - 1] === 0) out += by
  }
  return out
}

/** How many characters of `secret`'s beginning stand just before `index`. */
const startBefore = (text: string, index: number, secret: string): number => {
  for (let length = Math.min(secret.length, index); length >= 2; length--) {
    if (text.startsWith(secret.slice(0, length), index - length)) return length
  }
  return 0
}

/** How many characters of `secret`'s end stand at `index`. */
const endAt = (text: string, index: number, secret: string): number => {
  for (let length = Math.min(secret.length, text.length - index); length >= 2; length--) {
    if (text.startsWith(secret.slice(-length), index)) return length
  }
  return 0
}

/** "sk-abc...wxyz": a key cut in its middle by somebody else shows its ends. */
const markEnds = (text: string, secrets: ReadonlyArray<string>, marks: Uint8Array): void => {
  for (const cut of text.matchAll(/\.{2,}|…|[*•]{2,}/g)) {
    const after = cut.index + cut[0].length
    for (const secret of secrets) {
      const bare = secret.trim()
      const before = startBefore(text, cut.index, bare)
      const behind = endAt(text, after, bare)
      if (before + behind > 0) marks.fill(1, cut.index - before, after + behind)
    }
  }
}

const hideSecrets = (text: string, secrets: ReadonlyArray<string>): string => {
  const marks = new Uint8Array(text.length)
  for (const secret of secrets) {
    for (const shape of shapesOf(secret)) {
      if (shape.length < pieceLength) markWhole(text, shape, marks)
      else markPieces(text, shape, pieceLength, marks)
    }
  }
  markEnds(text, secrets, marks)
  return replaceMarked(text, marks, mask)
}

/**
 * A function that hides known secrets whole, in every shape they come back in, and leaves all else of a text as it
 * is. For answers: no length limit, no shapes of unknown keys. A short secret that is a mere word (`ollama`, `test`)
 * is a placeholder, and stays.
 */
export const hideWhole = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const shapes = new Set<string>()
  for (const secret of secrets) {
    const bare = secret.trim()
    if (bare.length < shortestSecret || (bare.length < pieceLength && /^[A-Za-z]+$/.test(bare))) continue
    shapes.add(bare)
    // Short derived shapes (base64 of a few bytes) would be found anywhere by chance.
    for (const shape of shapesOf(secret)) if (shape.length >= pieceLength) shapes.add(shape)
  }
  const longestFirst = Array.from(shapes).toSorted((a, b) => b.length - a.length)
  return (text) => {
    const found = longestFirst.filter((shape) => text.includes(shape))
    return found.reduce((out, shape) => out.replaceAll(shape, mask), text)
  }
}

const page = /<!doctype|<html|<head[\s>]|<body[\s>]|<\?xml/i

/** Whether a text is a page of HTML (or XML), by its beginning. */
export const looksLikeHtml = (text: string): boolean => /^\s*</.test(text)

const stripHtml = (text: string): string => {
  const from = page.exec(text)?.index
  const cut = from === undefined ? text : `${text.slice(0, from)}(an HTML page)`
  return cut.replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
}

/** Whether a text holds a key by its shape alone. For refusing content, so only precise shapes count. */
export const looksLikeSecret = (text: string): boolean => keyShapes.some(({ stands }) => stands(text))

/**
 * `text` without the given secrets (raw, percent-encoded, base64, JSON-escaped, any piece of 8 characters),
 * without anything shaped like a key, without credentials in URLs, and without HTML. Longer texts are cut.
 */
export const redact = (text: string, secrets: ReadonlyArray<string>): string => {
  let out = stripHtml(hideSecrets(text.slice(0, longest), secrets))
  for (const { hide } of [...keyShapes, ...keyPlaces.map(byForm)]) out = hide(out)
  // Control characters would let a foreign message draw on a terminal.
  return out
    .replace(/[^\n\t\P{Cc}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
}

/** `text` without quotes from the prompt: whole, or any piece of 20 characters. */
export const hidePrompt = (text: string, prompts: ReadonlyArray<string>): string => {
  const bounded = text.slice(0, longest)
  const marks = new Uint8Array(bounded.length)
  for (const prompt of prompts) {
    const bare = prompt.trim()
    if (bare.length < promptPieceLength) {
      if (bare.length >= pieceLength) markWhole(bounded, bare, marks)
    } else markPieces(bounded, bare, promptPieceLength, marks)
  }
  return replaceMarked(bounded, marks, "[prompt]")
}
