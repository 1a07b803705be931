// `alembic check`: exit codes, the JSON of one file and of several, folders, and the caret under the author's line.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"

const good = `export const run = async (h) => new Date(0).getTime()\n`
const bad = `// a comment\nexport const run = async (h) => {\n\tconst now = Date.now()\n  return [now, Math.random()]\n}\n`

describe("alembic check", () => {
  it.live("accepts a deterministic plan with exit 0 and one line", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "a.plan.ts": good })
      const said = yield* alembic({ cwd }, "check", "a.plan.ts", "--json")
      assert.strictEqual(said.code, 0)
      assert.deepStrictEqual(jsonLines(said), [
        { ok: true, path: "a.plan.ts", modules: ["a.plan.ts"], findings: [] }
      ])
    })
  )

  it.live("lists every finding in order with exit 3", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "a.plan.ts": bad })
      const said = yield* alembic({ cwd }, "check", "a.plan.ts", "--json")
      assert.strictEqual(said.code, 3)
      const { findings, ok } = lastLine(said)
      assert.isFalse(ok)
      assert.isArray(findings)
      assert.deepStrictEqual(
        (Array.isArray(findings) ? findings : []).map(({ column, construct, file, line }) => [
          construct,
          file,
          line,
          column
        ]),
        [
          ["Date.now()", "a.plan.ts", 3, 14],
          ["Math.random()", "a.plan.ts", 4, 16]
        ]
      )
    })
  )

  it.live("shows the author's line with a caret, and what to use instead", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "a.plan.ts": bad })
      const { out } = yield* alembic({ cwd }, "check", "a.plan.ts")
      assert.include(
        out,
        "a.plan.ts:3:14 Date.now()\n    | \tconst now = Date.now()\n    | \t            ^\n    instead: "
      )
    })
  )

  for (const [name, text, code] of [
    ["unparsable", "export const run = (", "plan_unparsable"],
    ["without run", "export const walk = 1", "no_run"],
    ["not there", undefined, "plan_unreadable"]
  ] as const) {
    it.live(`says of a plan that is ${name} why, with exit 2`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(text === undefined ? {} : { "a.plan.ts": text })
        const said = yield* alembic({ cwd }, "check", "a.plan.ts", "--json")
        assert.strictEqual(said.code, 2)
        assert.deepNestedInclude(lastLine(said), { ok: false, path: "a.plan.ts", "error.code": code })
        assert.notInclude(said.out, cwd)
      })
    )
  }

  it.live("checks the plans and scripts of a folder, and sums them up", () =>
    Effect.gen(function* () {
      const script = `export const meta = { name: "s", description: "d" }\nreturn await agent("x")\n`
      const cwd = yield* planFolder({
        "p/a.plan.ts": good,
        "p/deep/b.plan.mts": bad,
        "p/s.js": script,
        "p/helper.ts": "export const x = Date.now()",
        "p/config.js": "module.exports = {}",
        "p/node_modules/c.plan.ts": bad
      })
      const said = yield* alembic({ cwd }, "check", "p", "--json")
      assert.strictEqual(said.code, 3)
      const lines = jsonLines(said)
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ ok, path }) => [path, ok]),
        [
          ["p/a.plan.ts", true],
          ["p/deep/b.plan.mts", false],
          ["p/s.js", true]
        ]
      )
      assert.deepStrictEqual(lines.at(-1), { type: "CheckSummary", ok: false, files: 3, findings: 2 })
    })
  )

  it.live("says of a folder without a plan that it has none", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "p/readme.md": "" })
      const said = yield* alembic({ cwd }, "check", "p", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "no_plan" })
    })
  )
})
