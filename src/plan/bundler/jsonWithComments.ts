// JSON as `tsconfig.json` has it: with comments, and with commas before a closing bracket. Pure, linear.
import { Result } from "effect"

/** Strings, comments, commas and brackets; an unclosed comment or string reaches to the end. */
const token =
  /"(?:[^"\\]|\\[^])*(?:"|\\?$)|\/\/[^\n\r]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|[,}\]]|[^"/,}\]\s]+|\s+|\//g

/** The text without both. What stands in quotes is left as it is. */
const plain = (text: string): string => {
  const pieces: Array<string> = []
  let comma: number | undefined
  for (const [piece] of text.matchAll(token)) {
    const isComment = piece.startsWith("//") || piece.startsWith("/*")
    if (!isComment && piece.trim() !== "") {
      if (comma !== undefined && (piece === "}" || piece === "]")) pieces[comma] = ""
      comma = piece === "," ? pieces.length : undefined
    }
    pieces.push(isComment ? " " : piece)
  }
  return pieces.join("")
}

/** The value; undefined if it is not such a text. */
export const jsonOf = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(plain(text))),
    () => undefined
  )
