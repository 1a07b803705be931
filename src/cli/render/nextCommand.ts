// The next command to type, whole: a cure names the command and the run; what of the command line it also needs, since
// no run keeps it, is added here, for every cure alike.

const plain = /^[\w@%+=:,./-]+$/

const quoted = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Flags that are about this once: not of what is run, or said anew by the cure. True: it has a value. */
const passing: ReadonlyMap<string, boolean> = new Map([
  ["--yes", false],
  ["--json", false],
  ["--plain", false],
  ["--fresh", false],
  ["--dry", false],
  ["--reuse", true],
  ["--resume", true],
  ["--trust", true],
  ["--base-dir", true]
])

/** How it is shown, and what was trusted before it changed. */
const shownBy: ReadonlyMap<string, boolean> = new Map([
  ["--json", false],
  ["--plain", false],
  ["--trust", true]
])

/** Words as a shell takes them. */
export const shellWords = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")

const without = (flags: ReadonlyMap<string, boolean>, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ""
    const hasValue = flags.get(word.split("=", 1)[0] ?? "")
    if (hasValue === undefined) kept.push(word)
    else if (hasValue && !word.includes("=")) at++
  }
  return kept
}

/** Of the arguments of a command, those that say what is run. */
export const lastingArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => without(passing, args)

/** What was typed after that command, as far as it says what is run. */
export const typedAfter = (command: string, args: ReadonlyArray<string>): string =>
  shellWords(lastingArguments(args.toSpliced(args.indexOf(command), 1)))

/** The same command again, for what it lacked to be added. */
export const sameAgain = (args: ReadonlyArray<string>): string =>
  `alembic ${shellWords(without(shownBy, args))}`

/** The same command again, with the agreement that it lacked. */
export const agreedAgain = (args: ReadonlyArray<string>): string =>
  sameAgain(args.includes("--yes") ? args : [...args, "--yes"])

/** The base directory that the arguments name. */
export const baseDirIn = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findIndex((word) => word === "--base-dir" || word.startsWith("--base-dir="))
  const word = args[at]
  return word === "--base-dir" ? args[at + 1] : word?.slice("--base-dir=".length)
}

/** Commands that look for runs. */
const onRuns =
  /\balembic (run|resume|fork|replay|list|inspect|show|why|diff|report|tail|verify|repair|export|import|gc|answer|approve|questions|parked|council|trust)\b/g

/** A cure for somebody who named a base directory: every command in it names the same. */
export const inBase =
  (baseDir: string | undefined) =>
  (cure: string): string =>
    baseDir === undefined || cure.includes("--base-dir")
      ? cure
      : cure.replace(onRuns, (command) => `${command} --base-dir ${quoted(baseDir)}`)

/** A cure that runs what was edited, for the run that was begun with those words after `alembic`. */
export const asTyped =
  (typed: string | undefined) =>
  (cure: string): string =>
    typed === undefined ? cure : cure.replace(/\balembic run (?=--reuse )/, () => `alembic ${typed} `)

/** A cure for somebody who has agreed to spending: who goes on is not asked again. */
export const agreedTo =
  (args: ReadonlyArray<string>) =>
  (cure: string): string =>
    args.includes("--yes") && !cure.includes("--yes")
      ? cure.replace(/\balembic resume (?:run-[0-9a-f]{16}|@last)\b/g, (command) => `${command} --yes`)
      : cure

/** The same words with that plan's file in place of theirs. */
export const withPlan = (typed: string, plan: string): string => {
  const flag = `--plan ${quoted(plan)}`
  const had = /(^| )--plan[ =](?:'(?:[^']|'\\'')*'|\S+)/
  return had.test(typed) ? typed.replace(had, (_, before: string) => before + flag) : `${typed} ${flag}`
}
