// Whether what a voter wrote to an objection answers it. Decided by letters alone, so that it holds in every language:
// no meaning is judged. Pure.

/** An answer has at least this many letters, not counting those of the objection that it repeats. */
export const minLetters = 8
/** And at least this many different ones. */
export const minDifferentLetters = 4

/** Why a text is no answer. */
export type Insufficient = "too_few_letters" | "repeats_objection"

/**
 * The letters and digits of a text as a reader sees them: compatibility forms folded (NFKC), in lower case, without
 * what is not seen, also where Unicode calls it a letter (U+3164, U+FFA0).
 */
const seen = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}]/gu, "")

const lettersOf = (text: string): ReadonlyArray<string> => text.match(/\p{L}/gu) ?? []

const isEnough = (text: string): boolean => {
  const letters = lettersOf(text)
  return letters.length >= minLetters && new Set(letters).size >= minDifferentLetters
}

/** Whether a text has as many letters as an answer has to have. */
export const saysSomething = (text: string): boolean => isEnough(seen(text))

/**
 * Why `answer` does not answer `objection`; undefined where it does.
 *
 * 1. What is left of it without what is not seen, without digits and punctuation, has at least `minLetters` letters,
 *    `minDifferentLetters` of them different.
 * 2. The objection itself, or a part of it, is no answer, and does not count where it stands in one.
 */
export const insufficiencyOf = (answer: string, objection: string): Insufficient | undefined => {
  const given = seen(answer)
  if (!isEnough(given)) return "too_few_letters"
  const raised = seen(objection)
  if (!isEnough(raised)) return undefined
  if (raised.includes(given)) return "repeats_objection"
  return isEnough(given.replaceAll(raised, "")) ? undefined : "repeats_objection"
}
