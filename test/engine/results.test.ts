// What a run's result may hold: what has a usual JSON form takes it, with a notice; anything else fails by path, and a
// call that nobody awaited is named at its line. What a script leaves null of itself is no loss.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { engineLayer } from "../support/engineLayer.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const scriptMeta = 'export const meta = { name: "m", description: "d" }\n'

/** The same body in the three styles; `ask` is a call. */
const styles: Readonly<Record<string, (body: string) => string>> = {
  "promise.plan.js": (body) =>
    `export const run = async (h) => { const ask = (q) => h.agent(q); await ask("q")\n${body} }`,
  "effect.plan.ts": (body) =>
    `import { Effect } from "effect"\nimport { Hooks } from "alembic/plan"\nexport const run = () => Effect.gen(function* () { yield* (yield* Hooks).agent("q")\n${body} })`,
  "script.workflow.js": (body) => `${scriptMeta}const ask = (q) => agent(q); await ask("q")\n${body}`
}

const runText = Effect.fnUntraced(function* (name: string, text: string) {
  const folder = yield* temporaryFolder
  const plan = yield* writeFiles(folder, { [name]: text })
  const paid = paidRegistry({
    answer: ({ prompt }) =>
      prompt.startsWith("fail") ? Effect.fail(makeError("client_error", "no")) : Effect.succeed(said(prompt))
  })
  const layer = liveEngine(`${folder}/.alembic`, paid.layer)
  const run = (reuse?: string) =>
    runPlanFile({
      plan,
      inputs: { goal: "g", attachments: [] },
      ...(reuse === undefined ? {} : { reuse, fresh: true })
    }).pipe(Effect.provide(layer))
  const summary = yield* run()
  const replay = yield* replayRun(summary.runId ?? "").pipe(Effect.provide(layer))
  assert.isTrue(replay.identical, JSON.stringify({ summary, replay }))
  return { folder, paid, run, summary }
})

const kept: ReadonlyArray<
  readonly [body: string, result: unknown, notices: ReadonlyArray<string> | undefined]
> = [
  ["return new Date(0)", "1970-01-01T00:00:00.000Z", ["result: $: a Date, kept as its ISO text"]],
  [
    "return { a: [{ at: new Date(8.64e15) }, new Date(1)], b: [undefined, 1, undefined, undefined] }",
    { a: [{ at: "+275760-09-13T00:00:00.000Z" }, "1970-01-01T00:00:00.001Z"], b: [null, 1, null, null] },
    [
      "result: $.a[0].at and 1 more: a Date, kept as its ISO text",
      "result: $.b[0] and 2 more: undefined in an array, kept as null"
    ]
  ],
  ["return { a: undefined, b: null, c: -0 }", { b: null, c: 0 }, undefined],
  ["return [[undefined]]", [[null]], ["result: $[0][0]: undefined in an array, kept as null"]]
]

const refused: ReadonlyArray<readonly [body: string, problem: RegExp]> = [
  ["return { a: [NaN] }", /\$\.a\[0\]: NaN is not a JSON/],
  ["return { a: -Infinity }", /\$\.a: -Infinity is not a JSON/],
  ["return { a: new Map([[1, 2]]) }", /\$\.a: Map is not plain data/],
  ["return [new Set()]", /\$\[0\]: Set is not plain data/],
  ["return { a: 1n }", /\$\.a: a bigint is not a JSON value/],
  ["return { a: () => 1 }", /\$\.a: a function is not a JSON value/],
  ["return { a: Symbol('x') }", /\$\.a: a symbol is not a JSON value/],
  ["class Point { x = 1 }; return { a: new Point() }", /\$\.a: Point is not plain data/],
  ["class Day extends Date {}; return { a: new Day(0) }", /\$\.a: (Day|Date) is not plain data/],
  ["return { a: new Date(NaN) }", /\$\.a: an invalid Date is not a JSON value/],
  ["return { a: /x/ }", /\$\.a: RegExp is not plain data/],
  ["return { a: new Error('x') }", /\$\.a: Error is not plain data/],
  ["return { a: new Uint8Array(1) }", /\$\.a: Uint8Array is not plain data/],
  ["return { a: Promise.resolve(1) }", /\$\.a: a promise is not plain data: await it/]
]

