// What came from elsewhere, bent at random: a plan's process that says what it likes, an archive that somebody wrote. The
// run ends by name, nothing hangs or dies, and every journal opens. `npm run test:fuzz` does the same for longer.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importTrial, turnTrial } from "../support/hostileTrials.ts"

/** Of seeds that once failed. */
const failed = { turns: [8475, 15510, 26516], imports: [201837, 1642, 9462, 9672] } as const satisfies Record<
  string,
  ReadonlyArray<number>
>

const seeds = (count: number, from: ReadonlyArray<number>) => [
  ...from,
  ...Array.from({ length: count }, (_, index) => index + 1)
]

const allHold = Effect.fnUntraced(function* (
  trial: (seed: number) => Effect.Effect<string | undefined>,
  which: ReadonlyArray<number>
) {
  yield* Effect.forEach(
    which,
    (seed) => Effect.map(trial(seed), (problem) => assert.isUndefined(problem, `seed ${seed}`)),
    { concurrency: 16, discard: true }
  )
})

describe("what a hostile hand sends", () => {
  it.live("turns: the run ends by name, and its journal opens, verifies, goes on", () =>
    allHold(turnTrial, seeds(150, failed.turns))
  )

  it.live("archives: each is refused by name, or what came in opens, verifies, goes on", () =>
    allHold(importTrial, seeds(150, failed.imports))
  )
})
