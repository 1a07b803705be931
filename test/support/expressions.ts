// Every regular expression that stands in src/ as a literal, and texts that are meant to make it slow.
import { parse } from "acorn"
import { transformSync } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Expression {
  readonly file: string
  readonly source: string
  readonly flags: string
}

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesBelow(path) : entry.name.endsWith(".ts") ? [path] : []
  })

interface Literal {
  readonly source: string
  readonly flags: string
}

const literalsIn = (node: unknown, found: Array<Literal>): void => {
  if (Array.isArray(node)) {
    for (const one of node) literalsIn(one, found)
    return
  }
  if (typeof node !== "object" || node === null) return
  if ("regex" in node && typeof node.regex === "object" && node.regex !== null) {
    const { regex } = node
    if ("pattern" in regex && "flags" in regex) {
      found.push({ source: String(regex.pattern), flags: String(regex.flags) })
    }
  }
  for (const value of Object.values(node)) literalsIn(value, found)
}

/** The literals of every file below `root`. */
export const expressionsBelow = (root: string): ReadonlyArray<Expression> =>
  filesBelow(root)
    .toSorted()
    .flatMap((path) => {
      const { code } = transformSync(readFileSync(path, "utf8"), { loader: "ts", target: "esnext" })
      const found: Array<Literal> = []
      literalsIn(parse(code, { ecmaVersion: "latest", sourceType: "module" }), found)
      return found.map((literal) => ({ file: path.slice(root.length + 1), ...literal }))
    })

/** One character for each atom of an expression, alternatives apart; groups and repetitions are walked over. */
const walks = (source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let walk = ""
  const atom =
    /\(\?(?:<?[=!]|:|<\w+>)|\[\^|\[|\\[pP]\{[^}]*\}|\\u\{?[0-9a-fA-F]{4,5}\}?|\\x[0-9a-fA-F]{2}|\\.|\{\d+(?:,\d*)?\}|[^]/g
  let inClass = false
  for (const [token] of source.matchAll(atom)) {
    if (inClass) {
      if (token === "]") inClass = false
      continue
    }
    if (token === "[" || token === "[^") {
      const end = source.indexOf("]", source.indexOf(token))
      const first = source.slice(source.indexOf(token) + token.length, end)[0]
      walk += token === "[" && first !== undefined && first !== "\\" ? first : "a"
      inClass = true
    } else if (token === "|") {
      found.push(walk)
      walk = ""
    } else if (/^(?:\(.*|\)|[*+?^$]|\{\d.*\}|\\[bB])$/.test(token)) continue
    else if (/^\\[dD]$/.test(token)) walk += "1"
    else if (/^\\[wWpP]/.test(token)) walk += "a"
    else if (/^\\[sSnrtfv]$/.test(token)) walk += token === "\\n" ? "\n" : " "
    else if (/^\\[ux]/.test(token)) walk += "\u00b7"
    else walk += token === "." ? "a" : token.replace(/^\\/, "")
  }
  return [...found, walk].filter((one) => one !== "")
}

/** Texts to be repeated against an expression: runs of its own characters, and pairs of them. */
export const pumpsFor = (source: string): ReadonlyArray<string> => {
  const all = walks(source).slice(0, 12)
  const chars = Array.from(new Set([...Array.from(all.join("")), "a", "1", " ", "\n"])).slice(0, 24)
  const windows = all.flatMap((walk) =>
    [2, 3, 5, walk.length].flatMap((length) => [0, 1, 2, 4].map((from) => walk.slice(from, from + length)))
  )
  const joined = all.flatMap((walk) => ["-", " ", "\n"].map((mark) => mark + walk.slice(0, 3)))
  const pairs = chars.slice(0, 6).flatMap((a) => chars.slice(0, 6).map((b) => a + b))
  return Array.from(new Set([...chars, ...windows, ...joined, ...pairs])).filter((one) => one !== "")
}
