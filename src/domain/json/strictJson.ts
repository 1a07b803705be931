// Strict JSON: a document that has one meaning only. JSON.parse takes the last of two equal keys and rounds numbers
// silently; both would let a false claim pass, so here the first is an error and the second is reported by place.
import { Result, Schema } from "effect"
import { maxValueDepth, type Json } from "./canonicalJson.ts"
import { decimalFromText, sameDecimal } from "../decimal.ts"

export class StrictJsonError extends Schema.TaggedError<StrictJsonError>()("StrictJsonError", {
  offset: Schema.Int,
  problem: Schema.String,
  /** The key that stands twice in one object, where that is the problem. */
  repeatedKey: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `offset ${this.offset}: ${this.problem}`
  }
}

export interface StrictDocument {
  readonly value: Json
  /** JSON pointers of numbers that a double cannot carry; what stands there in `value` is rounded. */
  readonly lossy: ReadonlyArray<string>
}

const defaultMaxDepth = 200
const numberForm = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const space = new Set([" ", "\t", "\n", "\r"])

export const pointerToken = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

class Reader {
  private at = 0
  readonly lossy: Array<string> = []
  private readonly text: string
  private readonly maxDepth: number
  constructor(text: string, maxDepth: number) {
    this.text = text
    this.maxDepth = maxDepth
  }

  private fail(problem: string, more: { readonly repeatedKey?: string } = {}): never {
    throw new StrictJsonError({ offset: this.at, problem, ...more })
  }

  private skip(): void {
    while (space.has(this.text.charAt(this.at))) this.at++
  }

  document(): Json {
    const value = this.value("", 0)
    this.skip()
    if (this.at < this.text.length) this.fail("text after the end of the document")
    return value
  }

  private value(pointer: string, depth: number): Json {
    if (depth > this.maxDepth) this.fail(`nested deeper than ${this.maxDepth} levels`)
    this.skip()
    const first = this.text.charAt(this.at)
    if (first === "{") return this.object(pointer, depth)
    if (first === "[") return this.array(pointer, depth)
    if (first === '"') return this.string()
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null]
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    }
    return this.number(pointer)
  }

  private number(pointer: string): number {
    numberForm.lastIndex = this.at
    const lexeme = numberForm.exec(this.text)?.[0]
    if (lexeme === undefined) return this.fail("not a JSON value")
    this.at += lexeme.length
    const value = Number(lexeme)
    const exact = decimalFromText(lexeme)
    const carried = decimalFromText(String(value))
    if (exact === undefined || carried === undefined || !sameDecimal(exact, carried)) this.lossy.push(pointer)
    return Number.isFinite(value) ? value : 0
  }

  private string(): string {
    const start = this.at++
    for (;;) {
      const char = this.text.charAt(this.at)
      if (char === "") return this.fail("a string without an end")
      if (char === "\\") this.at += 2
      else {
        this.at++
        if (char === '"') break
      }
    }
    const value = Result.try((): unknown => JSON.parse(this.text.slice(start, this.at)))
    if (Result.isFailure(value) || typeof value.success !== "string") return this.fail("not a JSON string")
    if (!value.success.isWellFormed()) this.fail("a string with a lone surrogate")
    return value.success
  }

  private array(pointer: string, depth: number): ReadonlyArray<Json> {
    this.at++
    const items: Array<Json> = []
    this.skip()
    if (this.text.charAt(this.at) === "]") {
      this.at++
      return items
    }
    for (;;) {
      items.push(this.value(`${pointer}/${items.length}`, depth + 1))
      if (!this.more("]")) return items
    }
  }

  private object(pointer: string, depth: number): Json {
    this.at++
    const members: Array<readonly [string, Json]> = []
    const keys = new Set<string>()
    this.skip()
    if (this.text.charAt(this.at) === "}") {
      this.at++
      return {}
    }
    for (;;) {
      this.skip()
      if (this.text.charAt(this.at) !== '"') this.fail("a key must be a string")
      const key = this.string()
      if (keys.has(key)) this.fail(`the key ${JSON.stringify(key)} stands twice`, { repeatedKey: key })
      keys.add(key)
      this.skip()
      if (this.text.charAt(this.at) !== ":") this.fail("a colon must follow a key")
      this.at++
      members.push([key, this.value(`${pointer}/${pointerToken(key)}`, depth + 1)])
      if (!this.more("}")) return Object.fromEntries(members)
    }
  }

  /** After an item: true if another follows, false if the container ended. */
  private more(end: string): boolean {
    this.skip()
    const char = this.text.charAt(this.at)
    if (char !== "," && char !== end) this.fail(`"," or "${end}" must follow`)
    this.at++
    return char === ","
  }
}

/** Reads a document, or says at which offset (UTF-16 code units, from 0) it is not strict JSON. */
export const strictJson = (
  text: string,
  maxDepth = defaultMaxDepth
): Result.Result<StrictDocument, StrictJsonError> => {
  const reader = new Reader(text, maxDepth)
  return Result.try({
    try: () => ({ value: reader.document(), lossy: reader.lossy }),
    catch: (cause) =>
      cause instanceof StrictJsonError ? cause : new StrictJsonError({ offset: 0, problem: "unreadable" })
  })
}

/**
 * The key that stands twice in one object of a text that JSON.parse takes; undefined where none does, and where the
 * text is no JSON at all. Keys are compared as they are read, so that an escaped letter is that letter.
 */
export const repeatedKeyIn = (text: string): string | undefined =>
  Result.match(strictJson(text, maxValueDepth), {
    onFailure: ({ repeatedKey }) => repeatedKey,
    onSuccess: () => undefined
  })
