// How a file of the workflow dialect begins, and whether a file's words export `run`: told by scans, because every
// pattern for "white space and comments" has more than one way through a banner of slashes. Each character is read a
// few times at most. What the parser says of a file counts more; this decides which files are worth it.

const isSpace = (char: string): boolean => /^\s$/.test(char)
const isWordChar = (char: string): boolean => /^[\w$]$/.test(char)

const lineEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && !/^[\n\r\u2028\u2029]$/.test(text.charAt(at))) at++
  return at
}

/** Behind white space and comments; a comment without an end reaches to the end of the text. */
const afterBlank = (text: string, from: number): number => {
  let at = from
  for (;;) {
    if (isSpace(text.charAt(at))) at++
    else if (text.startsWith("//", at)) at = lineEnd(text, at)
    else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      at = end === -1 ? text.length : end + 2
    } else return at
  }
}

/** Behind the word, if it stands there whole. */
const afterWord = (text: string, from: number, word: string): number | undefined => {
  const end = from + word.length
  return text.startsWith(word, from) && !isWordChar(text.charAt(end)) ? end : undefined
}

/** Whether the first statement begins as `export const meta`. */
export const opensWithMeta = (text: string): boolean => {
  let at = text.startsWith("#!") ? lineEnd(text, 0) : text.startsWith("\ufeff") ? 1 : 0
  for (const word of ["export", "const", "meta"]) {
    const end = afterWord(text, afterBlank(text, at), word)
    if (end === undefined) return false
    at = end
  }
  return true
}

const declaring = ["function", "const", "let", "var", "class"]

const afterSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charAt(at))) at++
  return at
}

/** Whether `run` is declared behind an `export` that ends here: `export async function* run`. */
const declaresRun = (text: string, from: number): boolean => {
  let at = afterSpace(text, from)
  const async = afterWord(text, at, "async")
  if (async !== undefined) at = afterSpace(text, async)
  const word = declaring.find((one) => afterWord(text, at, one) !== undefined)
  if (word === undefined) return false
  at = afterSpace(text, at + word.length)
  if (word === "function" && text.charAt(at) === "*") at = afterSpace(text, at + 1)
  return afterWord(text, at, "run") !== undefined
}

const namesRun = (clause: string): boolean => {
  for (let at = clause.indexOf("run"); at !== -1; at = clause.indexOf("run", at + 3)) {
    if (!isWordChar(clause.charAt(at - 1)) && afterWord(clause, at, "run") !== undefined) return true
  }
  return false
}

/** Whether the words of a text export something called `run`: in a prompt or a comment too. */
export const exportsRun = (text: string): boolean => {
  for (let at = text.indexOf("export"); at !== -1; at = text.indexOf("export", at)) {
    const before = text.charAt(at - 1)
    const end = afterWord(text, at, "export")
    at += "export".length
    if (end === undefined || isWordChar(before) || before === ".") continue
    if (declaresRun(text, end)) return true
    const brace = afterSpace(text, end)
    if (text.charAt(brace) !== "{") continue
    const close = text.indexOf("}", brace)
    if (namesRun(text.slice(brace, close === -1 ? text.length : close))) return true
    // What stands between the braces has been read.
    at = close === -1 ? text.length : close
  }
  return false
}
