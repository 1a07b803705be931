// The file that a report is: the page's code and, in scripts of JSON that nothing runs, the run. Nothing of it comes from
// elsewhere. Code and style are named by their hash in its Content-Security-Policy, so that nothing else in it runs.
import type { DiffPage } from "../../browser/DiffPage.ts"
import type { CallText, RunPage } from "../../browser/RunPage.ts"
import { sha256Base64 } from "../../domain/fingerprint.ts"
import { harmless } from "../terminal/harmless.ts"

/** The page's script and style, bundled. */
export interface PageCode {
  readonly script: string
  readonly style: string
}

/** Calls whose texts stand in one piece: it is read when one of them is opened. */
const pieceOf = 100

/** A value as JSON of which a browser sees no markup, and a reader nothing that hides or reorders. */
const inert = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? harmless(part.toWellFormed()) : part
  ).replaceAll("<", "\\u003c")

/** JSON for a page that is served. */
export const pageJson = inert

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const escaped = (text: string): string =>
  harmless(text.toWellFormed()).replace(/[&<>]/g, (sign) => entities[sign] ?? sign)

const hashOf = (text: string): string => `'sha256-${sha256Base64(text)}'`

/** What the page may do: run its own code, and ask (if it is served) its own server. */
export const policyOf = ({ script, style }: PageCode, connect = "'none'"): string =>
  `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src ${connect}; base-uri 'none'; form-action 'none'`

/** A file of the page's code; `data`: scripts of JSON that stand before it. */
export const pageFile = (code: PageCode, title: string, data: string, connect?: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policyOf(code, connect)}">
<title>${escaped(title)}</title><style>${code.style}</style></head><body><main><noscript>This page needs JavaScript; alembic report --md needs none.</noscript></main>
${data}<script>${code.script}</script></body></html>
`

const dataScript = (attribute: string, value: unknown): string =>
  `<script type="application/json" ${attribute}>${inert(value)}</script>\n`

/** The difference of two runs as one file. */
export const diffFile = (code: PageCode, page: DiffPage): string =>
  pageFile(code, `${page.a.name} → ${page.b.name}`, dataScript('id="diff"', page))

/** One run as one file. */
export const reportFile = (code: PageCode, page: RunPage, texts: ReadonlyArray<CallText>): string => {
  const pieces: Array<string> = []
  for (let at = 0; at < texts.length; at += pieceOf) {
    const piece = texts.slice(at, at + pieceOf)
    pieces.push(dataScript(`data-from="${piece[0]?.number ?? 0}"`, piece))
  }
  return pageFile(code, `${page.runId} ${page.status}`, `${dataScript('id="run"', page)}${pieces.join("")}`)
}
