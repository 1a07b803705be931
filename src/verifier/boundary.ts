// Where a passage may start and end in a text. "proven" does not stand in "unproven", "You can" not in "You can't",
// "5" not in "5%", "234" not in "1,234": a cut word or number says something else than its source.

const wordChar = /[\p{L}\p{N}\p{M}\p{Pc}\p{Cf}]/u
const digit = /\p{Nd}/u
const joiner = new Set(["'", "’", "‘", "ʼ", "-", "‐", "‑", "−", "@", "/", "\\"])
const groupMark = new Set([".", ",", "'", "’", "٫", "٬", "\u00a0", "\u2009", "\u202f", "_"])
const attached = new Set(["%", "‰", "‱", "°", "′", "″", "²", "³"])
const signs = new Set(["-", "−", "–", "+", "±"])

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

/** Whether the number at [start, end) goes on outside: more digits, a sign, a grouping mark, a percent sign. */
export const cutsNumber = (text: string, start: number, end: number): boolean => {
  if (digit.test(after(text, start))) {
    const previous = before(text, start)
    const further = before(text, start - previous.length)
    if (digit.test(previous) || signs.has(previous)) return true
    if (groupMark.has(previous) && (digit.test(further) || previous === ".")) return true
    // "12 345": a group of three after a space may be the rest of a number.
    if (previous === " " && digit.test(further) && /^[0-9]{3}(?![0-9])/.test(text.slice(start, start + 4)))
      return true
  }
  if (digit.test(before(text, end))) {
    const next = after(text, end)
    const further = after(text, end + next.length)
    if (digit.test(next) || attached.has(next)) return true
    if (groupMark.has(next) && digit.test(further)) return true
    if (/^[eE][+-]?[0-9]/.test(text.slice(end, end + 3))) return true
    if (next === " " && /^ [0-9]{3}(?![0-9])/.test(text.slice(end, end + 5))) return true
  }
  return false
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
