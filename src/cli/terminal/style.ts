// Style: the few marks that text for people carries on a terminal. Without colour they are nothing. A mark is not yet
// what a terminal understands: the edge makes it so, and can therefore tell our marks from those of text from outside.
import { harmless } from "./harmless.ts"

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  /** A cure as it is to be typed here. */
  readonly typed: (cure: string) => string
  /** Text of Alembic's own that is coloured for a terminal already, such as help. */
  readonly own: (text: string) => string
}

const ansi = /\u001b\[([0-9;]*)m/g

/** A noncharacter ends a mark; what begins it is a word of this process that nobody outside can know. */
const end = "\uFDD1"

const wrap =
  (on: number, off: number, mark: string | undefined) =>
  (text: string): string =>
    mark === undefined ? text : `${mark}${on}${end}${text}${mark}${off}${end}`

/** `mark`: the word that begins every mark; undefined: no colour. */
export const makeStyle = (mark: string | undefined): Style => ({
  bold: wrap(1, 22, mark),
  dim: wrap(2, 22, mark),
  red: wrap(31, 39, mark),
  green: wrap(32, 39, mark),
  yellow: wrap(33, 39, mark),
  cyan: wrap(36, 39, mark),
  typed: (cure) => cure,
  own: (text) => text.replace(ansi, mark === undefined ? "" : `${mark}$1${end}`)
})

/** The text with `each` done to what stands between the marks, and the marks as a terminal understands them. */
export const drawn = (text: string, mark: string | undefined, each: (part: string) => string): string => {
  if (mark === undefined) return each(text)
  const [head = "", ...rest] = text.split(mark)
  return rest.reduce((all, part) => {
    const at = part.indexOf(end)
    return `${all}\u001b[${part.slice(0, at)}m${each(part.slice(at + 1))}`
  }, each(head))
}

/** What is looked at of a long text, in characters a character that is shown: the rest is not shown anyway. */
const lookedAt = 64

/** At most `width` characters on one line. What it gives does not keep a long text in memory, as a slice of it does. */
export const clip = (text: string, width: number): string => {
  const head = text.length > width * lookedAt ? text.slice(0, width * lookedAt) : text
  const line = harmless(head.replace(/\s+/g, " ")).trim()
  if (line.length <= width && head === text) return line
  return `${line
    .slice(0, Math.max(0, width - 1))
    .toWellFormed()
    .split("")
    .join("")}…`
}
