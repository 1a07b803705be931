// Tiers: how much may happen without a person. Pure: from a unit's tier, the council's decision and what a person
// has approved, to run or to wait. What has no tier is T4.
import type { Tier } from "../domain/Call.ts"

/** What a council said, where there was one; `GO` only counts when it is conclusive. */
export type CouncilWord = "GO" | "PIVOT" | "NO_GO"

export type Admission = { readonly _tag: "run" } | { readonly _tag: "park"; readonly why: string }

const run: Admission = { _tag: "run" }
const park = (why: string): Admission => ({ _tag: "park", why })

/**
 * 1. T0, T1 and T2 run; budgets and free models are the calls' own bounds.
 * 2. T3 runs after a council said GO, or after a person approved it.
 * 3. T4 runs only after a person approved it.
 * 4. What has no tier is T4.
 */
export const admission = (
  tier: Tier | undefined,
  council: CouncilWord | undefined,
  approved: boolean
): Admission => {
  if (approved) return run
  switch (tier) {
    case "T0":
    case "T1":
    case "T2":
      return run
    case "T3":
      return council === "GO" ? run : park("T3 runs after a council said GO")
    case "T4":
      return park("T4 waits for a person")
    case undefined:
      return park("it has no tier, so it is T4 and waits for a person")
  }
}
