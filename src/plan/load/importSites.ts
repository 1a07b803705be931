// Where an import stands in the author's source: from the module name in it, which is what a bundler reports, back to
// the start of the statement, which is what a finding says. Pure.

export interface ImportSite {
  readonly offset: number
  /** `import x = require("y")` */
  readonly isImportEquals: boolean
}

const balanced = (text: string): boolean => {
  let depth = 0
  for (const char of text) {
    if (char === "{") depth++
    else if (char === "}" && --depth < 0) return false
  }
  return depth === 0
}

/** Comments as spaces; one that never closes is none. */
const withoutComments = (text: string): string => {
  const lastClose = text.lastIndexOf("*/")
  let out = ""
  let from = 0
  for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at)) {
    const block = text[at + 1] === "*" && at + 2 <= lastClose
    if (!block && text[at + 1] !== "/") {
      at++
      continue
    }
    const end = block ? text.indexOf("*/", at + 2) + 2 : lineEnd(text, at)
    out += `${text.slice(from, at)} `
    from = end
    at = end
  }
  return out + text.slice(from)
}

const lineEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++
  return at
}

/** What may stand between `import` or `export` and the module's name: names, braces, commas, `*`, quoted names. */
const isClause = (text: string): boolean => balanced(text) && !/[/;()=`]/.test(text)

const lastClause = (text: string): number | undefined =>
  [...text.matchAll(/(?<![\w$.])(?:import|export)(?![\w$])/g)]
    .toReversed()
    // The statement is the last that reads as one, or near it: with every keyword the rest is read again.
    .slice(0, 50)
    .find(({ index }) => isClause(withoutComments(text.slice(index))))?.index

/** `name` is the offset of the quoted module name; `kind` is esbuild's import kind. */
export const importSite = (text: string, name: number, kind: string): ImportSite => {
  // Statements are short; looking further back would only find another one.
  const from = Math.max(0, name - 20_000)
  const before = text.slice(from, name)
  if (kind === "require-call" || kind === "require-resolve") {
    const equals =
      /(?<![\w$.])(?:export\s+)?import\s+[\p{ID_Start}_$][\p{ID_Continue}$]*\s*=\s*require\s*\(\s*$/u.exec(
        before
      )
    if (equals !== null) return { offset: from + equals.index, isImportEquals: true }
    const call = /(?<![\w$.])require\s*\(\s*$/.exec(before)
    return { offset: call === null ? name : from + call.index, isImportEquals: false }
  }
  const keyword = lastClause(before)
  return { offset: keyword === undefined ? name : from + keyword, isImportEquals: false }
}
