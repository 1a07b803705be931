// The edge: the one place where what a command prints meets a terminal. Everything goes through it: answers, notes,
// errors, help, logs, the live line. A terminal gets text that is made harmless. What is written for people is harmless
// in a pipe too, since `| head`, a pager and the log of a CI end on a terminal; data in a pipe is every byte as it is.
import type { Console } from "effect"
import { harmless, harmlessJson } from "./harmless.ts"
import { drawn } from "./style.ts"

export interface Edge {
  /** Whether a terminal reads them. */
  readonly stdout: boolean
  readonly stderr: boolean
  /** The word that begins the marks of this process; undefined: no colour. */
  readonly mark: string | undefined
}

const asIs = (text: string): string => text

const forPeople = (text: string, terminal: boolean, mark: string | undefined): string =>
  drawn(text, mark, terminal ? harmless : asIs)

/** A text for people, also where no terminal reads it. What goes on to a terminal is done there, once. */
export const peopleText = (text: string, terminal: boolean, mark: string | undefined): string =>
  terminal ? text : forPeople(text, true, mark)

/** A line of JSON, on stdout. */
export const jsonLine = ({ stdout }: Edge, line: string): string => (stdout ? harmlessJson(line) : line)

/** What stands on the last line of stderr. */
export const liveLine = ({ mark, stderr }: Edge, line: string): string => forPeople(line, stderr, mark)

/** The console that everything of a command writes to. */
export const guarded = (console: Console.Console, { mark, stderr, stdout }: Edge): Console.Console => {
  const through =
    (write: Console.Console["log"], terminal: boolean): Console.Console["log"] =>
    (...said) =>
      write(...said.map((one: unknown) => (typeof one === "string" ? forPeople(one, terminal, mark) : one)))
  const out = through((...said) => console.log(...said), stdout)
  const err = through((...said) => console.error(...said), stderr)
  return { ...console, log: out, info: out, debug: out, error: err, warn: err, trace: err }
}
