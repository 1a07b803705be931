// What a person reads of a replay.
import { assert, it } from "@effect/vitest"
import { replayText } from "../../../../src/cli/render/run/replayText.ts"
import { makeStyle } from "../../../../src/cli/terminal/style.ts"

const summary = { type: "ReplaySummary", ok: true, runId: "run-1", identical: true, events: 3 } as const

it("identical is said, and of a reopened run in what", () => {
  assert.strictEqual(replayText(summary, makeStyle(undefined), "run"), "identical run-1  3 events")
  assert.include(
    replayText({ ...summary, compared: "content" }, makeStyle(undefined), "run"),
    "the run was reopened: compared by the content of its calls"
  )
})
