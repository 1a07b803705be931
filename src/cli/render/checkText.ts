// What the determinism check found, for people: the author's line with a caret under it, and what to use instead.
import type { Finding } from "../../domain/Finding.ts"
import { cureText } from "./errorText.ts"
import { plural } from "./numbers.ts"
import { type Style } from "../terminal/style.ts"

export interface Checked {
  readonly path: string
  readonly ok: boolean
  readonly modules: ReadonlyArray<string>
  readonly findings: ReadonlyArray<Finding>
  /** In npm packages: refused only when reached. */
  readonly warnings: ReadonlyArray<Finding>
  readonly notices: ReadonlyArray<string>
  /** Text of the plan's own files, by path. */
  readonly sources: ReadonlyMap<string, string>
  readonly error?: {
    readonly code: string
    readonly message: string
    /** What to do about it. */
    readonly cure: string
    readonly file?: string
    readonly line?: number
    readonly column?: number
  }
}

const maxLine = 160

type LinesByFile = ReadonlyMap<string, ReadonlyArray<string>>

/** Of the files that have findings: each is split once. */
const linesOf = (sources: Checked["sources"], findings: ReadonlyArray<Finding>): LinesByFile =>
  new Map(
    [...new Set(findings.map(({ file }) => file))].map((file) => [
      file,
      sources.get(file)?.split(/\r?\n/) ?? []
    ])
  )

/** The line, with tabs as they are so that the caret stands under its place. */
const excerpt = (lines: LinesByFile, finding: Finding, style: Style): ReadonlyArray<string> => {
  const line = lines.get(finding.file)?.[finding.line - 1]
  if (line === undefined) return []
  const from = Math.max(0, finding.column - 1 - Math.floor(maxLine / 2))
  const shown = line.slice(from, from + maxLine)
  const before = line.slice(from, finding.column - 1).replace(/[^\t]/g, " ")
  return [`    ${style.dim("|")} ${shown}`, `    ${style.dim("|")} ${before}${style.red("^")}`]
}

const findingText = (lines: LinesByFile, finding: Finding, style: Style): ReadonlyArray<string> => [
  `  ${style.red("✗")} ${finding.file}:${finding.line}:${finding.column} ${style.bold(finding.construct)}`,
  ...excerpt(lines, finding, style),
  `    ${style.dim("instead:")} ${finding.instead}`
]

export const checkText = (checked: Checked, style: Style): string => {
  const { error, findings, modules, notices, ok, path, sources, warnings } = checked
  const lines: Array<string> = []
  if (error !== undefined) {
    lines.push(`${style.red("✗")} ${style.bold(path)} ${style.dim(`[${error.code}]`)} ${error.message}`)
    lines.push(cureText(error.cure, style))
  } else if (ok) {
    lines.push(`${style.green("✓")} ${style.bold(path)}  deterministic, ${plural(modules.length, "module")}`)
  } else {
    lines.push(`${style.red("✗")} ${style.bold(path)}  ${plural(findings.length, "finding")}`)
    const byFile = linesOf(sources, findings)
    for (const finding of findings) lines.push(...findingText(byFile, finding, style))
  }
  for (const warning of warnings)
    lines.push(
      `  ${style.yellow("!")} ${warning.file}:${warning.line}:${warning.column} ${warning.construct} ${style.dim("(refused when reached)")}`
    )
  for (const notice of notices) lines.push(`  ${style.yellow("!")} ${notice}`)
  return lines.join("\n")
}
