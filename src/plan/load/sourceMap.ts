// The way back: from the text that runs to the lines the author wrote. Pure. esbuild's maps know where a name is,
// not where the parentheses and casts around it begin: positions are widened to those here.
import { decodedMappings, traceSegment, TraceMap } from "@jridgewell/trace-mapping"
import { Result } from "effect"
import type { Site } from "../../domain/Call.ts"
import type { NestedWorkflow, PlanBundle } from "../bundler/PlanBundle.ts"

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

const decoded = (source: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(source)),
    () => source
  )

/**
 * The path of a file that esbuild's map names by `source`: it writes URLs, which are percent-encoded, have `/` for `\\`
 * and `./` before what would be a scheme. `paths`: those that there are.
 */
const pathOf = (source: string, paths: ReadonlyMap<string, unknown>): string => {
  const path = decoded(source)
  const plain = path.startsWith("./") ? path.slice(2) : path
  for (const one of [path, plain, source]) if (paths.has(one)) return one
  const same = [...paths.keys()].find((one) => one.replaceAll("\\", "/") === plain)
  return same ?? plain
}

/** Reads a map by the names that stand in it, as they stand: they are paths of files and no URLs. */
class Origins {
  private readonly map: TraceMap
  private readonly files: ReadonlyArray<string | null>

  constructor(map: string, files?: (source: string) => string) {
    this.map = new TraceMap(map)
    const { sources } = this.map
    this.files = files === undefined ? sources : sources.map((source) => source && files(source))
  }

  /** `line` from 1, `column` from 0, here and there. */
  at(line: number, column: number): Site | undefined {
    const found = line < 1 || column < 0 ? null : traceSegment(this.map, line - 1, column)
    if (found === null || found.length === 1) return undefined
    const file = this.files[found[1]]
    return file === undefined || file === null ? undefined : { file, line: found[2] + 1, column: found[3] }
  }

  byLine(): ReadonlyArray<string | undefined> {
    return decodedMappings(this.map).map((segments) => {
      const indices = new Set(segments.flatMap((segment) => (segment.length === 1 ? [] : [segment[1]])))
      const [only] = indices
      return indices.size === 1 && only !== undefined ? (this.files[only] ?? undefined) : undefined
    })
  }
}

/** The sources of esbuild's map by the paths of files. */
export const sourcePaths = (
  sources: ReadonlyArray<string>,
  paths: ReadonlyMap<string, unknown>
): ReadonlyArray<string> => sources.map((source) => pathOf(source, paths))

/** Where a line comment starts that runs to the end of this line, with no quote in it. */
const lineComment = (line: string): number | undefined => {
  const quote = Math.max(line.lastIndexOf("'"), line.lastIndexOf('"'), line.lastIndexOf("`"))
  for (let at = line.indexOf("//", quote + 1); at !== -1; at = line.indexOf("//", at + 1)) {
    if (at === 0 || /^[\s(,]$/.test(line.charAt(at - 1))) return at
  }
  return undefined
}

/** Maps offsets of a bundle's text to offsets of the author's files. */
export class BundleMap {
  private readonly generated: Lines
  private readonly origins: Origins
  private readonly texts: ReadonlyMap<string, string>
  private readonly tables = new Map<string, Lines>()

  /** `texts`: the files that the map names, by path. */
  constructor(code: string, map: string, texts: ReadonlyMap<string, string>) {
    this.generated = new Lines(code)
    this.origins = new Origins(map, (source) => pathOf(source, texts))
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
    return this.origins.at(line, column - 1)?.file
  }

  /** The file that each line of the text came from; undefined where it is of no file, or of several. */
  fileOfLines(): ReadonlyArray<string | undefined> {
    return this.origins.byLine()
  }

  originOf(offset: number): Origin | undefined {
    const at = this.generated.position(offset)
    const found = this.origins.at(at.line, at.column - 1)
    const lines = found === undefined ? undefined : this.linesOf(found.file)
    if (lines === undefined || found === undefined) return undefined
    return { file: found.file, offset: lines.offset(found.line, found.column) }
  }
}

/** Looks no further than the line: this is asked for every finding of a file. */
const lineStart = (text: string, from: number): number => {
  let at = from
  while (at > 0 && text[at - 1] !== "\n" && text[at - 1] !== "\r") at--
  return at
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
    const line = lineStart(text, at)
    const comment = lineComment(text.slice(line, at))
    if (comment === undefined) return at
    at = line + comment
  }
}

/** No type of a cast is longer. */
const maxCast = 10_000

/** From just after `>` of a cast `<T>`, back to its `<`; undefined if it is none. */
const castBack = (text: string, from: number): number | undefined => {
  let depth = 0
  for (let at = from - 1; at >= Math.max(0, from - maxCast); at--) {
    const char = text.charAt(at)
    if (char === ">" && text.charAt(at - 1) !== "=") depth++
    else if (char === "<" && --depth === 0) return at
    else if (char === ";" || char === "`") return undefined
  }
  return undefined
}

/** Whether the parenthesis at `open` closes before `last`. */
const closesBefore = (text: string, open: number, last: number): boolean => {
  let depth = 0
  for (let at = open; at < last; at++) {
    const char = text.charAt(at)
    if (char === "(") depth++
    else if (char === ")" && --depth === 0) return true
    else if (char === '"' || char === "'" || char === "`") {
      for (at++; at < text.length && text.charAt(at) !== char; at++) if (text.charAt(at) === "\\") at++
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      at = end < 0 ? text.length : end + 1
    } else if (text.startsWith("//", at)) {
      while (at + 1 < text.length && !/[\n\r\u2028\u2029]/.test(text.charAt(at + 1))) at++
    }
  }
  return false
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
    if (char === "(" && closesBefore(text, before - 1, last)) {
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
  let origins: Origins | undefined
  return (line, column) => {
    origins ??= new Origins(bundle.map)
    const found = origins.at(line, column - 1)
    return found === undefined ? undefined : { ...found, column: found.column + 1 }
  }
}
