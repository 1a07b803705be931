// Made-up strings that match a regular expression: literals, classes, groups, alternatives, quantifiers, anchors.
// What it does not know (look-around, back-references, Unicode properties) it skips: the caller checks the result.

/** A number in [0, 1). */
export type Draw = () => number

type Node =
  | { readonly tag: "chars"; readonly of: string }
  | { readonly tag: "sequence"; readonly parts: ReadonlyArray<Node> }
  | { readonly tag: "choice"; readonly options: ReadonlyArray<Node> }
  | { readonly tag: "repeat"; readonly node: Node; readonly min: number; readonly max: number }

const digits = "0123456789"
const lower = "abcdefghijklmnopqrstuvwxyz"
const word = `${lower}${lower.toUpperCase()}${digits}_`
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
const nothing: Node = { tag: "sequence", parts: [] }
const without = (all: string, some: string): string =>
  [...all].filter((char) => !some.includes(char)).join("")

class Reader {
  private at = 0
  private readonly source: string
  constructor(source: string) {
    this.source = source
  }

  read(): Node {
    return this.choice()
  }

  private peek(): string {
    return this.source[this.at] ?? ""
  }

  private take(): string {
    return this.source[this.at++] ?? ""
  }

  private choice(): Node {
    const options = [this.sequence()]
    while (this.peek() === "|") {
      this.take()
      options.push(this.sequence())
    }
    return options.length === 1 ? (options[0] ?? nothing) : { tag: "choice", options }
  }

  private sequence(): Node {
    const parts: Array<Node> = []
    while (this.at < this.source.length && this.peek() !== "|" && this.peek() !== ")") {
      parts.push(this.quantified(this.atom()))
    }
    return { tag: "sequence", parts }
  }

  private atom(): Node {
    const char = this.take()
    if (char === "^" || char === "$") return nothing
    if (char === ".") return { tag: "chars", of: lower }
    if (char === "[") return this.charClass()
    if (char === "\\") return this.escape()
    if (char !== "(") return { tag: "chars", of: char }
    let skipped = false
    if (this.peek() === "?") {
      const opening = /^\?(?::|<[A-Za-z_]\w*>|=|!|<=|<!)/.exec(this.source.slice(this.at))?.[0] ?? "?"
      this.at += opening.length
      skipped = /^\?(?:=|!|<=|<!)$/.test(opening)
    }
    const inner = this.choice()
    this.take()
    return skipped ? nothing : inner
  }

  private escaped(char: string): string {
    switch (char) {
      case "d":
        return digits
      case "D":
        return lower
      case "w":
        return word
      case "W":
        return "-.!"
      case "s":
        return " "
      case "S":
        return lower
      case "t":
        return "\t"
      case "n":
        return "\n"
      case "r":
        return "\r"
      case "p":
      case "P": {
        const name = /^\{([^}]*)\}/.exec(this.source.slice(this.at))
        this.at += name?.[0].length ?? 0
        const wanted = name?.[1] ?? ""
        if (char === "P") return digits
        return wanted.startsWith("N") ? digits : wanted === "Lu" ? lower.toUpperCase() : lower
      }
      case "u":
      case "x": {
        const code = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}|[0-9a-fA-F]{2}))/.exec(
          this.source.slice(this.at)
        )
        this.at += code?.[0].length ?? 0
        return String.fromCodePoint(Number.parseInt(code?.[1] ?? code?.[2] ?? "61", 16))
      }
      default:
        return char
    }
  }

  private escape(): Node {
    const char = this.take()
    if (char === "b" || char === "B" || /[1-9]/.test(char)) return nothing
    return { tag: "chars", of: this.escaped(char) }
  }

  private charClass(): Node {
    const negated = this.peek() === "^"
    if (negated) this.take()
    let of = ""
    while (this.at < this.source.length && this.peek() !== "]") {
      const char = this.take()
      const from = char === "\\" ? this.escaped(this.take()) : char
      if (this.peek() === "-" && (this.source[this.at + 1] ?? "]") !== "]" && from.length === 1) {
        this.take()
        const end = this.take()
        const to = end === "\\" ? this.escaped(this.take()) : end
        const [first, last] = [from.codePointAt(0) ?? 97, to.codePointAt(0) ?? 97]
        for (let code = first; code <= last && code - first < 128; code++) of += String.fromCodePoint(code)
      } else of += from
    }
    this.take()
    if (!negated) return { tag: "chars", of }
    const rest = without(lower, of)
    return { tag: "chars", of: rest === "" ? without(printable, of) : rest }
  }

  private quantified(node: Node): Node {
    const counted = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})[?+]?/.exec(this.source.slice(this.at))
    if (counted === null) return node
    this.at += counted[0].length
    const [, sign, low, comma, high] = counted
    if (sign !== undefined)
      return { tag: "repeat", node, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : 4 }
    const min = Number(low)
    const max = comma === undefined ? min : high === undefined || high === "" ? min + 3 : Number(high)
    return { tag: "repeat", node, min, max }
  }
}

const write = (node: Node, draw: Draw): string => {
  switch (node.tag) {
    case "chars": {
      const chars = [...node.of]
      return chars[Math.floor(draw() * chars.length)] ?? ""
    }
    case "sequence":
      return node.parts.map((part) => write(part, draw)).join("")
    case "choice":
      return write(node.options[Math.floor(draw() * node.options.length)] ?? nothing, draw)
    case "repeat": {
      const extra = Math.min(node.max - node.min, 8)
      const count = node.min + Math.floor(draw() * (extra + 1))
      return Array.from({ length: Math.min(count, 10_000) }, () => write(node.node, draw)).join("")
    }
  }
}

/** A string that matches `pattern`, with good luck; pad an unanchored one where a length is asked for. */
export const patternSample = (pattern: string, draw: Draw): string => write(new Reader(pattern).read(), draw)
