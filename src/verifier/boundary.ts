// Where a passage may start and end in a text. "proven" does not stand in "unproven", "You can" not in "You can't",
// "5" not in "5%", "234" not in "1,234", "10" not in "10⁶", "7" not in "－7": a cut word or number says something else
// than its source. A number ends only where nothing that could belong to it stands, by Unicode's categories.

const wordChar = /[\p{L}\p{N}\p{M}\p{Pc}\p{Cf}]/u
const number = /\p{N}/u
const joiner = new Set(["'", "’", "‘", "ʼ", "-", "‐", "‑", "−", "@", "/", "\\"])
/** Signs, and what may be one: every dash, and the plus and minus of other widths and heights. */
const sign = /[\p{Pd}+\u2212\u00b1\u2213\u207a\u207b\u208a\u208b\uff0b\ufb29\u02d6\u02d7\u2795\u2796\u2043]/u
/** The minus signs proper, which belong to a number even over a space. */
const minus = /[\u2212\uff0d\ufe63\u207b\u2796]/
/** What says that a number is about, or a function of, the one that is written. */
const about = /[~\u2248\u223c\u2243\u2245\u2264\u2265\u2272\u2273\u2260\u221a-\u221c]/
/** A decimal mark may open a number: `.5`, `·5`. */
const leadingMark = /[.\u00b7\u066b\u2396\uff0e\u22c5]/
const percent = /[%\u2030\u2031\u066a\uff05\ufe6a\u00b0\u2032\u2033\u2034\u00ba\u00aa]/
/** Punctuation and symbols that part what stands around them; every other, between two digits, may join them. */
const parting = /[\p{Ps}\p{Pe}"=|;<>&]/u
const joining = /[\p{P}\p{S}\p{Zs}\p{M}\p{Cf}]/u
/** A factor or a base right before, or right after: "3 × 10⁶", "10^6", "10**6". A factor is not the number. */
const factorBefore =
  /[\p{N})]\p{Zs}{0,2}(?:[\u00d7\u22c5\u00b7\u2219\u2715\u2716^]|\*{1,2}|(?<=[\p{Zs}\p{N}])x)\p{Zs}{0,2}$/u
const factorAfter =
  /^\p{Zs}{0,2}(?:[\u00d7\u22c5\u00b7\u2219\u2715\u2716^]|\*{1,2}|x(?=[\p{Zs}\p{N}]))\p{Zs}{0,2}[\p{N}(+\u2212-]/u
/** What belongs to whatever number it touches: letters, marks, the invisible, numerals of any kind, underscores. */
const attached = /[\p{L}\p{M}\p{Cf}\p{N}\p{Pc}\p{Sk}\p{Lm}]/u

/** The code point before `at`; a byte order mark at the start of a text is not part of it. */
const before = (text: string, at: number): string => {
  if (at === 1 && text.startsWith("\ufeff")) return ""
  const low = text.charCodeAt(at - 1)
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(at - 2, at) : text.slice(at - 1, at)
}

const after = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  return point === undefined ? "" : String.fromCodePoint(point)
}

/** Whether a mark stands between two digits so that it may join them: `1·5`, `1,234`, `2⁄3`, `10:30`. */
const joins = (mark: string, beyond: string): boolean =>
  number.test(beyond) && joining.test(mark) && !parting.test(mark) && mark !== " "

/** Whether what stands before the digit at `start` could belong to its number. */
const continuesBefore = (text: string, start: number): boolean => {
  const previous = before(text, start)
  if (previous === "") return false
  const further = before(text, start - previous.length)
  if (number.test(previous) || sign.test(previous) || about.test(previous) || leadingMark.test(previous))
    return true
  if (joins(previous, further)) return true
  if (factorBefore.test(text.slice(Math.max(0, start - 10), start))) return true
  if (!/\p{Zs}/u.test(previous)) return false
  if (minus.test(further) || about.test(further)) return true
  if (previous !== " " && number.test(further)) return true
  // "12 345": a group of three after a space may be the rest of a number.
  return number.test(further) && /^\p{Nd}{3}(?!\p{Nd})/u.test(text.slice(start, start + 8))
}

