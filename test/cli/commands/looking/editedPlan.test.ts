// `diff` with a plan that was edited since: what it would ask otherwise, for nothing; and the difference as a page.
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasBrowser, openPage, seriousViolations } from "../../../support/browser.ts"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"

const plan = `export const run = async (h, { args }) => {
  const slots = await h.parallel([1, 2, 3].map((n) => () => h.agent("rate " + n + args.tone, { label: "part " + n })))
  const sum = await h.agent("Sum up " + slots.map((slot) => slot.text).join("; "), { label: "sum" })
  return sum.text
}`

const begun = Effect.gen(function* () {
  const cwd = yield* planFolder({
    "GOAL.md": "g\n",
    "alembic.plan.ts": plan,
    "fixtures.json": JSON.stringify({
      default: { text: "as it was: {{prompt}} </script><script>document.title='pwned'</script>" }
    })
  })
  const run = yield* alembic({ cwd }, "run", "--args", `{"tone":"!"}`, "--offline-fixtures", "fixtures.json")
  assert.strictEqual(run.code, 0, run.err)
  const edit = (from: string, to: string) =>
    Effect.sync(() => writeFileSync(join(cwd, "alembic.plan.ts"), plan.replace(from, to)))
  return { cwd, edit }
})

describe("alembic diff A", () => {
  it.live("of a plan that is as it was differs in nothing, and keeps nothing", () =>
    Effect.gen(function* () {
      const { cwd } = yield* begun
      const said = yield* alembic({ cwd }, "diff", "@last", "--exit-code", "--json")
      assert.strictEqual(said.code, 0, said.err)
      assert.deepInclude(jsonLines(said)[0], { type: "DiffSummary", identical: true, same: 4 })
      assert.strictEqual(readdirSync(join(cwd, ".alembic", "runs")).length, 1)
    })
  )

  it.live("names what an edited plan would ask anew, with the run's own arguments and answers", () =>
    Effect.gen(function* () {
      const { cwd, edit } = yield* begun
      yield* edit(`"Sum up "`, `"Add up "`)
      const said = yield* alembic({ cwd }, "diff", "@last")
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.out, /3 calls the same · 1 changed/)
      assert.match(said.out, /~ 4 {2}sum {2}would be asked/)
      assert.include(said.out, "[-Sum-]{+Add+} up as it was: rate 1!")
      assert.notInclude(said.out, "answer as it was")
      const [pair, summary] = jsonLines(yield* alembic({ cwd }, "diff", "@last", "--json"))
      assert.deepInclude(pair, { type: "CallPair", supposed: true, by: "label" })
      assert.deepNestedInclude(summary, { "b.supposed": 1, "b.runId": "" })
    })
  )

  it.live("says why, where the plan cannot be run", () =>
    Effect.gen(function* () {
      const { cwd, edit } = yield* begun
      yield* edit("export const run", "const run")
      const { code, err } = yield* alembic({ cwd }, "diff", "@last")
      assert.isAbove(code, 0)
      assert.match(err, /alembic\.plan\.ts|run/)
      const missing = yield* alembic({ cwd }, "diff", "@last", "--plan", "none.ts")
      assert.strictEqual(missing.code, 2)
      assert.include(missing.err, "none.ts")
    })
  )

  it.live.skipIf(!hasBrowser)("is a page that stands alone, where nothing that was said is markup", () =>
    Effect.gen(function* () {
      const { cwd, edit } = yield* begun
      yield* edit(`"rate " + n`, `"judge <b> " + n`)
      const said = yield* alembic({ cwd }, "diff", "@last", "--html", "diff.html", "--json")
      assert.deepInclude(lastLine(said), { path: join(cwd, "diff.html") })
      assert.match(readFileSync(join(cwd, "diff.html"), "utf8"), /^<!doctype html>/)
      const { page, problems } = yield* openPage()
      yield* Effect.promise(async () => {
        await page.goto(`file://${join(cwd, "diff.html")}`)
        assert.strictEqual(await page.locator("article").count(), 4)
        assert.strictEqual(await page.locator("ins").first().textContent(), "judge <b>")
        assert.strictEqual(await page.locator("del").first().textContent(), "rate")
        assert.notInclude(await page.title(), "pwned")
      })
      assert.deepStrictEqual(yield* seriousViolations(page), [])
      assert.deepStrictEqual(problems, [])
    })
  )
})
