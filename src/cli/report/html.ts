// Html: text that is markup. Whatever is not made by `html` or `raw` is text, and cannot become markup: it is escaped, and
// what would hide or reorder what is drawn is shown as an escape.
import { harmless } from "../terminal/harmless.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text as it stands in an element or in a quoted attribute. */
export const escaped = (text: string): string =>
  harmless(text.toWellFormed()).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Markup that this process has made. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

export type Part = Html | string | number | undefined | ReadonlyArray<Html>

const written = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Html) return part.markup
  if (typeof part === "string" || typeof part === "number") return escaped(String(part))
  return part.map(({ markup }) => markup).join("")
}

/** `html\`<b>${text}</b>\``: the literal is markup, what is put in is text unless it is Html. */
export const html = (literal: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(literal.reduce((all, piece, at) => `${all}${written(parts[at - 1])}${piece}`))
