// diffRuns: what differs between two runs, call by call. Pure.
//
// D1  Every call of either run stands in exactly one pair.
// D2  Calls are paired by what they are (key and occurrence); those left by their label, in order; those left then by
//     their position among the calls of their verb.
// D3  A run compared with itself differs in nothing.
import { Result } from "effect"
import { callId } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import { canonicalJson, type Json } from "../../domain/json/canonicalJson.ts"
import { answerText, type CallDetail } from "./callDetails.ts"
import { wordDiff, type WordEdit } from "./wordDiff.ts"

/** A run as far as it is compared. */
export interface ComparedRun {
  readonly runId: string
  readonly status: string
  readonly calls: ReadonlyArray<CallDetail>
  readonly result?: Json
  readonly costUsd?: number
  /**
   * Numbers of calls that were not made: what they were asked counts, and their answers are made up. Of a plan as it
   * would run now.
   */
  readonly supposed?: ReadonlySet<number>
  /** From the first event to the last, in milliseconds of the run's clock. */
  readonly durationMs: number
}

/** A part of a call that is another. `prompt`, `system`, `model`, …, `answer`, `status`. */
export interface ChangedPart {
  readonly part: string
  readonly words: ReadonlyArray<WordEdit>
}

export interface CallPair {
  readonly by: "identity" | "label" | "position" | "alone"
  readonly a?: number
  readonly b?: number
  readonly name: string
  /** Of the right run it was not made: it would be asked, and paid. Nothing but the question is compared. */
  readonly supposed?: true
  /** Empty: the same in both. */
  readonly changes: ReadonlyArray<ChangedPart>
  readonly costUsd: readonly [number | undefined, number | undefined]
  readonly durationMs: readonly [number | undefined, number | undefined]
}

export interface RunDiff {
  readonly pairs: ReadonlyArray<CallPair>
  /** The first pair, in the order of the runs, that differs. */
  readonly first?: CallPair
  readonly same: number
  readonly changed: number
  readonly onlyInA: number
  readonly onlyInB: number
  /** Absent: the results are the same. */
  readonly result?: ReadonlyArray<WordEdit>
}

interface Paired {
  readonly by: CallPair["by"]
  readonly a?: CallDetail
  readonly b?: CallDetail
}

/** Takes pairs out of what is left of both, by what `nameOf` says of a call; in order within a name. */
const pairBy = (
  by: CallPair["by"],
  left: Set<CallDetail>,
  right: Set<CallDetail>,
  nameOf: (call: CallDetail) => string | undefined
): ReadonlyArray<Paired> => {
  const named = Map.groupBy(right, nameOf)
  const pairs: Array<Paired> = []
  for (const a of left) {
    const name = nameOf(a)
    const b = name === undefined ? undefined : named.get(name)?.shift()
    if (b === undefined) continue
    left.delete(a)
    right.delete(b)
    pairs.push({ by, a, b })
  }
  return pairs
}

const paired = (a: ReadonlyArray<CallDetail>, b: ReadonlyArray<CallDetail>): ReadonlyArray<Paired> => {
  const left = new Set(a)
  const right = new Set(b)
  const pairs = [
    ...pairBy("identity", left, right, callId),
    ...pairBy("label", left, right, ({ label }) => label),
    ...pairBy("position", left, right, ({ verb = "agent" }) => verb),
    ...[...left].map((one): Paired => ({ by: "alone", a: one })),
    ...[...right].map((one): Paired => ({ by: "alone", b: one }))
  ]
  const place = ({ a, b }: Paired) => (a?.number ?? b?.number ?? 0) * 2 + (a === undefined ? 1 : 0)
  return pairs.toSorted((one, other) => place(one) - place(other))
}

const textOf = (value: Json | undefined): string =>
  value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : Result.getOrElse(canonicalJson(value), () => JSON.stringify(value))

const asked = [
  "model",
  "system",
  "prompt",
  "schema",
  "maxOutputTokens",
  "temperature",
  "providerOptions",
  "spec"
] as const

const statusOf = ({ error, status }: CallDetail): string =>
  error === undefined ? status : `${status}: ${error}`

const changed = (part: string, before: string, after: string): ReadonlyArray<ChangedPart> =>
  before === after ? [] : [{ part, words: wordDiff(before, after) }]

/** What of the question is another. */
export const pairChanges = (a: CallDetail, b: CallDetail): ReadonlyArray<ChangedPart> =>
  asked.flatMap((part) => changed(part, textOf(a.call?.[part]), textOf(b.call?.[part])))

const changesOf = ({ a, b, by }: Paired, supposed: boolean): ReadonlyArray<ChangedPart> => {
  if (a === undefined || b === undefined) return []
  const questions = by === "identity" ? [] : pairChanges(a, b)
  if (supposed) return questions
  return [
    ...questions,
    ...changed("answer", answerText(a.result) ?? "", answerText(b.result) ?? ""),
    ...changed("status", statusOf(a), statusOf(b))
  ]
}

const tookOf = (call: CallDetail | undefined): number | undefined =>
  call?.endedAt === undefined ? undefined : call.endedAt - call.scheduledAt

const pairOf = (pair: Paired, supposed: boolean): CallPair => {
  const { a, b, by } = pair
  return {
    by,
    ...defined({ a: a?.number, b: b?.number }),
    name: (b ?? a)?.name ?? "",
    ...(supposed ? { supposed: true as const } : {}),
    changes: changesOf(pair, supposed),
    costUsd: [a?.costUsd, b?.costUsd],
    durationMs: [tookOf(a), tookOf(b)]
  }
}

const isAlone = ({ by }: CallPair): boolean => by === "alone"

/** Whether there is anything to tell of it. */
export const differs = (pair: CallPair): boolean =>
  isAlone(pair) || pair.changes.length > 0 || pair.supposed === true

export const diffRuns = (a: ComparedRun, b: ComparedRun): RunDiff => {
  const pairs = paired(a.calls, b.calls).map((pair) =>
    pairOf(pair, pair.b !== undefined && b.supposed?.has(pair.b.number) === true)
  )
  const differing = pairs.filter(differs)
  const left = textOf(a.result)
  const right = textOf(b.result)
  return {
    pairs,
    ...defined({ first: differing[0] }),
    same: pairs.length - differing.length,
    changed: differing.filter((pair) => !isAlone(pair)).length,
    onlyInA: pairs.filter(({ a, b }) => a !== undefined && b === undefined).length,
    onlyInB: pairs.filter(({ a, b }) => a === undefined && b !== undefined).length,
    ...(left === right ? {} : { result: wordDiff(left, right) })
  }
}
