// JSON that stands in a model's text: alone, in a fenced block, or with prose around it. Decided once, here: the
// whole text comes first, then fenced blocks, then objects and arrays in prose. Trailing commas are forgiven, because
// they have one reading; quotes, comments and missing braces are not, because they have more. An object in which a key
// stands twice has two readings, so an answer that holds one means nothing. Pure.
import { Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { canonicalJson } from "../../domain/json/canonicalJson.ts"
import { repeatedKeyIn } from "../../domain/json/strictJson.ts"

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Json))

/** More values than this in one answer are not looked at: an answer is one value. */
const maxCandidates = 32

/** Without commas that stand right before a closing bracket, outside strings. */
const withoutTrailingCommas = (text: string): string => {
  const kept: Array<string> = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ",") {
      let next = at + 1
      while (/^\s$/.test(text.charAt(next))) next++
      if (text[next] === "}" || text[next] === "]") {
        kept.push(text.slice(from, at))
        from = at + 1
      }
      at = next - 1
    }
  }
  return kept.join("") + text.slice(from)
}

/** Where the string that opens here closes; the end of the text where it never does. */
const endOfString = (text: string, open: number): number => {
  let at = open + 1
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

/** A value that a part of the text writes, and the key that stands twice in it, if one does. */
interface Written {
  readonly value: Json
  readonly repeatedKey: string | undefined
}

const parse = (text: string): Written | undefined => {
  const trimmed = text.trim()
  if (trimmed === "") return undefined
  for (const form of [trimmed, withoutTrailingCommas(trimmed)]) {
    const read = decodeJson(form)
    if (Result.isSuccess(read)) return { value: read.success, repeatedKey: repeatedKeyIn(form) }
  }
  return undefined
}

/** What stands in closed fenced blocks, line by line: a pattern over the whole text would not be linear. */
const fenced = (text: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let open: { readonly fence: string; readonly lines: Array<string> } | undefined
  for (const line of text.split("\n")) {
    const bare = line.trim()
    if (open === undefined) {
      const fence = /^(?:`{3,}|~{3,})/.exec(bare)?.[0]
      if (fence !== undefined) open = { fence, lines: [] }
    } else if (bare.startsWith(open.fence) && bare === bare.charAt(0).repeat(bare.length)) {
      blocks.push(open.lines.join("\n"))
      open = undefined
    } else open.lines.push(line)
    if (blocks.length >= maxCandidates) break
  }
  return blocks
}

/** The end (exclusive) of the bracketed value that starts at `start`, or -1 where it never closes. */
const endOfValue = (text: string, start: number): number => {
  const open: Array<string> = []
  for (let index = start; index < text.length; index++) {
    const char = text[index]
    if (char === '"') {
      for (index++; index < text.length && text[index] !== '"'; index++) if (text[index] === "\\") index++
    } else if (char === "{" || char === "[") open.push(char === "{" ? "}" : "]")
    else if (char === "}" || char === "]") {
      if (open.pop() !== char) return -1
      if (open.length === 0) return index + 1
    }
  }
  return -1
}

/** Outermost objects and arrays, in order. Linear but for brackets that never close, of which few are tried. */
const embedded = (text: string): ReadonlyArray<Written> => {
  const found: Array<Written> = []
  let unclosed = 0
  // Brackets within brackets that are no JSON would be read once for each of them.
  let left = 20 * (text.length + 1_000)
  for (
    let index = 0;
    index < text.length && found.length < maxCandidates && unclosed < maxCandidates && left > 0;
    index++
  ) {
    if (text[index] !== "{" && text[index] !== "[") continue
    const end = endOfValue(text, index)
    if (end === -1) {
      unclosed += 1
      left -= text.length - index
      continue
    }
    left -= end - index
    const written = parse(text.slice(index, end))
    if (written === undefined) continue
    found.push(written)
    index = end - 1
  }
  return found
}

const distinct = (values: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const seen = new Map<string, Json>()
  for (const value of values) {
    const text = canonicalJson(value)
    // What has no canonical form is kept: the check that follows says what is wrong with it.
    const key = Result.isSuccess(text) ? text.success : `#${seen.size}`
    if (!seen.has(key)) seen.set(key, value)
  }
  return Array.from(seen.values())
}

/** What writes the values that the answer may mean. */
const writtenIn = (text: string): ReadonlyArray<Written> => {
  const whole = parse(text)
  if (whole !== undefined) return [whole]
  const blocks = fenced(text).flatMap((block) => parse(block) ?? [])
  return blocks.length > 0 ? blocks : embedded(text)
}

/**
 * The JSON values an answer may mean, without duplicates; empty when it holds none. A text that is JSON as a whole
 * means that and nothing else; a text with fenced blocks of JSON means one of them. Fails, with the problem in words
 * that a model can act on, where a key stands twice in one object of any of them.
 */
export const candidatesIn = (answer: string): Result.Result<ReadonlyArray<Json>, string> => {
  const written = writtenIn(answer.replace(/^\uFEFF/, ""))
  const repeated = written.find(({ repeatedKey }) => repeatedKey !== undefined)?.repeatedKey
  return repeated === undefined
    ? Result.succeed(distinct(written.map(({ value }) => value)))
    : Result.fail(
        `the key ${JSON.stringify(repeated.slice(0, 80).toWellFormed())} stands twice in one object, so that the answer has two readings`
      )
}
