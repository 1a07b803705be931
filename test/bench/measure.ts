// measure: medians, spreads and interleaving for benchmarks. Cases that are compared take turns in one run, so that
// a busy machine slows them alike.
import { spawnSync } from "node:child_process"

export interface Sample {
  readonly name: string
  /** Milliseconds. */
  readonly median: number
  /** The middle half lies between these. */
  readonly low: number
  readonly high: number
  readonly runs: number
}

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const summarize = (name: string, times: ReadonlyArray<number>): Sample => {
  const sorted = [...times].sort((a, b) => a - b)
  return { name, median: at(sorted, 0.5), low: at(sorted, 0.25), high: at(sorted, 0.75), runs: sorted.length }
}

/** Wall time of a process from start to exit, in milliseconds. Throws if it does not exit with 0. */
export const timeProcess = (args: ReadonlyArray<string>, options: { readonly cwd?: string } = {}): number => {
  const began = performance.now()
  const { error, status, stderr } = spawnSync(process.execPath, args, {
    ...options,
    stdio: ["ignore", "ignore", "pipe"]
  })
  const took = performance.now() - began
  if (error !== undefined || status !== 0) throw new Error(`${args.join(" ")}: exit ${status}: ${stderr}`)
  return took
}

/** Times the cases in turns, after one unmeasured turn. */
export const compare = async (
  cases: Readonly<Record<string, () => number | Promise<number>>>,
  runs: number
): Promise<ReadonlyArray<Sample>> => {
  const times = new Map<string, Array<number>>(Object.keys(cases).map((name) => [name, []]))
  for (let turn = -1; turn < runs; turn++) {
    for (const [name, time] of Object.entries(cases)) {
      const took = await time()
      if (turn >= 0) times.get(name)?.push(took)
    }
  }
  return Array.from(times, ([name, all]) => summarize(name, all))
}

/** A line for each sample, the first one being what the others are compared with. */
export const table = (samples: ReadonlyArray<Sample>, unit: "ms" | "µs" = "ms"): string => {
  const scale = unit === "ms" ? 1 : 1000
  const base = samples[0]?.median ?? Number.NaN
  const width = Math.max(...samples.map(({ name }) => name.length))
  const number = (value: number) => (value * scale).toFixed(1).padStart(8)
  return samples
    .map(
      ({ high, low, median, name, runs }) =>
        `${name.padEnd(width)} ${number(median)} ${unit}   ${number(low)} …${number(high)}   ×${(median / base).toFixed(1)}   ${runs} runs`
    )
    .join("\n")
}
