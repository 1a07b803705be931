// What a run has cost, for people: what was spent, what is held, and what is not known, apart.
import type { ToldCost } from "../../../journal/state/RunState.ts"
import { dollarsText, plural } from "../numbers.ts"

type Cost = Omit<ToldCost, "unpricedCalls">

/** `$0.53 + 1 call of unknown cost, at most $0.02`; `$0.08 spent, $0.03 held for 4 calls in doubt`. */
export const costText = (
  { heldCalls, heldUsd, spentUsd, unknownCostCalls, unknownCostUsd }: Cost,
  state: "in flight" | "in doubt"
): string => {
  const spent = `${dollarsText(spentUsd)}${heldCalls === 0 ? "" : " spent"}`
  const most = unknownCostUsd === undefined ? "" : `, at most ${dollarsText(unknownCostUsd)}`
  const unknown =
    unknownCostCalls === 0 ? "" : ` + ${plural(unknownCostCalls, "call")} of unknown cost${most}`
  if (heldCalls === 0) return `${spent}${unknown}`
  const calls = `${plural(heldCalls, "call")} ${state}`
  return `${spent}${unknown}, ${heldUsd === 0 ? `${calls} at a cost that is not bounded` : `${dollarsText(heldUsd)} held for ${calls}`}`
}
