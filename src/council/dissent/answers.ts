// Whether what a voter wrote to an objection answers it. Decided by letters alone, so that it holds in every language:
// no meaning is judged. Pure.

/** An answer has at least this many letters, not counting those of the objection that it repeats. */
export const minLetters = 8
/** And at least this many different ones. */
export const minDifferentLetters = 4

/** Why a text is no answer. */
export type Insufficient = "too_few_letters" | "repeats_objection"

/**
 * The words of a text as a reader sees them: compatibility forms folded and marks taken off (NFKD), in lower case,
 * without what is not seen, also where Unicode calls it a letter (U+3164, U+FFA0), without punctuation.
 */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{M}|\p{Cf}/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** What two texts have in common that read alike. */
export const readAs = (text: string): string => wordsOf(text).join("")

const isEnough = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.length >= minLetters && new Set(letters).size >= minDifferentLetters
}

/** Whether a text has as many letters as an answer has to have. A word that is said again adds none. */
export const saysSomething = (text: string): boolean => isEnough([...new Set(wordsOf(text))].join(""))

const unseen = /\p{Default_Ignorable_Code_Point}|[\s\p{C}\u2800]/gu

/** Whether there is anything in a text that a reader sees. */
export const isSeen = (text: string): boolean => text.replaceAll(unseen, "") !== ""

/**
 * Why `answer` does not answer `objection`; undefined where it does. `all`: how the objections of the debate read.
 *
 * 1. It has at least `minLetters` letters, `minDifferentLetters` of them different. What is not seen, digits,
 *    punctuation and words that are said again do not count.
 * 2. The objection itself, or a part of it, is no answer, and does not count where it stands in one. Nor is another
 *    objection.
 */
export const insufficiencyOf = (
  answer: string,
  objection: string,
  all: ReadonlySet<string> = new Set()
): Insufficient | undefined => {
  if (!saysSomething(answer)) return "too_few_letters"
  const given = readAs(answer)
  if (all.has(given)) return "repeats_objection"
  const raised = readAs(objection)
  if (!isEnough(raised)) return undefined
  if (raised.includes(given)) return "repeats_objection"
  return isEnough(given.replaceAll(raised, "")) ? undefined : "repeats_objection"
}
