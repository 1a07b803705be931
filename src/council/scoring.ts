// Scoring: from votes to a decision, pure and in integers, so that the same votes give the same decision in any
// order, on any machine. Weights and thresholds are decimals scaled to integers; nothing is rounded before it is
// compared.
import { Schema } from "effect"
import { decimalFromNumber } from "../domain/decimal.ts"
import { minVotes, type Axis, type Thresholds } from "./Board.ts"

export const Decision = Schema.Literals(["GO", "PIVOT", "NO_GO"])
export type Decision = typeof Decision.Type

/** Scores by axis, whole numbers from 0 to 10. */
export type Scores = Readonly<Record<string, number>>

/** A vote that was read, with its voter's weight. */
export interface CountedVote {
  readonly member: string
  readonly weight: number
  readonly scores: Scores
}

export interface Rules {
  readonly axes: ReadonlyArray<Axis>
  readonly thresholds: Thresholds
}

const maxDecimals = 6
const maxScaled = 10n ** 12n

/**
 * Decimals as integers of one scale, or undefined if one of them is not finite, has more than 6 decimals, or is so
 * large that points counted in it could pass what a double holds.
 */
export const scaled = (values: ReadonlyArray<number>): ReadonlyArray<bigint> | undefined => {
  const decimals = values.map(decimalFromNumber)
  const exponent = Math.min(0, ...decimals.map((decimal) => decimal?.e ?? 0))
  if (exponent < -maxDecimals) return undefined
  const integers = decimals.flatMap((decimal) =>
    decimal === undefined ? [] : [decimal.m * 10n ** BigInt(decimal.e - exponent)]
  )
  const small = integers.every((integer) => integer <= maxScaled && integer >= -maxScaled)
  return small && integers.length === values.length ? integers : undefined
}

/** A fraction of integers, its denominator positive. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const zero: Fraction = { over: 0n, under: 1n }

const weighted = (pairs: ReadonlyArray<readonly [weight: bigint, value: Fraction]>): Fraction => {
  const under = pairs.reduce((product, [, value]) => product * value.under, 1n)
  const weights = pairs.reduce((sum, [weight]) => sum + weight, 0n)
  const over = pairs.reduce((sum, [weight, value]) => sum + weight * value.over * (under / value.under), 0n)
  return weights === 0n ? zero : { over, under: under * weights }
}

const whole = (value: number): Fraction => ({ over: BigInt(value), under: 1n })

/** The mean of one vote over the axes. */
const meanOfVote = ({ scores }: Pick<CountedVote, "scores">, axes: ReadonlyArray<Axis>): Fraction => {
  const weights = scaled(axes.map(({ weight }) => weight)) ?? []
  return weighted(axes.map(({ id }, index) => [weights[index] ?? 0n, whole(scores[id] ?? 0)]))
}

const atLeast = (mean: Fraction, threshold: number): boolean => {
  const decimal = decimalFromNumber(threshold)
  if (decimal === undefined) return false
  return decimal.e < 0
    ? mean.over * 10n ** BigInt(-decimal.e) >= decimal.m * mean.under
    : mean.over >= decimal.m * 10n ** BigInt(decimal.e) * mean.under
}

const decisionOf = (mean: Fraction, { go, pivot }: Thresholds): Decision =>
  atLeast(mean, go) ? "GO" : atLeast(mean, pivot) ? "PIVOT" : "NO_GO"

/** For the eye: cut (not rounded) to thousandths, so that 6.9996 never reads as 7. */
const shown = ({ over, under }: Fraction): number => Number((over * 1000n) / under) / 1000

/** One voter's row of the table: a function of its own vote and the rules alone. */
export const ScoreRow = Schema.Struct({
  member: Schema.String,
  weight: Schema.Number,
  scores: Schema.Record(Schema.String, Schema.Int),
  mean: Schema.Number,
  decision: Decision
})
export type ScoreRow = typeof ScoreRow.Type

/** The score table. Means are cut to thousandths; the decision was taken on the exact ones. */
export const ScoreTable = Schema.Struct({
  decision: Decision,
  /** Enough valid votes to decide at all. */
  enough: Schema.Boolean,
  mean: Schema.optionalKey(Schema.Number),
  thresholds: Schema.Struct({ go: Schema.Number, pivot: Schema.Number }),
  axes: Schema.Array(
    Schema.Struct({ axis: Schema.String, weight: Schema.Number, mean: Schema.optionalKey(Schema.Number) })
  ),
  rows: Schema.Array(ScoreRow)
})
export type ScoreTable = typeof ScoreTable.Type

export const rowOf = (vote: CountedVote, rules: Rules): ScoreRow => {
  const mean = meanOfVote(vote, rules.axes)
  return {
    member: vote.member,
    weight: vote.weight,
    scores: vote.scores,
    mean: shown(mean),
    decision: decisionOf(mean, rules.thresholds)
  }
}

/**
 * The decision of the votes. Fewer than three: `NO_GO`, `enough: false`, and no mean.
 *
 * 1. The same votes in any order give the same decision.
 * 2. Multiplying all axis weights, or all vote weights, by one number changes nothing.
 * 3. A vote that is not there changes no other vote's row.
 * 4. Raising a score never lowers the decision (a mean that reaches a threshold exactly has reached it).
 * 5. Fewer than three votes are NO_GO.
 */
export const score = (votes: ReadonlyArray<CountedVote>, rules: Rules): ScoreTable => {
  const weights = scaled(votes.map(({ weight }) => weight)) ?? []
  const mean = (value: (vote: CountedVote) => Fraction): Fraction =>
    weighted(votes.map((vote, index) => [weights[index] ?? 0n, value(vote)]))
  const enough = votes.length >= minVotes
  const total = mean((vote) => meanOfVote(vote, rules.axes))
  return {
    decision: enough ? decisionOf(total, rules.thresholds) : "NO_GO",
    enough,
    ...(enough ? { mean: shown(total) } : {}),
    thresholds: rules.thresholds,
    axes: rules.axes.map(({ id, weight }) => ({
      axis: id,
      weight,
      ...(enough ? { mean: shown(mean(({ scores }) => whole(scores[id] ?? 0))) } : {})
    })),
    rows: votes.map((vote) => rowOf(vote, rules))
  }
}
