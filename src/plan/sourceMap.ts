// The way back: from the text that runs to the lines the author wrote. Pure. esbuild's maps know where a name is,
// not where the parentheses and casts around it begin: positions are widened to those here.
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping"
import type { Site } from "../domain/Call.ts"
import type { NestedWorkflow, PlanBundle } from "./PlanBundle.ts"

const lineBreak = /\r\n|[\n\r\u2028\u2029]/g

/** A text by lines, as ECMAScript counts them. Offsets and columns are UTF-16 code units. */
export class Lines {
  readonly text: string
  private readonly starts: Array<number> = [0]

  constructor(text: string) {
    this.text = text
    for (const match of text.matchAll(lineBreak)) this.starts.push(match.index + match[0].length)
  }

  /** Offset of a line (from 1) and column (from 0). */
  offset(line: number, column: number): number {
    return (this.starts[line - 1] ?? this.text.length) + column
  }

  /** Line and column of an offset, both from 1. */
  position(offset: number): { readonly line: number; readonly column: number } {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 }
  }
}

/** A place in an author's file, by offset. */
export interface Origin {
  readonly file: string
  readonly offset: number
}

/** Maps offsets of a bundle's text to offsets of the author's files. */
export class BundleMap {
  private readonly generated: Lines
  private readonly map: TraceMap
  private readonly texts: ReadonlyMap<string, string>
  private readonly tables = new Map<string, Lines>()

  /** `texts`: the files that the map names. */
  constructor(code: string, map: string, texts: ReadonlyMap<string, string>) {
    this.generated = new Lines(code)
    this.map = new TraceMap(map)
    this.texts = texts
  }

  linesOf(file: string): Lines | undefined {
    const text = this.texts.get(file)
    if (text === undefined) return undefined
    const table = this.tables.get(file) ?? new Lines(text)
    this.tables.set(file, table)
    return table
  }

  /** The file that the text at `offset` came from; undefined for what the bundler added. */
  fileAt(offset: number): string | undefined {
    const { line, column } = this.generated.position(offset)
    return originalPositionFor(this.map, { line, column: column - 1 }).source ?? undefined
  }

  originOf(offset: number): Origin | undefined {
    const at = this.generated.position(offset)
    const found = originalPositionFor(this.map, { line: at.line, column: at.column - 1 })
    const lines = found.source === null ? undefined : this.linesOf(found.source)
    if (lines === undefined || found.source === null) return undefined
    return { file: found.source, offset: lines.offset(found.line, found.column) }
  }
}

const skipBack = (text: string, from: number): number => {
  let at = from
  for (;;) {
    while (at > 0 && /\s/.test(text.charAt(at - 1))) at--
    if (text.startsWith("*/", at - 2)) {
      const open = text.lastIndexOf("/*", at - 3)
      if (open < 0) return at
      at = open
      continue
    }
    if (!/[\n\r]/.test(text.slice(at, from))) return at
    // A line comment between a parenthesis and what it holds.
    const line = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1
    const comment = /(^|[\s(,])\/\/[^'"`]*$/.exec(text.slice(line, at))
    if (comment === null) return at
    at = line + comment.index + (comment[1] ?? "").length
  }
}

/** From just after `>` of a cast `<T>`, back to its `<`; undefined if it is none. */
const castBack = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let at = from - 1; at >= 0; at--) {
    const char = text.charAt(at)
    if (char === ">" && text.charAt(at - 1) !== "=") depth++
    else if (char === "<" && --depth === 0) return at
    else if (char === ";" || char === "`") return undefined
  }
  return undefined
}

/** The offset of the parenthesis that closes the one at `open`. */
const closing = (text: string, open: number): number => {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === "(") depth++
    else if (char === ")" && --depth === 0) return at
    else if (char === '"' || char === "'" || char === "`") {
      for (at++; at < text.length && text.charAt(at) !== char; at++) if (text.charAt(at) === "\\") at++
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      at = end < 0 ? text.length : end + 1
    } else if (text.startsWith("//", at)) {
      while (at + 1 < text.length && !/[\n\r\u2028\u2029]/.test(text.charAt(at + 1))) at++
    }
  }
  return text.length
}

/**
 * Moves the start of a callee left over the parentheses and casts that belong to it: those that close before the
 * expression's last token, at `last`.
 */
export const widenLeft = (text: string, start: number, last: number): number => {
  let found = start
  let at = start
  for (;;) {
    const before = skipBack(text, at)
    const char = text.charAt(before - 1)
    if (char === "(" && closing(text, before - 1) < last) {
      found = at = before - 1
      continue
    }
    const cast = char === ">" ? castBack(text, before) : undefined
    // A cast counts only inside parentheses: outside it is applied to the whole call.
    if (cast === undefined || text.charAt(skipBack(text, cast) - 1) !== "(") return found
    at = cast
  }
}

/**
 * Maps a place in `bundle.code` (line and column from 1, as in a stack of the running plan) to the author's file;
 * undefined for what is not the author's: the wrapper and the bundler's helpers.
 */
export const sitesOf = (
  bundle: PlanBundle | NestedWorkflow
): ((line: number, column: number) => Site | undefined) => {
  if (bundle.map === "") {
    return (line, column) => (line < 2 ? undefined : { file: bundle.entry, line: line - 1, column })
  }
  let map: TraceMap | undefined
  return (line, column) => {
    map ??= new TraceMap(bundle.map)
    if (line < 1 || column < 1) return undefined
    const found = originalPositionFor(map, { line, column: column - 1 })
    return found.source === null
      ? undefined
      : { file: found.source, line: found.line, column: found.column + 1 }
  }
}
