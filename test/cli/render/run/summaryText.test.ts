// What a person reads when a run has ended.
import { assert, it } from "@effect/vitest"
import { makeStyle } from "../../../../src/cli/terminal/style.ts"
import { summaryText } from "../../../../src/cli/render/run/summaryText.ts"
import { notStarted } from "../../../../src/engine/run/summarize.ts"

const instead = "take the time from input.args"

/** What is read of a plan that was refused for one finding, and told that cure. */
const refused = (cure: string): string => {
  const site = { file: "a.plan.ts", line: 1, column: 2 }
  const error = { code: "non_deterministic", message: "the plan is non-deterministic", cure }
  const findings = [{ construct: "Date.now()", ...site, message: "m", instead }]
  return summaryText({ ...notStarted("refused", error), findings }, makeStyle(undefined))
}

it("a finding says once what to do instead, and then comes what to type", () => {
  const text = refused(instead)
  assert.strictEqual(text.split(instead).length, 2, text)
  assert.include(text, "next: correct a.plan.ts, then alembic check a.plan.ts")
})

it("a cure that is not the finding's is shown", () => {
  assert.include(refused("alembic doctor"), "next: alembic doctor")
})
