// Which commands a mission may run: those that the contract names, word for word. No shell is ever involved, so a
// text that would need one is refused.
import type { Contract } from "../domain/Contract.ts"

export const defaultProofTimeoutMs = 300_000

const needsShell = /['"`$|&;<>()*?\\\n{}[\]~#!]/

/** The words of a command written as a text, or undefined where a shell would have to read it. */
export const wordsOf = (text: string): ReadonlyArray<string> | undefined => {
  const words = text.trim().split(/[ \t]+/)
  return needsShell.test(text) || words[0] === "" ? undefined : words
}

const startsWith = (command: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean =>
  words.length > 0 && words.every((word, index) => command[index] === word)

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && startsWith(a, b)

/**
 * An entry of `contract.commands` allows every command that begins with its words; a proof of the contract allows
 * itself. Nothing else is allowed.
 */
export const isAllowed = (contract: Contract, command: ReadonlyArray<string>): boolean =>
  (contract.commands ?? []).some((entry) => startsWith(command, wordsOf(entry) ?? [])) ||
  (contract.proofs ?? []).some((proof) => same(proof.command, command))
