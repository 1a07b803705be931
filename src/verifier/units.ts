// Units that can be compared exactly: an integer number of a smallest unit of one dimension. What is not here is
// equal only to itself by name; "KB" is not here because it means 1000 to some and 1024 to others.
import { timesInteger, type Decimal } from "../domain/decimal.ts"

const unit = (dimension: string, factor: bigint) => Object.freeze({ dimension, factor })

const units: ReadonlyMap<string, { readonly dimension: string; readonly factor: bigint }> = new Map([
  ["ns", unit("time", 1n)],
  ["us", unit("time", 1_000n)],
  ["µs", unit("time", 1_000n)],
  ["ms", unit("time", 1_000_000n)],
  ["s", unit("time", 1_000_000_000n)],
  ["min", unit("time", 60_000_000_000n)],
  ["h", unit("time", 3_600_000_000_000n)],
  ["d", unit("time", 86_400_000_000_000n)],
  ["bit", unit("data", 1n)],
  ["kbit", unit("data", 1_000n)],
  ["Mbit", unit("data", 1_000_000n)],
  ["Gbit", unit("data", 1_000_000_000n)],
  ["B", unit("data", 8n)],
  ["kB", unit("data", 8_000n)],
  ["MB", unit("data", 8_000_000n)],
  ["GB", unit("data", 8_000_000_000n)],
  ["TB", unit("data", 8_000_000_000_000n)],
  ["KiB", unit("data", 8n * 1024n)],
  ["MiB", unit("data", 8n * 1024n ** 2n)],
  ["GiB", unit("data", 8n * 1024n ** 3n)],
  ["TiB", unit("data", 8n * 1024n ** 4n)],
  ["1", unit("ratio", 1_000n)],
  ["%", unit("ratio", 10n)],
  ["‰", unit("ratio", 1n)],
  ["mm", unit("length", 1n)],
  ["cm", unit("length", 10n)],
  ["m", unit("length", 1_000n)],
  ["km", unit("length", 1_000_000n)],
  ["mg", unit("mass", 1n)],
  ["g", unit("mass", 1_000n)],
  ["kg", unit("mass", 1_000_000n)],
  ["t", unit("mass", 1_000_000_000n)]
])

/** Both values in one unit, or undefined if no exact factor is known between the two. */
export const inOneUnit = (
  a: Decimal,
  unitA: string,
  b: Decimal,
  unitB: string
): readonly [Decimal, Decimal] | undefined => {
  if (unitA === unitB) return [a, b]
  const from = units.get(unitA)
  const to = units.get(unitB)
  if (from === undefined || to === undefined || from.dimension !== to.dimension) return undefined
  return [timesInteger(a, from.factor), timesInteger(b, to.factor)]
}