/** A space as HTML writes it, and dots of a range. */
const markup = /^&(?:#\w{1,8}|\w{2,10});/
const range = /^\.{2,3}\s?\p{N}/u

/** Whether what stands after the digit that ends at `end` could belong to its number. */
const continuesAfter = (text: string, end: number): boolean => {
  const next = after(text, end)
  if (next === "") return false
  const further = after(text, end + next.length)
  if (number.test(next) || percent.test(next) || sign.test(next)) return true
  if (joins(next, further)) return true
  if (/^[eE][+-]?[0-9]/.test(text.slice(end, end + 3))) return true
  if (factorAfter.test(text.slice(end, end + 12))) return true
  if (markup.test(text.slice(end, end + 12)) || range.test(text.slice(end, end + 6))) return true
  if (!/\p{Zs}/u.test(next)) return false
  if (next !== " " && (number.test(further) || percent.test(further))) return true
  // "½" and its like after a space are the rest of a mixed number: "5 ½".
  if (/[\p{No}]/u.test(further)) return true
  return /^ \p{Nd}{3}(?!\p{Nd})/u.test(text.slice(end, end + 9))
}

/** Whether the number at [start, end) goes on outside: digits, a sign, a mark of groups or decimals, a power. */
export const cutsNumber = (text: string, start: number, end: number): boolean => {
  const first = after(text, start)
  if (number.test(first) && continuesBefore(text, start)) return true
  // A sign that is captured is one only where nothing stands before it that it could join: "5-7" holds no -7.
  if (sign.test(first) && number.test(after(text, start + first.length))) {
    const previous = before(text, start)
    if (attached.test(previous) || sign.test(previous) || /\p{Pe}/u.test(previous)) return true
  }
  return number.test(before(text, end)) && continuesAfter(text, end)
}

/** Units of two letters or more that may touch their number where the pattern itself names them; and seconds. */
const touchingUnit =
  /^(?:ns|us|\u00b5s|\u03bcs|ms|min|kbit|Mbit|Gbit|bit|kB|MB|GB|TB|KiB|MiB|GiB|TiB|mm|cm|km|mg|kg|s)(?![\p{L}\p{N}\p{M}\p{Pc}\p{Cf}])/u
const plainNumber = /^[-+]?[0-9]+(?:[.,][0-9]+)*$/

/** What multiplies the number before it, over a space or none: percent, prefixes, and the words of some languages. */
const scale =
  /^\p{Zs}{0,2}(?:[%\u2030\u2031\u066a\uff05]|(?:hundred|thousand|million|billion|trillion|lakh|crore|dozen|score|grand|thousands|millions|billions|trillions|tausend|millionen|milliarden|milliarde|mio|mrd|mille|milliers|milliards|milliard|mil|miles|mill\u00f3n|millones|milh\u00f5es|milh\u00e3o|bilh\u00f5es|mln|mld|bn|mn|mm|k|m|b|t)(?![\p{L}\p{N}\p{M}\p{Pc}/]|\u00b2|\u00b3)|[\u5341\u767e\u5343\u4e07\u842c\u5104\u4ebf\u5146\u842c\ub9cc\uc5b5\ucc9c])/iu

/**
 * Whether a capture at [start, end) of a match that ends at `matchEnd` cuts a number. A number that touches letters may
 * be another (`0x4F`, `10k`): only a unit that the pattern names with it may stand there.
 */
export const cutsCapture = (text: string, start: number, end: number, matchEnd: number): boolean => {
  if (cutsNumber(text, start, end)) return true
  if (end - start > 100 || !plainNumber.test(text.slice(start, end))) return false
  if (attached.test(before(text, start))) return true
  const scaled = scale.exec(text.slice(end, end + 16))?.[0]
  if (scaled !== undefined && end + scaled.length > matchEnd) return true
  if (!attached.test(after(text, end))) return false
  const unit = touchingUnit.exec(text.slice(end, end + 8))?.[0]
  return unit === undefined || end + unit.length > matchEnd
}

/** Whether a word or number at either end of [start, end) goes on outside of it. */
export const cutsWord = (text: string, start: number, end: number): boolean => {
  const first = after(text, start)
  const last = before(text, end)
  if (wordChar.test(first)) {
    const previous = before(text, start)
    if (wordChar.test(previous)) return true
    if (joiner.has(previous) && wordChar.test(before(text, start - previous.length))) return true
  }
  const next = after(text, end)
  // A combining or invisible character changes whatever stands before it.
  if (/[\p{M}\p{Cf}]/u.test(next)) return true
  if (wordChar.test(last)) {
    if (wordChar.test(next)) return true
    if (joiner.has(next) && wordChar.test(after(text, end + next.length))) return true
  }
  return cutsNumber(text, start, end)
}
