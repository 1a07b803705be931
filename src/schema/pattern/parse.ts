// The one language of patterns: what `regex`, `extract` and `matches` of claims, and `pattern` and `patternProperties`
// of JSON Schemas, mean. A pattern is parsed here into a tree; compiling it for the linear engine is linearPattern.ts,
// making texts that match it is patternSample.ts.
//
// The language is what RE2 and ECMAScript (flag u) share, with one meaning where they differ:
//   \d is [0-9], \w is [A-Za-z0-9_], \b is the edge of such a word (ASCII in both)
//   \s is ECMAScript's white space: TAB, LF, VT, FF, CR, space, U+00A0, U+FEFF and Unicode's space separators, U+2028, U+2029
//   .  is any character but LF, CR, U+2028 and U+2029; with flag s, any character
//   ^ and $ are the ends of the text; with flag m, of a line (LF)
//   \p{…} is a general category or a script by Unicode; escapes of both (\x41, \x{41}, \u0041, \u{41}, \cA) are known
//   flag i folds by Unicode's simple folding
// Look-ahead is understood only right behind a ^ that opens the pattern. What has no linear answer (back-references,
// other look-around) or means two things ([], a{,5}, [\b]) is refused with its place.
import { Result } from "effect"
import {
  anyCharacter,
  categories,
  classes,
  type ClassPart,
  controls,
  digits,
  hex,
  lower,
  notNewline,
  posix,
  printable,
  range
} from "./charClasses.ts"
import { type Ahead, type ParsedPattern, PatternError, type PatternNode } from "./Pattern.ts"

const maxDepth = 100
/** Most repetitions that a pattern may count. */
export const maxRepeat = 10_000

const without = (all: string, some: string): string =>
  [...all].filter((char) => !some.includes(char)).join("")

class Parser {
  private at = 0
  private readonly chars: ReadonlyArray<string>
  private dotAll: boolean
  private readonly lines: boolean
  groups = 0
  namesCarriageReturn = false
  namesLineFeed = false
  readonly ahead: Array<Ahead> = []

  constructor(pattern: string, flags: string) {
    this.chars = Array.from(pattern)
    this.dotAll = flags.includes("s")
    this.lines = flags.includes("m")
  }

  private refuse(problem: string, at = this.at): never {
    throw new PatternError({ problem: `at character ${at + 1}: ${problem}` })
  }

  private readonly peek = (ahead = 0): string => this.chars[this.at + ahead] ?? ""

  private next(text: string): boolean {
    return [...text].every((char, index) => this.peek(index) === char)
  }

  whole(): PatternNode {
    const node = this.choice(0, true)
    if (this.at < this.chars.length) this.refuse("a closing bracket without an opening one")
    if (this.ahead.length > 0 && node._tag === "choice")
      this.refuse("look-ahead beside alternatives has no linear answer", 0)
    return node
  }

  private choice(depth: number, top = false): PatternNode {
    if (depth > maxDepth) this.refuse(`groups nested deeper than ${maxDepth}`)
    const dotAll = this.dotAll
    const options = [this.sequence(depth, top)]
    while (this.peek() === "|") {
      this.at++
      options.push(this.sequence(depth))
    }
    this.dotAll = dotAll
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { _tag: "choice", options }
  }

  private sequence(depth: number, top = false): PatternNode {
    const parts: Array<PatternNode> = []
    while (this.at < this.chars.length && this.peek() !== "|" && this.peek() !== ")") {
      if (top && this.lookahead(parts, depth)) continue
      parts.push(this.quantified(this.atom(depth)))
    }
    return { _tag: "sequence", parts }
  }

