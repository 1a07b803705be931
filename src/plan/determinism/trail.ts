// What is known of a value that is being followed: where the program got it, by which names it went, and how a finding
// about it is placed. Shared by the parts of the flow; pure.
import type { AnyNode, Pattern } from "acorn"
import type { FunctionNode, ScopedProgram } from "./scope.ts"
import type { Member, Value } from "./values.ts"

/** A finding at offsets of the scanned text. */
export interface RawFinding {
  readonly construct: string
  readonly instead: string
  /** Where the offending expression starts, and `shift` characters more in the author's source. */
  readonly start: number
  readonly shift: number
  /** Start of the expression's last token: what parentheses around the callee must close before. */
  readonly last: number
}

export interface Place {
  readonly start: number
  readonly shift: number
  readonly last: number
}

/** How a value came to where it is. */
export interface Trail {
  /** Where the program got hold of it. */
  readonly origin: Place
  /** What it is known by there. */
  readonly root: string
  /** `param`: it was handed to a function; `variable`: it has another name. */
  readonly hop: "none" | "param" | "variable"
  /** The global object it was read from. */
  readonly via?: string
  /** The construct, where it is what the way there says. */
  readonly label?: string
  /** The calls by which it entered functions, so that it leaves them by the same. */
  readonly calls: ReadonlyMap<FunctionNode, AnyNode>
}

export const placeOf = (node: AnyNode): Place => ({ start: node.start, shift: 0, last: lastTokenOf(node) })

/** Where the last token of an expression starts, as far as source maps know tokens. */
export const lastTokenOf = (node: AnyNode): number => {
  switch (node.type) {
    case "CallExpression":
      return node.end - 1
    case "NewExpression":
      return node.start
    case "MemberExpression":
      return node.property.start
    case "ChainExpression":
      return lastTokenOf(node.expression)
    case "TaggedTemplateExpression":
      return node.quasi.start
    default:
      return node.start
  }
}

/** Where a property's name is written, inside its quotes if it has any. */
export const namePlace = (property: AnyNode): Place => ({
  start: property.start,
  shift: property.type === "Literal" || property.type === "TemplateLiteral" ? 1 : 0,
  last: property.start
})

/** What the parts of the flow need of each other. */
export interface Follower {
  readonly program: ScopedProgram
  readonly parent: (node: AnyNode) => AnyNode | undefined
  /** `node` is `value`: follows it to where it goes. */
  readonly track: (node: AnyNode, value: Value, trail: Trail) => void
  /** `node` is what a member turned out to be: a value to follow, or a source that may not be reached. */
  readonly take: (node: AnyNode, member: Member | undefined, trail: Trail) => void
  /** Puts `value`, found at `from`, into a name, or apart into the names of a pattern. */
  readonly bind: (
    target: Pattern,
    value: Value,
    trail: Trail,
    hop: "param" | "variable",
    from: AnyNode
  ) => void
  /** A forbidden use, named and placed by how it was reached. */
  readonly use: (construct: string, advice: string, at: AnyNode, trail: Trail, last?: number) => void
  readonly report: (construct: string, advice: string, place: Place) => void
}
