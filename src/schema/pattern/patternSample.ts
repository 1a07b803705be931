// Made-up texts that match a pattern, by its parsed tree. Places and look-aheads are skipped: the caller checks the
// result. What is made spends from a budget.
import { Result } from "effect"
import type { Budget } from "../Budget.ts"
import { parsePattern } from "./parse.ts"
import type { PatternNode } from "./Pattern.ts"

/** A number in [0, 1). */
export type Draw = () => number

const write = (node: PatternNode, draw: Draw, size: Budget): string => {
  switch (node._tag) {
    case "char": {
      size.spend(1)
      const chars = [...node.sample]
      return chars[Math.floor(draw() * chars.length)] ?? ""
    }
    case "place":
      return ""
    case "sequence":
      return node.parts.map((part) => write(part, draw, size)).join("")
    case "choice": {
      const option = node.options[Math.floor(draw() * node.options.length)]
      return option === undefined ? "" : write(option, draw, size)
    }
    case "group":
      return write(node.node, draw, size)
    case "repeat": {
      const extra = Number.isFinite(node.max) ? Math.min(node.max - node.min, 8) : node.min > 0 ? 3 : 4
      const count = node.min + Math.floor(draw() * (extra + 1))
      size.spend(count)
      return Array.from({ length: count }, () => write(node.node, draw, size)).join("")
    }
  }
}

/** A text that matches `pattern`, with good luck; pad an unanchored one where a length is asked for. */
export const patternSample = (pattern: string, draw: Draw, size: Budget): string =>
  Result.match(parsePattern(pattern), {
    onFailure: () => "",
    onSuccess: ({ node }) => write(node, draw, size)
  })
