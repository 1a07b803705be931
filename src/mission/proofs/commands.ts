// Which commands a mission may run: those that the contract names, word for word, with free places where it says so.
// No shell is ever involved, so a text that would need one is refused.
import type { Contract } from "../../domain/Contract.ts"
import { isInside } from "./gatherEvidence.ts"

export const defaultProofTimeoutMs = 300_000

const needsShell = /['"`$|&;<>()*?\\\n{}[\]~#!]/

const split = (text: string): ReadonlyArray<string> => text.trim().split(/[ \t]+/)

/** The words of a command written as a text, or undefined where a shell would have to read it. */
export const wordsOf = (text: string): ReadonlyArray<string> | undefined => {
  const words = split(text)
  return needsShell.test(text) || words[0] === "" ? undefined : words
}

/** `<file>` takes one word; `<file...>`, which stands last, takes one or more. */
const freePlace = /^<[A-Za-z][A-Za-z0-9_-]*(\.\.\.)?>$/
const isFree = (word: string): boolean => freePlace.test(word)
const takesMore = (word: string | undefined): boolean => word !== undefined && /^<.*\.\.\.>$/.test(word)

/** The words of an entry of `commands`, free places among them, or undefined: it allows nothing. */
const entryWords = (entry: string): ReadonlyArray<string> | undefined => {
  const words = split(entry)
  const [program = ""] = words
  const isPlain = words.every((word) => isFree(word) || !needsShell.test(word))
  const isLast = words.every((word, index) => !takesMore(word) || index === words.length - 1)
  return program === "" || isFree(program) || !isPlain || !isLast ? undefined : words
}

/** What a program may read as an option, or as a file of options. */
const isOption = (word: string): boolean => /^[-+@\u2010-\u2015\u2212\uFF0D]/.test(word)
const fits = (word: string): boolean => !isOption(word) && isInside(word)

/** The words at the free places of the pattern, or undefined: the command is another. */
const placesIn = (
  pattern: ReadonlyArray<string>,
  command: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  const more = takesMore(pattern.at(-1))
  if (more ? command.length < pattern.length : command.length !== pattern.length) return undefined
  const places: Array<string> = []
  for (const [index, word] of command.entries()) {
    const wanted = pattern[Math.min(index, pattern.length - 1)]
    if (wanted === undefined) return undefined
    if (isFree(wanted)) {
      if (!fits(word)) return undefined
      places.push(word)
    } else if (wanted !== word) return undefined
  }
  return places
}

const startsWith = (command: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean =>
  words.every((word, index) => command[index] === word)

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && startsWith(a, b)

/** Why a command is allowed. `places`: what stands at free places; `prefix`: the entry that says less than it may. */
export interface Allowed {
  readonly places: ReadonlyArray<string>
  readonly prefix?: string
}

/**
 * 1. A proof of the contract allows itself.
 * 2. An entry of `contract.commands` allows the command of its words, with a path inside the working directory, which
 *    is no option, at each free place.
 * 3. An entry without a free place also allows its words with more behind them, none of which is an option. That is
 *    how contracts were written before there were free places, and it is told.
 * 4. Nothing else is allowed.
 */
export const allowedBy = (contract: Contract, command: ReadonlyArray<string>): Allowed | undefined => {
  if ((contract.proofs ?? []).some((proof) => same(proof.command, command))) return { places: [] }
  const entries = (contract.commands ?? []).flatMap((entry) => {
    const words = entryWords(entry)
    return words === undefined ? [] : [{ entry, words }]
  })
  for (const { words } of entries) {
    const places = placesIn(words, command)
    if (places !== undefined) return { places }
  }
  const found = entries.find(
    ({ words }) =>
      !words.some(isFree) &&
      startsWith(command, words) &&
      !command.slice(words.length).some((word) => word === "" || isOption(word))
  )
  return found === undefined ? undefined : { places: [], prefix: found.entry }
}
