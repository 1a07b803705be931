// The timeline's shape: calls in lanes below their phases, so that none covers another. Pure.
import type { CallLine } from "./RunPage.ts"

export interface Bar {
  readonly call: CallLine
  readonly from: number
  readonly to: number
  readonly lane: number
}

export interface Lanes {
  readonly bars: ReadonlyArray<Bar>
  /** Each phase with its first lane. */
  readonly heads: ReadonlyArray<{ readonly name: string; readonly lane: number }>
  readonly count: number
  readonly from: number
  readonly to: number
  /** Calls at work at one time, at most. */
  readonly atOnce: number
}

/** Lanes of one phase; calls beyond the last one share it. */
const mostLanes = 24

const atMost = (calls: ReadonlyArray<CallLine>): number => {
  const steps = calls
    .flatMap(({ from, to = from }): ReadonlyArray<readonly [number, number]> => [
      [from, 1],
      [to, -1]
    ])
    // Who ends makes room for who begins then.
    .toSorted(([one, change], [other, otherChange]) => one - other || change - otherChange)
  let now = 0
  let most = 0
  for (const [, change] of steps) most = Math.max(most, (now += change))
  return Math.max(most, calls.length === 0 ? 0 : 1)
}

export const lanesOf = (calls: ReadonlyArray<CallLine>, phases: ReadonlyArray<string>): Lanes => {
  const from = calls.reduce((first, call) => Math.min(first, call.from), Infinity)
  const to = calls.reduce((last, call) => Math.max(last, call.to ?? call.from), 0)
  const groups = Map.groupBy(calls, ({ phase = "" }) => phase)
  const names = [...new Set(["", ...phases, ...groups.keys()])].filter((name) => groups.has(name))
  const bars: Array<Bar> = []
  const heads: Array<Lanes["heads"][number]> = []
  let lane = 0
  for (const name of names) {
    // A named phase has a lane for its name.
    if (name !== "") heads.push({ name, lane: lane++ })
    const free: Array<number> = []
    for (const call of groups.get(name) ?? []) {
      const end = call.to ?? to
      const found = free.findIndex((until) => until <= call.from)
      const own = found >= 0 ? found : Math.min(free.length, mostLanes - 1)
      free[own] = Math.max(free[own] ?? 0, end)
      bars.push({ call, from: call.from, to: end, lane: lane + own })
    }
    lane += free.length
  }
  const begun = from === Infinity ? 0 : from
  return {
    bars,
    heads,
    count: Math.max(1, lane),
    from: begun,
    to: Math.max(to, begun + 1),
    atOnce: atMost(calls)
  }
}

/** The bar below a point, or the nearest of that lane that is not further than `near` milliseconds. */
export const barAt = ({ bars }: Lanes, at: number, lane: number, near: number): Bar | undefined => {
  const distance = ({ from, to }: Bar): number => Math.max(from - at, at - to, 0)
  let best: Bar | undefined
  for (const bar of bars) {
    if (bar.lane !== lane || distance(bar) > near) continue
    if (best === undefined || distance(bar) < distance(best)) best = bar
  }
  return best
}
