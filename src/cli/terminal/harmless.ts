// Text from outside (a model's answer, a file name, a question) on a terminal. Nothing in it moves the cursor, sets a
// title, reorders a line or hides: such characters are shown as escapes. Letters, marks and emoji stay as they are.
// It is done once, at the edge (edge.ts), for all that a command prints.

/**
 * Controls, unpaired surrogates, line and paragraph separators, and everything that a terminal draws as nothing or
 * that reorders what is drawn: Default_Ignorable_Code_Point of Unicode holds the bidirectional controls and the
 * zero-width characters. Interlinear annotations (U+FFF9 to U+FFFB) hide what they enclose.
 */
const suspects = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\p{NChar}\uFFF9-\uFFFB]/gu

/** What a joiner may stand between, and what a variation selector may follow. */
const joinable = /^[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0E\uFE0F]$/u
const variable = /^[\p{L}\p{M}\p{N}\p{S}\p{P}]$/u

const isJoiner = (found: string): boolean => found === "\u200C" || found === "\u200D"
const isVariationSelector = (found: string): boolean =>
  (found >= "\uFE00" && found <= "\uFE0F") || (found >= "\u{E0100}" && found <= "\u{E01EF}")

const before = (text: string, at: number): string => {
  const low = text.charCodeAt(at - 1)
  const wide = low >= 0xdc00 && low <= 0xdfff && at > 1
  return at === 0 ? "" : text.slice(wide ? at - 2 : at - 1, at)
}

const after = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  return point === undefined ? "" : String.fromCodePoint(point)
}

/** Whether the character is part of how a word or an emoji is written, or of the layout of lines. */
const belongs = (found: string, at: number, text: string): boolean => {
  if (found === "\n" || found === "\t") return true
  if (found === "\r") return text[at + 1] === "\n"
  if (isJoiner(found)) return joinable.test(before(text, at)) && joinable.test(after(text, at + 1))
  return isVariationSelector(found) && variable.test(before(text, at))
}

const shownAs = (found: string): string => {
  const point = found.codePointAt(0) ?? 0
  return point < 0x100 ? `\\x${point.toString(16).padStart(2, "0")}` : `\\u{${point.toString(16)}}`
}

const escapedInJson = (found: string): string =>
  found.split("").reduce((all, unit) => `${all}\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`, "")

/** The text with whatever could act on a terminal shown instead. Linear in its length. */
export const harmless = (text: string): string =>
  text.replace(suspects, (found, at: number) => (belongs(found, at, text) ? found : shownAs(found)))

/** The same for a line of JSON, which stays the same value. */
export const harmlessJson = (line: string): string =>
  line.replace(suspects, (found, at: number) => (belongs(found, at, line) ? found : escapedInJson(found)))
