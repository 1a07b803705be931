// Positions: a finding names the start of the whole callee expression in the author's source, casts and parentheses
// included, whatever encodes the lines.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan } from "../../../src/plan/load/loadPlan.ts"
import { layer } from "../../../src/plan/bundler/PlanBundler.node.ts"
import { Lines } from "../../../src/plan/load/sourceMap.ts"
import { planFolder } from "../../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const places = (path: string) =>
  Effect.map(inspect(path), ({ findings }) =>
    findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`)
  )
const run = "export const run = async (h) => 1\n"

/** `▲` stands before the place that the finding must name. */
const positions: ReadonlyArray<string> = [
  "const v = ▲Date.now()",
  "const v = ▲(Date).now()",
  "const v = ▲((Date)).now()",
  "const v = ▲(Date as any).now()",
  "const v = ▲(Date as any as { now(): number }).now()",
  "const v = ▲(<any>Date).now()",
  "const v = ▲(<{ now(): number }>(<unknown>Date)).now()",
  "const v = ▲(Date satisfies DateConstructor)!.now!()",
  "const v = ▲(Date.now)()",
  "const v = ▲(Date.now as () => number)()",
  "const v = (▲Date.now())",
  "const v = (▲Date.now() as number)",
  "const v = <number>▲Date.now()",
  "const v = String(▲Date.now())",
  "const v = String(▲(Date as any).now())",
  "const v = String((▲(Date as any).now()))",
  "const v = [1, ▲(Date as any).now()]",
  "const v = { a: ▲(Date as any).now() }",
  "const v = -(▲(Date as any).now())",
  "const v = `a${▲(Date as any).now()}b`",
  "const v = ( /* why */ ▲( /* a ) */ Date as any /* ) */ ).now( /* ) */ ) )",
  "const v = (\n  // because (\n  ▲(\n    // it is\n    Date as any\n  ).now()\n)",
  "const v = ▲(Date as any)['now']()",
  "const v = ▲(Date as any)?.now?.()",
  "const v = ▲Date\n  .now\n  ()",
  "const v = f(a)(▲(Date as any).now())",
  "const f = (at = ▲(Date as any).now()) => at",
  "if (1) ▲(Date as any).now()",
  "const v = +▲new Date()",
  "const v = +▲new (Date as any)()",
  "const v = (▲new Date).getTime()",
  "const v = ▲(Math as any).random()",
  "const v = ▲(globalThis as any).Date.now()",
  "const t = ▲(Date as any).now.bind(Date)",
  "const D = ▲Date; D.now()",
  "const é = '😀', v = ▲Date.now()",
  "/* 😀 */ const v = ▲Date.now()",
  "const s = 'a\u2028b'; const v = ▲Date.now()",
  "\tconst v = ▲Date.now()",
  "enum E { A = ▲(Date as any).now() }",
  "class A { constructor(readonly at = ▲(Date as any).now()) {} }",
  "class A { static { ▲(Date as any).now() } }"
]

describe("a position", () => {
  for (const marked of positions) {
    it.effect(`is the start of the callee in ${JSON.stringify(marked)}`, () =>
      Effect.gen(function* () {
        const before = marked.slice(0, marked.indexOf("▲")).split(/[\n\u2028]/)
        const folder = yield* planFolder({
          "plan.ts": `${marked.replace("▲", "")}\nexport const run = async () => 1\n`
        })
        const { findings } = yield* inspect(`${folder}/plan.ts`)
        assert.deepStrictEqual(
          findings.map(({ line, column }) => `${line}:${column}`),
          [`${before.length}:${(before.at(-1) ?? "").length + 1}`]
        )
      })
    )
  }

  for (const [name, text] of [
    ["a byte order mark", `\uFEFFconst v = Date.now()\n${run}`],
    ["CRLF", `\r\n\r\nconst v = Date.now()\r\n${run}`],
    ["CR", `\r\rconst v = Date.now()\r${run}`]
  ] as const) {
    it.effect(`counts right with ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({ "plan.js": text })
        const line = text.startsWith("\uFEFF") ? 1 : 3
        assert.deepStrictEqual(yield* places(`${folder}/plan.js`), [`Date.now() plan.js:${line}:11`])
      })
    )
  }
})

describe("Lines", () => {
  it("goes from offsets to places and back, over every kind of line break", () => {
    const text = "a\nbc\r\n\rd\u2028e\u2029"
    const lines = new Lines(text)
    assert.deepStrictEqual(lines.position(0), { line: 1, column: 1 })
    assert.deepStrictEqual(lines.position(3), { line: 2, column: 2 })
    assert.deepStrictEqual(lines.position(7), { line: 4, column: 1 })
    assert.deepStrictEqual(lines.position(text.length), { line: 6, column: 1 })
    for (let offset = 0; offset <= text.length; offset++) {
      const { line, column } = lines.position(offset)
      assert.strictEqual(lines.offset(line, column - 1), offset)
    }
  })
})
