// The difference between two runs, for people: what is the same in short, what differs word by word.
import { differs, type CallPair, type ComparedRun, type RunDiff } from "../../../engine/inspect/diffRuns.ts"
import type { WordEdit } from "../../../engine/inspect/wordDiff.ts"
import { clip, type Style } from "../../terminal/style.ts"
import { dollarsText, durationText, plural } from "../numbers.ts"

/** Characters of unchanged text that stand around a change. */
const around = 60

const head = (text: string): string =>
  text.length <= around ? text : `${text.slice(0, around).toWellFormed()}…`
const tail = (text: string): string =>
  text.length <= around ? text : `…${text.slice(-around).toWellFormed()}`
const middle = (text: string): string => (text.length <= around * 2 ? text : `${head(text)} ${tail(text)}`)

/** The words of a text: `[-removed-]`, `{+added+}`, as `git diff --word-diff` writes them; colours besides. */
export const wordsText = (words: ReadonlyArray<WordEdit>, style: Style): string =>
  words
    .map(({ kind, text }, at) => {
      if (kind === "removed") return style.red(`[-${text}-]`)
      if (kind === "added") return style.green(`{+${text}+}`)
      return at === 0 ? tail(text) : at === words.length - 1 ? head(text) : middle(text)
    })
    .join("")

const indented = (text: string): string => text.trimEnd().replaceAll("\n", "\n      ")

const moved = (
  what: string,
  [before, after]: readonly [number | undefined, number | undefined],
  shown: (value: number) => string
): ReadonlyArray<string> =>
  before === after || before === undefined || after === undefined
    ? []
    : [`${what} ${shown(before)} → ${shown(after)}`]

const pairText = (pair: CallPair, style: Style): string => {
  const { a, b, changes, name } = pair
  const places = a === b ? `${a}` : `${a ?? "–"} → ${b ?? "–"}`
  const asked = pair.supposed === true ? style.dim("  would be asked") : ""
  const named = `${places}  ${clip(name, 60)}${asked}`
  if (b === undefined) return style.red(`- ${named}`)
  if (a === undefined) return style.green(`+ ${named}`)
  const cost = moved("cost", pair.costUsd, dollarsText)
  return [
    `${style.yellow("~")} ${named}  ${style.dim(cost.join(" · "))}`.trimEnd(),
    ...changes.map(({ part, words }) => `    ${style.bold(part)} ${indented(wordsText(words, style))}`)
  ].join("\n")
}

const sideText = (name: string, { costUsd, durationMs, runId, status }: ComparedRun): string =>
  `${name} ${runId}  ${status} · ${durationText(durationMs)} · ${costUsd === undefined ? "cost not known" : dollarsText(costUsd)}`

/** The run's differences; `shown` pairs at most. */
export const diffText = (a: ComparedRun, b: ComparedRun, diff: RunDiff, style: Style, shown = 50): string => {
  const differing = diff.pairs.filter(differs)
  const supposed = diff.pairs.filter((pair) => pair.supposed === true).length
  const counts = [
    `${plural(diff.same, "call")} the same`,
    diff.changed === 0 ? "" : `${diff.changed} changed`,
    diff.onlyInA === 0 ? "" : `${diff.onlyInA} only in A`,
    diff.onlyInB === 0 ? "" : `${diff.onlyInB} only in B`
  ].filter((part) => part !== "")
  return [
    sideText("A", a),
    b.supposed === undefined ? sideText("B", b) : `B the plan of today, on the inputs and answers of A`,
    counts.join(" · "),
    ...(diff.first === undefined
      ? []
      : [`first difference: call ${diff.first.b ?? diff.first.a} (${clip(diff.first.name, 60)})`]),
    ...differing.slice(0, shown).map((pair) => pairText(pair, style)),
    ...(differing.length > shown ? [`… and ${differing.length - shown} more (--json has them all)`] : []),
    ...(supposed === 0
      ? []
      : [
          style.dim(
            `${plural(supposed, "call")} would be asked: what they answer, and what follows from it, is made up`
          )
        ]),
    diff.result === undefined
      ? style.dim("the results are the same")
      : `${style.bold("result")} ${indented(wordsText(diff.result, style))}`
  ].join("\n")
}
