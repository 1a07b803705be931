// The report: one file that stands alone, in which nothing that was said is markup, and that says what the run was.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { sha256Base64 } from "../../../src/domain/fingerprint.ts"
import { hasBrowser, openPage, seriousViolations } from "../../support/browser.ts"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { hostileTexts } from "../../support/hostileTexts.ts"
import { planFolder } from "../../support/planFolder.ts"

const plan = `export const run = async (h, { args }) => {
  h.phase("Attack <b>")
  // An argument may not be so long.
  const texts = [...args, "<b>5 MB</b>".repeat(500_000)]
  const slots = await h.parallel(texts.map((text, at) => () => h.agent(text, { label: text.slice(0, 60) + at })))
  h.phase("Sum up")
  return slots.map((slot) => (slot.ok ? slot.text : slot.error.message))
}`

const count = hostileTexts.length + 1

const make = Effect.gen(function* () {
  const cwd = yield* planFolder({
    "GOAL.md": hostileTexts.join("\n"),
    "alembic.plan.ts": plan,
    "args.json": JSON.stringify(hostileTexts),
    "fixtures.json": JSON.stringify({ default: { text: "you said: {{prompt}}" } })
  })
  const run = yield* alembic({ cwd }, "run", "--args", "@args.json", "--offline-fixtures", "fixtures.json")
  assert.strictEqual(run.code, 0, run.err)
  const said = yield* alembic({ cwd }, "report", "@last", "--out", "report.html", "--json")
  assert.strictEqual(said.code, 0, said.err)
  return {
    cwd,
    file: `file://${join(cwd, "report.html")}`,
    page: readFileSync(join(cwd, "report.html"), "utf8")
  }
})

/** Made once: nothing here changes it. */
class Reported extends Context.Service<Reported, Effect.Success<typeof make>>()("test/Reported") {
  static readonly layer = Layer.effect(this, make)
}

/** Of a page with its own two elements: what stands in the last one. */
const inside = (page: string, name: string) => page.split(`<${name}>`)[1]?.split(`</${name}>`)[0] ?? ""

layer(Reported.layer, { excludeTestServices: true })("a report", (it) => {
  it.effect("holds no markup but its own, whatever was asked and answered", () =>
    Effect.gen(function* () {
      assert.isAtLeast(count, 60)
      const { page } = yield* Reported
      const data = page.slice(page.indexOf("</main>") + 7, page.lastIndexOf("<script>"))
      // What was said stands in scripts of JSON that nothing runs, and has no sign that could end one.
      assert.notMatch(data.replaceAll(/<script type="application\/json" [a-z-]+="\w+">|<\/script>/g, ""), /</)
      assert.notMatch(page.replace(inside(page, "script"), ""), /[\u0000\u001b\u202E\u2028]/)
      assert.isBelow(page.length, 3_000_000)
    })
  )

  it.effect("lets run and loads nothing but its own script and style, by their hashes", () =>
    Effect.gen(function* () {
      const { page } = yield* Reported
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, `script-src 'sha256-${sha256Base64(inside(page, "script"))}'`)
      assert.include(policy, `style-src 'sha256-${sha256Base64(inside(page, "style"))}'`)
      assert.include(policy, "connect-src 'none'")
      assert.notMatch(policy, /unsafe/)
    })
  )

  it.effect("has a form in Markdown, in which what was said is no markup either", () =>
    Effect.gen(function* () {
      const { cwd } = yield* Reported
      const { out } = yield* alembic({ cwd }, "report", "@last", "--md")
      assert.match(out, /^### Alembic: completed\n/)
      assert.match(out, new RegExp(`\\| run-[0-9a-f]+ \\| ${count} \\| 0 \\|`))
      const outside = out.split("\n").filter((line) => !line.startsWith("    "))
      assert.notMatch(outside.join("\n"), /<script|<img/)
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "report", "@last", "--md", "--json")), { ok: true })
    })
  )
})

describe.skipIf(!hasBrowser)("in a real browser", () =>
  layer(Reported.layer, { excludeTestServices: true })((it) => {
    it.effect("runs nothing hostile, asks for nothing, and shows every text as it was said", () =>
      Effect.gen(function* () {
        const { file } = yield* Reported
        const { page, problems, requests } = yield* openPage()
        yield* Effect.promise(async () => {
          await page.goto(file)
          for (const [at, text] of hostileTexts.entries()) {
            await page.evaluate(`location.hash = "#call-${at + 1}"`)
            const prompt = page.getByLabel("Prompt", { exact: true })
            await page.getByRole("article", { name: `Call ${at + 1}`, exact: true }).waitFor()
            const shown = await prompt.textContent()
            // Of what only letters and signs make, every sign is there.
            if (/^[\x20-\x7e]+$/.test(text)) assert.strictEqual(shown, text)
            else assert.notMatch(shown ?? "", /[\u0000\u001b\u009b\u202E\u2066\u2028]/)
          }
          assert.notInclude(await page.title(), "pwned")
          assert.isTrue(await page.getByRole("heading", { name: "Timeline" }).isVisible())
          // Nothing is wider than the page.
          assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 1440)
        })
        assert.deepStrictEqual(problems, [])
        assert.deepStrictEqual(requests, [file])
      })
    )

    it.effect("finds calls by what was said in them, and opens them by the keyboard", () =>
      Effect.gen(function* () {
        const { file } = yield* Reported
        const { page } = yield* openPage()
        yield* Effect.promise(async () => {
          await page.goto(file)
          const status = page.getByRole("search").getByRole("status")
          await page.getByLabel("Search").fill("mglyph")
          await status.filter({ hasText: /^1 of / }).waitFor()
          await page.getByLabel("Search").fill("")
          await page.getByLabel("Status").selectOption("failed")
          assert.match((await status.textContent()) ?? "", /^0 of /)
          await page.getByLabel("Status").selectOption("")
          await page.getByRole("navigation").focus()
          await page.keyboard.press("ArrowDown")
          await page.keyboard.press("ArrowDown")
          await page.getByRole("article", { name: "Call 2", exact: true }).waitFor()
          await page.keyboard.press("End")
          await page.getByRole("article", { name: `Call ${count}`, exact: true }).waitFor()
          await page.goBack()
          await page.getByRole("article", { name: "Call 2", exact: true }).waitFor()
        })
      })
    )

    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [360, 1440])
        it.effect(`has nothing serious for axe at ${width} pixels, ${colorScheme}`, () =>
          Effect.gen(function* () {
            const { file } = yield* Reported
            const { page } = yield* openPage({ colorScheme, viewport: { width, height: 800 } })
            yield* Effect.promise(async () => {
              await page.goto(`${file}#call-2`)
              await page.getByRole("article").waitFor()
              assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), width)
            })
            assert.deepStrictEqual(yield* seriousViolations(page), [])
          })
        )

    it.effect("prints every call", () =>
      Effect.gen(function* () {
        const { file } = yield* Reported
        const { page } = yield* openPage()
        yield* Effect.promise(async () => {
          await page.goto(file)
          await page.emulateMedia({ media: "print" })
          await page
            .locator(".row")
            .nth(count - 1)
            .waitFor()
        })
      })
    )
  })
)