  /** A look-ahead right behind the opening `^`: the rest of the text is asked about on its own. */
  private lookahead(parts: ReadonlyArray<PatternNode>, depth: number): boolean {
    const [opening] = parts
    const behindStart = parts.length === 1 && opening?._tag === "place" && opening.source === "^"
    if (!behindStart || this.lines || !(this.next("(?=") || this.next("(?!"))) return false
    const negated = this.peek(2) === "!"
    this.at += 3
    const groups = this.groups
    const node = this.choice(depth + 1)
    if (this.groups > groups) this.refuse("a capturing group in a look-ahead")
    this.close()
    this.ahead.push({ negated, node })
    return true
  }

  private close(): void {
    if (this.peek() !== ")") this.refuse("a group without an end")
    this.at++
  }

  private name(code: number): void {
    if (code === 13) this.namesCarriageReturn = true
    if (code === 10) this.namesLineFeed = true
  }

  private char(code: number): PatternNode {
    this.name(code)
    return { _tag: "char", source: literal(code), sample: String.fromCodePoint(code) }
  }

  private atom(depth: number): PatternNode {
    const char = this.peek()
    switch (char) {
      case "^":
      case "$":
        this.at++
        return { _tag: "place", source: char }
      case ".":
        this.at++
        return { _tag: "char", source: `[${this.dotAll ? anyCharacter : notNewline}]`, sample: lower }
      case "[":
        return this.charClass()
      case "\\":
        return this.escape()
      case "(":
        return this.group(depth)
      case "*":
      case "+":
      case "?":
        return this.refuse("nothing to repeat")
      case "{":
        if (/[0-9,]/.test(this.peek(1)))
          this.refuse("a { that repeats nothing or means two things: write \\{")
        break
      default:
    }
    this.at++
    return this.char(char.codePointAt(0) ?? 0)
  }