describe("a result", () => {
  for (const [style, of] of Object.entries(styles)) {
    it.live(
      `in ${style} takes the usual JSON form of what has one, with a notice, printed again the same`,
      () =>
        Effect.gen(function* () {
          for (const [body, result, notices] of kept) {
            const { run, summary } = yield* runText(style, of(body))
            assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
            assert.deepStrictEqual(summary.result, result)
            assert.deepStrictEqual(summary.notices, notices)
            const again = yield* run()
            assert.deepStrictEqual([again.result, again.notices], [summary.result, summary.notices])
          }
        }),
      30_000
    )

    it.live(
      `in ${style} fails by path for anything else, and a corrected plan pays nothing with --reuse`,
      () =>
        Effect.gen(function* () {
          const { paid, run, summary: first } = yield* runText(style, of(refused[0]?.[0] ?? ""))
          assert.include(first.error?.cure ?? "", `--reuse ${first.runId}`)
          yield* run(first.runId)
          assert.strictEqual(paid.made.length, 1)
          for (const [body, problem] of refused) {
            const { summary } = yield* runText(style, of(body))
            assert.strictEqual(summary.error?.code, "result_not_json", JSON.stringify(summary))
            assert.match(summary.error?.message ?? "", problem)
          }
        }),
      60_000
    )
  }

  it.effect("of a program follows the same rules", () =>
    Effect.gen(function* () {
      const given = { program: "p", goal: "g" }
      const value: unknown = { a: [undefined, new Date(0)] }
      const summary = yield* Alembic.runProgram(given, Effect.succeed(value))
      assert.deepStrictEqual(summary.result, { a: [null, "1970-01-01T00:00:00.000Z"] })
      assert.deepStrictEqual(summary.notices, [
        "result: $.a[1]: a Date, kept as its ISO text",
        "result: $.a[0]: undefined in an array, kept as null"
      ])
      const replay = yield* Alembic.replayProgram(given, Effect.succeed(value))
      assert.isTrue(replay.identical)
      const wrong = yield* Alembic.runProgram({ ...given, program: "q" }, Effect.succeed({ a: [new Map()] }))
      assert.include(wrong.error?.message, "$.a[0]: Map")
    }).pipe(Effect.provide(engineLayer()))
  )
})

describe("a call that nobody awaited", () => {
  const floating: ReadonlyArray<readonly [style: string, body: string, line: number, said: RegExp]> = [
    [
      "promise.plan.js",
      "const a = 1\nconst r = ask('x')\nreturn { a, list: [r] }",
      1,
      /\$\.list\[0\]: the call `agent` is not awaited/
    ],
    [
      "promise.plan.js",
      "const r = h.parallel([() => ask('x')])\nreturn r.length ?? { r }",
      2,
      /\$\.r: the call `parallel` is not awaited/
    ],
    [
      "promise.plan.js",
      "const r = h.agent('x')\nawait h.agent('y', { schema: { r } })",
      2,
      /agent: \$\.schema\.r: the call `agent` is not awaited/
    ],
    [
      "promise.plan.js",
      "const r = h.agent('x')\nh.log('l', { r })\nawait r",
      2,
      /log: \$\.r: the call `agent` is not awaited/
    ],
    ["script.workflow.js", "const r = agent('x')\nreturn { r }", 3, /\$\.r: the call `agent` is not awaited/]
  ]
  for (const [style, body, line, what] of floating) {
    it.live(`is named at its line: ${style}: ${body}`, () =>
      Effect.gen(function* () {
        const { summary } = yield* runText(style, styles[style]?.(body) ?? "")
        assert.match(summary.error?.message ?? "", what)
        assert.strictEqual(summary.error?.line, line, JSON.stringify(summary.error))
      })
    )
  }
})

/** Of a script: what it returns, whether it is whole, and how many items it covered. */
const losses: ReadonlyArray<readonly [body: string, result: unknown, coverage: string]> = [
  ["return await pipeline([1, 2, 3], (x) => x === 2 ? null : ask('a' + x))", ["a1", null, "a3"], "3/3"],
  [
    "return await parallel([async () => null, () => undefined ?? null, () => ask('x')])",
    [null, null, "x"],
    "3/3"
  ],
  ["return await pipeline(['a', 'b'], (x) => ask(x), (r) => r === 'a' ? null : r)", [null, "b"], "2/2"],
  ["return await parallel([async () => ((await ask('a')) === 'b' ? 1 : null)])", [null], "1/1"],
  ["return await parallel([() => ask('fail'), () => ask('x')])", [null, "x"], "1/2"],
  [
    "return await parallel([async () => { await ask('a'); return await ask('fail') }, () => ask('x')])",
    [null, "x"],
    "1/2"
  ],
  [
    "return await parallel([async () => { await ask('a'); const r = await ask('fail'); return r?.x ?? null }])",
    [null],
    "0/1"
  ],
  ["return await parallel([async () => (await ask('fail')) ?? 'other'])", ["other"], "1/1"],
  ["return await pipeline(['a'], (x) => ask('fail ' + x), (r) => r)", [null], "0/1"],
  ["return await pipeline(['a', 'b'], () => { throw new Error('no') })", [null, null], "0/2"],
  ["return await parallel([() => parallel([() => ask('fail')]), async () => null])", [[null], null], "2/3"],
  ["const r = await ask('fail'); return [r, await parallel([async () => null])]", [null, [null]], "1/2"],
  [
    "await parallel([() => ask('fail')]); return await parallel([async () => { await ask('y'); return null }])",
    [null],
    "1/2"
  ]
]

describe("a loss in a workflow script", () => {
  for (const [body, result, coverage] of losses) {
    it.live(`is a null that a failed call or a throwing stage left: ${body}`, () =>
      Effect.gen(function* () {
        const { summary } = yield* runText("script.workflow.js", styles["script.workflow.js"]?.(body) ?? "")
        assert.deepStrictEqual(summary.result, result, JSON.stringify(summary))
        const { done, of } = summary.coverage
        assert.strictEqual(`${done}/${of}`, coverage)
        assert.strictEqual(summary.status, done === of ? "completed" : "incomplete")
      })
    )
  }
})
