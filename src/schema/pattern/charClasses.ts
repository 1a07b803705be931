// The sets of characters that the language of patterns knows by name, each as RE2 writes it within brackets, and with
// some of its members for making texts up. What they mean is said in parse.ts.

export const digits = "0123456789"
export const lower = "abcdefghijklmnopqrstuvwxyz"
const word = `${lower}${lower.toUpperCase()}${digits}_`
export const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("")
/** A part of a class: RE2's text for it within brackets, and some of its characters. */
export interface ClassPart {
  readonly source: string
  readonly sample: string
}

export const hex = (code: number): string => `\\x{${code.toString(16)}}`
export const range = (from: number, to: number): string =>
  from === to ? hex(from) : `${hex(from)}-${hex(to)}`
const ranges = (...all: ReadonlyArray<readonly [number, number]>): string =>
  all.map(([from, to]) => range(from, to)).join("")

const spaceSource = ranges(
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff]
)
const notSpaceSource = ranges(
  [0, 0x08],
  [0x0e, 0x1f],
  [0x21, 0x9f],
  [0xa1, 0x167f],
  [0x1681, 0x1fff],
  [0x200b, 0x2027],
  [0x202a, 0x202e],
  [0x2030, 0x205e],
  [0x2060, 0x2fff],
  [0x3001, 0xfefe],
  [0xff00, 0x10ffff]
)
export const notNewline = ranges([0, 0x09], [0x0b, 0x0c], [0x0e, 0x2027], [0x202a, 0x10ffff])
export const anyCharacter = range(0, 0x10ffff)

export const classes: Readonly<Record<string, ClassPart>> = {
  d: { source: "0-9", sample: digits },
  D: { source: ranges([0, 0x2f], [0x3a, 0x10ffff]), sample: lower },
  w: { source: "0-9A-Za-z_", sample: word },
  W: { source: ranges([0, 0x2f], [0x3a, 0x40], [0x5b, 0x5e], [0x60, 0x60], [0x7b, 0x10ffff]), sample: "-.!" },
  s: { source: spaceSource, sample: " " },
  S: { source: notSpaceSource, sample: lower }
}
export const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }
export const posix: Readonly<Record<string, string>> = {
  alnum: word.slice(0, -1),
  alpha: lower,
  ascii: lower,
  blank: " \t",
  digit: digits,
  graph: printable,
  lower,
  print: printable,
  punct: "!.-",
  space: " ",
  upper: lower.toUpperCase(),
  word,
  xdigit: "0123456789abcdef"
}
/** Unicode's long names of general categories, which ECMAScript knows and RE2 does not. */
export const categories: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Titlecase_Letter: "Lt",
  Modifier_Letter: "Lm",
  Other_Letter: "Lo",
  Mark: "M",
  Nonspacing_Mark: "Mn",
  Spacing_Mark: "Mc",
  Enclosing_Mark: "Me",
  Number: "N",
  Decimal_Number: "Nd",
  Letter_Number: "Nl",
  Other_Number: "No",
  Punctuation: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Control: "Cc",
  Format: "Cf"
}
