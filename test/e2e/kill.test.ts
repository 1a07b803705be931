// kill -9 of the real command, at sixty moments of a run with fan-out and pipeline. `npm run test:crash` does it at
// every event boundary of a run of 200 calls and at a thousand random moments.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { buildCommand } from "../support/buildCommand.ts"
import { callsOf, KillMatrix, type Moment } from "../support/killMatrix.ts"

const width = 16
let matrix: KillMatrix

/** Spread over the run: twenty of each kind. */
const moments = (kind: Moment["at"], last: number): ReadonlyArray<Moment> =>
  Array.from({ length: 20 }, (_, index) => ({ at: kind, n: 1 + Math.floor((index * (last - 1)) / 19) }))

describe("kill -9", () => {
  beforeAll(() => {
    matrix = new KillMatrix(buildCommand(), width)
    return matrix.start()
  }, 120_000)
  afterAll(() => matrix.stop())

  for (const kind of ["event", "asked", "answered"] as const) {
    it(`when it is ${kind === "event" ? "said" : kind}: the same result, and nothing asked again that was answered`, async () => {
      const last = kind === "event" ? matrix.events : callsOf(width)
      let kills = 0
      for (const moment of moments(kind, last)) {
        const name = `${moment.at}-${moment.n}-${kills}`
        const trial = await matrix.trial(name, moment)
        assert.strictEqual(trial.status, "completed", name)
        assert.strictEqual(trial.repeated, 0, name)
        assert.isTrue(trial.sameResult, name)
        if (trial.killed) kills++
      }
      assert.isAtLeast(kills, 18)
    }, 360_000)
  }
})