  private group(depth: number): PatternNode {
    const start = this.at++
    if (this.peek() === "?") {
      const rest = this.chars.slice(this.at, this.at + 60).join("")
      const flags = /^\?([ims]*)(?:-([ims]+))?([:)])/.exec(rest)
      const name = /^\?P?<[A-Za-z_][A-Za-z0-9_]*>/.exec(rest)?.[0]
      if (flags !== null) return this.flagGroup(flags, depth)
      if (name === undefined) {
        return this.refuse(
          /^\?(?:=|!|<=|<!)/.test(rest)
            ? "look-around here has no linear answer"
            : "a kind of group that is not known",
          start
        )
      }
      // Names are for people: groups are counted.
      this.at += name.length
    }
    this.groups++
    const node = this.choice(depth + 1)
    this.close()
    return { _tag: "group", open: "(", capture: true, node }
  }

  private flagGroup([whole, on = "", off = "", end]: RegExpExecArray, depth: number): PatternNode {
    this.at += whole.length
    const before = this.dotAll
    if (on.includes("s")) this.dotAll = true
    if (off.includes("s")) this.dotAll = false
    const [set, unset] = [on, off].map((names) => names.replaceAll("s", ""))
    const flags = `${set ?? ""}${unset === "" || unset === undefined ? "" : `-${unset}`}`
    // Flags without a colon hold to the end of the group they stand in.
    if (end === ")") return { _tag: "place", source: flags === "" ? "" : `(?${flags})` }
    const node = this.choice(depth + 1)
    this.dotAll = before
    this.close()
    return { _tag: "group", open: `(?${flags}:`, capture: false, node }
  }

  private hexDigits(least: number, most: number): number {
    let text = ""
    while (text.length < most && /[0-9a-fA-F]/.test(this.peek())) {
      text += this.peek()
      this.at++
    }
    if (text.length < least) this.refuse("an escape without its digits")
    return Number.parseInt(text, 16)
  }

  private codeInBraces(): number {
    this.at++
    const code = this.hexDigits(1, 6)
    if (this.peek() !== "}" || code > 0x10ffff) this.refuse("an escape that is no character")
    this.at++
    return code
  }

  /** The code point after `\x`, `\u` or `\c`, or of a control letter or punctuation. */
  private escapedCode(): number {
    const start = this.at
    const char = this.peek()
    this.at++
    const control = Object.hasOwn(controls, char) ? controls[char] : undefined
    if (control !== undefined) return control
    if (char === "0" && !/[0-9]/.test(this.peek())) return 0
    if (char === "x") return this.peek() === "{" ? this.codeInBraces() : this.hexDigits(2, 2)
    if (char === "u") {
      const code = this.peek() === "{" ? this.codeInBraces() : this.hexDigits(4, 4)
      if (code < 0xd800 || code > 0xdfff) return code
      if (code > 0xdbff || !this.next("\\u")) return this.refuse("half of a surrogate pair", start)
      this.at += 2
      const low = this.hexDigits(4, 4)
      if (low < 0xdc00 || low > 0xdfff) return this.refuse("half of a surrogate pair", start)
      return 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00)
    }
    if (char === "c" && /[A-Za-z]/.test(this.peek())) {
      const letter = this.peek()
      this.at++
      return (letter.codePointAt(0) ?? 0) % 32
    }
    if (/^[!-/:-@[-`{-~ ]$/.test(char)) return char.codePointAt(0) ?? 0
    if (/[1-9k]/.test(char)) return this.refuse("back-references have no linear answer", start)
    return this.refuse(
      char === "" ? "an escape of nothing" : `\\${char} is no escape of this language`,
      start
    )
  }

  /** `\p{…}` and `\P{…}`, in RE2's names. */
  private property(negated: boolean): ClassPart {
    const start = this.at
    let name = this.peek()
    this.at++
    if (name === "{") {
      name = ""
      while (this.peek() !== "}" && this.at < this.chars.length && name.length < 60) {
        name += this.peek()
        this.at++
      }
      if (this.peek() !== "}") this.refuse("a Unicode class without an end", start)
      this.at++
    }
    const opposite = name.startsWith("^")
    const bare = name.replace(/^\^/, "").replace(/^(?:General_Category|gc|Script|sc)=/, "")
    if (!/^[A-Za-z_]+$/.test(bare)) this.refuse("a Unicode class that is not known", start)
    const known = Object.hasOwn(categories, bare) ? (categories[bare] ?? bare) : bare
    const sample =
      negated !== opposite
        ? "-"
        : known.startsWith("N")
          ? digits
          : known === "Lu"
            ? lower.toUpperCase()
            : lower
    return { source: `\\${negated !== opposite ? "P" : "p"}{${known}}`, sample }
  }

  private escape(): PatternNode {
    this.at++
    const char = this.peek()
    const places: Readonly<Record<string, string>> = { b: "\\b", B: "\\B", A: "\\A", z: "\\z" }
    const place = Object.hasOwn(places, char) ? places[char] : undefined
    if (place !== undefined) {
      this.at++
      return { _tag: "place", source: place }
    }
    const part = this.classEscape()
    return part === undefined
      ? this.char(this.escapedCode())
      : { _tag: "char", source: `[${part.source}]`, sample: part.sample }
  }

  private classEscape(): ClassPart | undefined {
    const char = this.peek()
    const known = Object.hasOwn(classes, char) ? classes[char] : undefined
    if (known !== undefined) this.at++
    if (known !== undefined || (char !== "p" && char !== "P")) return known
    this.at++
    return this.property(char === "P")
  }

  /** A character of a class, or a class within it. */
  private classMember(): number | ClassPart {
    const start = this.at
    if (this.next("[:")) {
      const text = this.chars.slice(this.at, this.at + 12).join("")
      const name = /^\[:(\^?)([a-z]+):\]/.exec(text)
      const sample = name === null || !Object.hasOwn(posix, name[2] ?? "") ? undefined : posix[name[2] ?? ""]
      if (name === null || sample === undefined) return this.refuse("[: names no class here: write \\[:")
      this.at += name[0].length
      return { source: name[0], sample: name[1] === "^" ? "-" : sample }
    }
    const char = this.peek()
    this.at++
    if (char !== "\\") return char.codePointAt(0) ?? 0
    if (this.peek() === "b" || this.peek() === "B") this.refuse("\\b in a class means two things", start)
    return this.classEscape() ?? this.escapedCode()
  }

  private charClass(): PatternNode {
    const start = this.at++
    const negated = this.peek() === "^"
    if (negated) this.at++
    if (this.peek() === "]") this.refuse("[] means two things: write \\] for the bracket itself", start)
    let source = ""
    let sample = ""
    while (this.peek() !== "]") {
      if (this.at >= this.chars.length) this.refuse("a class without an end", start)
      const from = this.classMember()
      if (this.peek() === "-" && this.peek(1) !== "]" && this.peek(1) !== "") {
        const dash = this.at++
        const to = this.classMember()
        if (typeof from !== "number" || typeof to !== "number" || to < from)
          return this.refuse("a range that has no order", dash)
        this.name(from)
        this.name(to)
        source += range(from, to)
        for (let code = from; code <= to && code - from < 128; code++) sample += String.fromCodePoint(code)
      } else if (typeof from === "number") {
        this.name(from)
        source += hex(from)
        sample += String.fromCodePoint(from)
      } else {
        source += from.source
        sample += from.sample
      }
    }
    this.at++
    if (!negated) return { _tag: "char", source: `[${source}]`, sample }
    const rest = without(lower, sample)
    return { _tag: "char", source: `[^${source}]`, sample: rest === "" ? without(printable, sample) : rest }
  }

  private quantified(node: PatternNode): PatternNode {
    const counted = this.quantifier()
    if (counted === undefined) return node
    if (node._tag === "place") this.refuse("a place cannot be repeated")
    const lazy = this.peek() === "?"
    if (lazy) this.at++
    if (this.quantifier() !== undefined) this.refuse("a repetition of a repetition: put the first in a group")
    return { _tag: "repeat", node, ...counted, lazy }
  }

  private quantifier(): { readonly min: number; readonly max: number } | undefined {
    const char = this.peek()
    if (char === "*" || char === "+" || char === "?") {
      this.at++
      return { min: char === "+" ? 1 : 0, max: char === "?" ? 1 : Infinity }
    }
    if (char !== "{") return undefined
    const counted = /^\{([0-9]{1,6})(?:(,)([0-9]{0,6}))?\}/.exec(
      this.chars.slice(this.at, this.at + 16).join("")
    )
    if (counted === null) {
      return /[0-9,]/.test(this.peek(1)) ? this.refuse("a { that means two things: write \\{") : undefined
    }
    const [whole, low, comma, high] = counted
    const min = Number(low)
    const max = comma === undefined ? min : high === "" || high === undefined ? Infinity : Number(high)
    if (max < min) this.refuse("a repetition whose bounds have no order")
    if (min > maxRepeat || (Number.isFinite(max) && max > maxRepeat))
      this.refuse(`a repetition of more than ${maxRepeat}`)
    this.at += whole.length
    return { min, max }
  }
}

const literal = (code: number): string => {
  const char = String.fromCodePoint(code)
  return /^[A-Za-z0-9 ]$/.test(char) ? char : hex(code)
}

/** Parses a pattern. Flags: `i`, `m`, `s`. */
export const parsePattern = (pattern: string, flags = ""): Result.Result<ParsedPattern, PatternError> =>
  Result.try({
    try: () => {
      if (!pattern.isWellFormed())
        throw new PatternError({ problem: "a pattern with half of a surrogate pair" })
      const parser = new Parser(pattern, flags)
      const node = parser.whole()
      const { ahead, groups, namesCarriageReturn, namesLineFeed } = parser
      return { node, ahead, groups, namesCarriageReturn, namesLineFeed }
    },
    catch: (cause) =>
      cause instanceof PatternError ? cause : new PatternError({ problem: "the pattern cannot be read" })
  })
