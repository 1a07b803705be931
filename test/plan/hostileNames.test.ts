// The static check holds under every file name: what a name means in a URL, in a pattern or on another system hides
// nothing. Every banned construct of the shared cases under hostile names, in the plan's own file and in a helper.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { determinismCases } from "../support/determinismCases.ts"
import { planFolder } from "../support/planFolder.ts"

const names = [
  "ü",
  "a'b",
  'a"b',
  "a#b",
  "a%b",
  "a%20b",
  "%C3%BC",
  "a?b",
  "[x]",
  "a:b",
  "c:",
  "http:x",
  "a\\b",
  "tab\tx",
  "nl\nx",
  "cr\rx",
  " sp ",
  "日本",
  "\u2028",
  "😀",
  "-",
  "--help",
  "x;y",
  "@scope",
  "{a}",
  "$&",
  "a*b",
  "node:fs",
  "..x",
  "a&b",
  "webpack:",
  "data:x,",
  "file:x",
  "~",
  "\u0001",
  "\u202e",
  "a b",
  "%",
  "%zz",
  "#",
  "?"
] as const

/** What is refused without another file, by one statement that stands alone. */
const banned: ReadonlyArray<readonly [source: string, construct: string]> = [
  ["export const at = Date.now()", "Date.now()"],
  ["export const at = [Math][0].random()", "Math (alias)"],
  ["const D = Date; export const at = D.now()", "Date (alias)"],
  ["export const f = () => import('x')", "import()"],
  ["export const e = process.env.X", "process.env"],
  ["export const f = () => require('fs')", "require()"],
  ["import fs from 'node:fs'; export const f = fs", "import node:fs"],
  ["export const f = (() => {}).constructor('x')", "Function via .constructor"],
  ["export const m = import.meta.url", "import.meta.url"],
  ["export const t = setTimeout(() => {}, 1)", "setTimeout()"]
]

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const run = "export const run = async (h) => 1\n"

describe("a hostile file name hides nothing", () => {
  for (const name of names) {
    it.effect(JSON.stringify(name), () =>
      Effect.gen(function* () {
        for (const [source, construct] of banned) {
          const own = yield* planFolder({ [`${name}.js`]: `${run}${source}\n` })
          const found = yield* inspect(`${own}/${name}.js`)
          assert.deepStrictEqual(
            found.findings.map((finding) => [finding.construct, finding.file, finding.line]),
            [[construct, `${name}.js`, 2]],
            source
          )
          const helped = yield* planFolder({
            "plan.js": `import ${JSON.stringify(`./${name}.js`)}\n${run}`,
            [`${name}.js`]: `${source}\n`
          })
          const helper = yield* Effect.result(inspect(`${helped}/plan.js`))
          // What the bundler cannot find under such a name is an error, which hides nothing.
          if (helper._tag === "Failure") assert.strictEqual(helper.failure.code, "plan_unparsable", source)
          else
            assert.deepStrictEqual(
              helper.success.findings.map((finding) => finding.construct),
              [construct],
              source
            )
        }
      })
    )
  }

  it.effect("every refused case of the shared ones", () =>
    Effect.gen(function* () {
      const refused = determinismCases.filter(
        ({ verdict, layer: by }) => verdict === "refuse" && by === "static"
      )
      assert.isAbove(refused.length, 20)
      for (const [index, { id, source = "" }] of refused.entries()) {
        const plain = yield* planFolder({ "plan.ts": source })
        const name = `${names[index % names.length] ?? "x"}.ts`
        const hostile = yield* planFolder({ [name]: source })
        const count = (path: string) =>
          Effect.match(inspect(path), {
            onSuccess: ({ findings }) => findings.length,
            onFailure: ({ code }) => code
          })
        assert.strictEqual(
          yield* count(`${hostile}/${name}`),
          yield* count(`${plain}/plan.ts`),
          `${id} ${name}`
        )
      }
    })
  )
})
