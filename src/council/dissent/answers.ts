// Whether what a voter wrote to an objection answers it. Decided by letters alone, so that it holds in every language:
// no meaning is judged. Pure. Which letters look alike is lookAlikes.ts.
import { skeletonOf } from "./lookAlikes.ts"

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

/** What two texts have in common that read alike: case, spaces, punctuation and letters that look alike are one. */
export const readAs = (text: string): string => skeletonOf(wordsOf(text).join(""))

const lettersOf = (text: string): string => readAs(text.replaceAll(/\p{N}/gu, ""))

/** Of an objection, as much as a copy with a word changed here and there has of it. */
const copied = 0.75

/** Whether the answer has most of the objection's words, and what it says besides is too little to be an answer. */
const isNearCopy = (answer: string, objection: string): boolean => {
  const own = new Set(wordsOf(answer).map(skeletonOf))
  const raised = new Set(wordsOf(objection).map(skeletonOf))
  const letters = (words: Iterable<string>) => [...words].join("").length
  const isIn = (word: string, words: ReadonlySet<string>) =>
    words.has(word) || [...words].some((other) => isForm(word, other))
  const taken = letters([...raised].filter((word) => isIn(word, own)))
  return (
    taken >= copied * letters(raised) && !isEnough([...own].filter((word) => !isIn(word, raised)).join(""))
  )
}

/**
 * Words that stand where an answer is not: a language's own, and what programs write. Alone they are none, in any number
 * and order. By hand, in the languages that models are mostly asked in.
 */
const empty: ReadonlySet<string> = new Set(
  (
    "no not none nothing null nil nan undefined void unknown empty blank default placeholder tbd todo tba wip na yes ok okay " +
    "answer answers answered unanswered response reply comment comments objection objections applicable available " +
    "provided given lorem ipsum dolor sit amet see above below same ditto idem pass skip skipped " +
    "nein nicht keine kein antwort einwand kommentar sim nao sem resposta respuesta sin ninguna nada ninguno objecion " +
    "pas de reponse aucune aucun rien oui non"
  )
    .split(" ")
    .map(skeletonOf)
)

/** Of two words, the shorter begins the longer, which has two letters more at most: a plural, a tense. */
const isForm = (one: string, other: string): boolean =>
  Math.abs(one.length - other.length) <= 2 &&
  Math.min(one.length, other.length) >= 3 &&
  (one.startsWith(other) || other.startsWith(one))

const isEnough = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.length >= minLetters && new Set(letters).size >= minDifferentLetters
}

/**
 * Whether a text has as many letters as an answer has to have, a word that is said again counted once, and
 * `minDifferentLetters` of them in words that say something.
 */
export const saysSomething = (text: string): boolean => {
  const words = [...new Set(wordsOf(text))]
  const telling = words.filter((word) => !empty.has(skeletonOf(word))).join("")
  return isEnough(words.join("")) && (telling.match(/\p{L}/gu) ?? []).length >= minDifferentLetters
}

const reversed = (text: string): string => Array.from(text).toReversed().join("")

const unseen = /\p{Default_Ignorable_Code_Point}|[\s\p{C}\u2800]/gu

/** Whether there is anything in a text that a reader sees. */
export const isSeen = (text: string): boolean => text.replaceAll(unseen, "") !== ""

/**
 * Why `answer` does not answer `objection`; undefined where it does. `all`: how the objections of the debate read.
 *
 * 1. It has at least `minLetters` letters, `minDifferentLetters` of them different. What is not seen, digits,
 *    punctuation and words that are said again do not count. Some stand in other words than those that say that
 *    nothing is said (`empty`).
 * 2. The objection itself, or a part of it, is no answer, and does not count where it stands in one. Nor is another
 *    objection, and none of them is in letters that look like its own.
 * 3. An answer that has most of the objection's words, in whatever form and order, has as many letters in words
 *    besides. Backwards it is the objection too.
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
  if (raised.includes(given) || raised.includes(reversed(given))) return "repeats_objection"
  // A digit that looks like a letter is none.
  for (const form of [readAs, lettersOf]) {
    if (!isEnough(form(answer).replaceAll(form(objection), ""))) return "repeats_objection"
  }
  return isNearCopy(answer, objection) ? "repeats_objection" : undefined
}
