// Imports whose name is computed, in JavaScript. The bundler makes a search of files of one whose name starts with a
// path; written another way it stays what it is, and is refused when it is reached. Pure.
import { parse, type AnyNode, type Expression } from "acorn"
import { Result } from "effect"
import { childrenOf } from "../determinism/scope.ts"

const parsed = (text: string): AnyNode | undefined => {
  const options = { ecmaVersion: "latest", allowHashBang: true, allowReturnOutsideFunction: true } as const
  return Result.getOrElse(
    Result.orElse(
      Result.try((): AnyNode => parse(text, { ...options, sourceType: "module" })),
      () => Result.try((): AnyNode => parse(text, { ...options, sourceType: "script" }))
    ),
    () => undefined
  )
}

const nameIn = (node: AnyNode): Expression | undefined => {
  if (node.type === "ImportExpression") return node.source
  if (node.type !== "CallExpression" || node.callee.type !== "Identifier" || node.callee.name !== "require")
    return undefined
  const [name] = node.arguments
  return name === undefined || name.type === "SpreadElement" ? undefined : name
}

/** The same value, which no bundler can tell anything of: what stands before `??` is undefined when it runs. */
const opaque = "[][0]??"

/** The text with such names written another way; undefined where it cannot be read. */
export const withOpaqueNames = (text: string): string | undefined => {
  const root = parsed(text)
  if (root === undefined) return undefined
  const starts: Array<number> = []
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const name = nameIn(node)
    if (
      name?.type === "BinaryExpression" ||
      (name?.type === "TemplateLiteral" && name.expressions.length > 0)
    )
      starts.push(name.start)
    waiting.push(...childrenOf(node))
  }
  let from = 0
  const pieces = starts
    .toSorted((a, b) => a - b)
    .map((start) => {
      const piece = text.slice(from, start)
      from = start
      return piece + opaque
    })
  return [...pieces, text.slice(from)].join("")
}
