// Ranked votes over the options of a pack: weighted Borda points, in integers. The tie rule: more points, then more
// weight of first places, then the order in which the pack lists the options. Every tie that was broken says how.
import { Schema } from "effect"
import { scaled } from "./scoring.ts"

export interface RankedVote {
  readonly member: string
  readonly weight: number
  /** Option ids, best first; the ones left out share the last place. */
  readonly ranking: ReadonlyArray<string>
}

export const RankedOption = Schema.Struct({
  option: Schema.String,
  /** Borda points times vote weight, in the smallest unit of the weights. */
  points: Schema.Int,
  firstPlaces: Schema.Int,
  /** How it came before the next one of equal points. */
  tieBrokenBy: Schema.optionalKey(Schema.Literals(["first_places", "option_order"]))
})

export const Ranking = Schema.Struct({
  votes: Schema.Int,
  order: Schema.Array(RankedOption),
  /** The option that beats every other one in pairs, where there is one. */
  condorcet: Schema.optionalKey(Schema.String)
})
export type Ranking = typeof Ranking.Type

/** Ranks the options. The same votes in any order give the same ranking. */
export const rank = (options: ReadonlyArray<string>, votes: ReadonlyArray<RankedVote>): Ranking => {
  const weights = scaled(votes.map(({ weight }) => weight)) ?? []
  const place = (vote: RankedVote, option: string): number => {
    const index = vote.ranking.indexOf(option)
    return index === -1 ? options.length - 1 : index
  }
  const sum = (value: (vote: RankedVote) => number): bigint =>
    votes.reduce((total, vote, index) => total + (weights[index] ?? 0n) * BigInt(value(vote)), 0n)

  const standing = options.map((option, index) => ({
    option,
    index,
    points: sum((vote) => options.length - 1 - place(vote, option)),
    first: sum((vote) => (vote.ranking[0] === option ? 1 : 0))
  }))
  const falling = (a: bigint, b: bigint): number => (a > b ? -1 : a < b ? 1 : 0)
  standing.sort((a, b) => falling(a.points, b.points) || falling(a.first, b.first) || a.index - b.index)

  const beats = (a: string, b: string): boolean =>
    sum((vote) => Math.sign(place(vote, b) - place(vote, a))) > 0n
  const condorcet = options.find((a) => options.every((b) => a === b || beats(a, b)))

  return {
    votes: votes.length,
    order: standing.map(({ first, option, points }, index) => {
      const next = standing[index + 1]
      const tied = next !== undefined && next.points === points
      return {
        option,
        points: Number(points),
        firstPlaces: Number(first),
        ...(tied
          ? { tieBrokenBy: next.first === first ? ("option_order" as const) : ("first_places" as const) }
          : {})
      }
    }),
    ...(condorcet === undefined || votes.length === 0 ? {} : { condorcet })
  }
}
