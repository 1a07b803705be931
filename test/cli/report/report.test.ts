// The report: one file that stands alone, in which nothing that was said is markup, and that says what the run was.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sha256Base64 } from "../../../src/domain/fingerprint.ts"
import { escaped, html } from "../../../src/cli/report/html.ts"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { execute } from "../../support/execute.ts"
import { planFolder } from "../../support/planFolder.ts"

const hostile = [
  "<script>document.title='pwned'</script>",
  "</pre></details><img src=x onerror=\"document.title='pwned'\">",
  "<style>*{display:none}</style>",
  "\u003csvg onload=document.title='pwned'>",
  "<a href=\"javascript:document.title='pwned'\">click</a>",
  "</script><script>document.title='pwned'</script>",
  "<!-- <base href=https://example.com>",
  "'\" onfocus=document.title='pwned' autofocus x='",
  "&lt;script&gt;document.title='pwned'&lt;/script&gt;",
  "\u202E\u0000\u001b[2J\u2028",
  "<meta http-equiv=refresh content='0;url=https://example.com'>",
  "<iframe srcdoc='<script>parent.document.title=1</script>'></iframe>"
]

const plan = `export const run = async (h, { args }) => {
  h.phase("Attack <b>")
  const slots = await h.parallel(args.map((text) => () => h.agent(text, { label: text.slice(0, 60) })))
  return slots.map((slot) => (slot.ok ? slot.text : slot.error.message))
}`

const reported = Effect.gen(function* () {
  const cwd = yield* planFolder({
    "GOAL.md": hostile.join("\n"),
    "alembic.plan.ts": plan,
    "args.json": JSON.stringify(hostile),
    "fixtures.json": JSON.stringify({ default: { text: "you said: {{prompt}}" } })
  })
  const run = yield* alembic({ cwd }, "run", "--args", "@args.json", "--offline-fixtures", "fixtures.json")
  assert.strictEqual(run.code, 0, run.err)
  const said = yield* alembic({ cwd }, "report", "@last", "--out", "report.html", "--json")
  assert.strictEqual(said.code, 0, said.err)
  return { cwd, said, page: readFileSync(join(cwd, "report.html"), "utf8") }
})

describe("a report", () => {
  it.live("holds no markup but its own, whatever was asked and answered", () =>
    Effect.gen(function* () {
      const { page } = yield* reported
      assert.strictEqual(page.match(/<script/g)?.length, 1)
      assert.strictEqual(page.match(/<style/g)?.length, 1)
      assert.notMatch(page, /<(?:img|iframe|base|a href="javascript|meta http-equiv=refresh)/i)
      assert.notMatch(page, /[\u0000\u001b\u202E\u2028]/)
      assert.include(page, "&lt;script&gt;document.title=&#39;pwned&#39;&lt;/script&gt;")
      for (const attribute of page.matchAll(/<[a-z][^>]*>/gi)) assert.notMatch(attribute[0], /\son[a-z]+=/i)
    })
  )

  it.live("lets run and loads nothing but its own script and style, by their hashes", () =>
    Effect.gen(function* () {
      const { page } = yield* reported
      const inside = (name: string) => page.split(`<${name}>`)[1]?.split(`</${name}>`)[0] ?? ""
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, `script-src 'sha256-${sha256Base64(inside("script"))}'`)
      assert.include(policy, `style-src 'sha256-${sha256Base64(inside("style"))}'`)
      assert.notMatch(policy, /unsafe/)
      assert.notMatch(page, /(?:src|href)="https?:/)
    })
  )

  it.live("runs nothing hostile in a real browser, and its filter works there", () =>
    Effect.gen(function* () {
      const { cwd } = yield* reported
      const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync)
      // Debian's chromium: where there is none, the two tests above stand alone.
      if (browser === undefined) return
      const dom = yield* Effect.promise(() =>
        execute(
          browser,
          [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
            `file://${join(cwd, "report.html")}#call-2`
          ],
          { cwd }
        )
      )
      assert.notInclude(/<title>([^<]*)/.exec(dom)?.[1] ?? "", "pwned")
      assert.match(dom, /<details class="call" id="call-2"[^>]*open/)
      assert.strictEqual(dom.match(/<details class="call"/g)?.length, hostile.length)
    })
  )

  it.live("has a form in Markdown, in which what was said is no markup either", () =>
    Effect.gen(function* () {
      const { cwd } = yield* reported
      const { out } = yield* alembic({ cwd }, "report", "@last", "--md")
      assert.match(out, /^### Alembic: completed\n/)
      assert.match(out, /\| run-[0-9a-f]+ \| 12 \| 0 \|/)
      const outside = out.split("\n").filter((line) => !line.startsWith("    "))
      assert.notMatch(outside.join("\n"), /<script|<img/)
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "report", "@last", "--md", "--json")), { ok: true })
    })
  )
})

describe("html", () => {
  it("escapes what is put in, and leaves what it made", () => {
    assert.strictEqual(escaped(`<&>"'`), "&lt;&amp;&gt;&quot;&#39;")
    const inner = html`<b>${"<i>"}</b>`
    assert.strictEqual(
      html`<p title="${'"x'}">${inner}${[inner]}${1}${undefined}</p>`.markup,
      '<p title="&quot;x"><b>&lt;i&gt;</b><b>&lt;i&gt;</b>1</p>'
    )
  })
})
