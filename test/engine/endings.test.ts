// Every way in which a plan can end replays identical: what was issued last, what nobody awaited, what was still queued
// and what came in with the answer that ended it are the same again. A table of endings in every style.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeError } from "../../src/domain/ModelError.ts"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { resumeRun } from "../../src/engine/launch/resumeRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

type Ending = readonly [body: string, code: string | undefined]

const many = "Array.from({ length: 6 }, (_, i) => ask('m' + i))"

const promise: ReadonlyArray<Ending> = [
  ["return 1", undefined],
  ["return", undefined],
  ["throw new Error('at once')", "plan_error"],
  ["ask('a'); throw new Error('issued')", "plan_error"],
  ["await ask('a'); throw new Error('answered')", "plan_error"],
  ["await ask('a'); ask('b'); ask('c'); throw new Error('issued after')", "plan_error"],
  ["await ask('a'); h.log('last words'); h.phase('last'); throw null", "plan_error"],
  [`await Promise.all([...${many}, Promise.reject(new Error('no'))])`, "plan_error"],
  [
    `await Promise.all([...${many}.map(async (p, i) => { await p; if (i === 1) throw new Error('second') })])`,
    "plan_error"
  ],
  [`await Promise.race(${many}); throw new Error('raced')`, "plan_error"],
  [`return (await Promise.race(${many})).text`, undefined],
  [`return (await Promise.any(${many})).text`, undefined],
  ["ask('a'); return 1", "hook_pending"],
  ["ask('a'); await ask('b'); return 1", "hook_pending"],
  ["(async () => { await ask('a') })(); return 1", "hook_pending"],
  ["Promise.resolve().then(() => ask('late'))", "hook_pending"],
  ["Promise.reject(new Error('lost')); await ask('a'); return 1", "unhandled_rejection"],
  ["ask('a'); Promise.reject(new Error('lost')); return 1", "unhandled_rejection"],
  ["const r = ask('a'); return { r }", "result_not_json"],
  ["await ask('a'); ask('b'); return new Map()", "result_not_json"],
  ["await ask('a'); await new Promise(() => {})", "plan_stalled"],
  ["await new Promise(() => {})", "plan_stalled"],
  ["ask('a'); new (Object.getPrototypeOf(new Date(0)).constructor)()", "non_deterministic"],
  ["await ask('a'); for (let i = 0; i < 2e4; i++) ask('x')", "plan_limit"],
  ["await h.parallel(Array.from({ length: 2e5 }, () => () => ask('x')))", "plan_limit"],
  ["await ask('fail'); ask('b'); throw new Error('after a failure')", "plan_error"],
  ["await h.parallel([() => ask('fail'), () => ask('b')]); return 1", "incomplete"],
  [
    `await h.parallel([() => ask('a'), () => { throw new Error('slot') }], { accept: 'loss' }); return 1`,
    undefined
  ],
  ["await h.mission({ title: 'm', units: [] }); return 1", "not_available"],
  ["h.mission({ title: 'm', units: [] }); throw new Error('abandoned')", "plan_error"],
  ["await ask('x'.repeat(200_000)); ask('y'.repeat(200_000)); throw new Error('large')", "plan_error"]
]

const effect: ReadonlyArray<Ending> = [
  ["return 1", undefined],
  ["return yield* Effect.fail(new Error('failed'))", "plan_error"],
  ["return yield* Effect.die('died')", "plan_error"],
  ["yield* Effect.forkChild(ask('a')); return 1", undefined],
  [
    "yield* Effect.forkChild(ask('a')); yield* Effect.yieldNow; return yield* Effect.fail(new Error('forked'))",
    "plan_error"
  ],
  [
    "yield* Effect.all([ask('a'), ask('b'), Effect.fail(new Error('no'))], { concurrency: 'unbounded' })",
    "plan_error"
  ],
  [
    "yield* Effect.all([ask('a'), Effect.flatMap(ask('b'), () => Effect.fail(new Error('second'))), ask('c'), ask('d')], { concurrency: 'unbounded' })",
    "plan_error"
  ],
  ["yield* Effect.race(ask('a'), ask('b')); return yield* Effect.fail(new Error('raced'))", "plan_error"],
  ["return (yield* Effect.race(ask('a'), ask('b'))).ok", undefined],
  ["yield* Effect.timeoutOption(ask('a'), '1 minute'); return 1", undefined],
  [
    "yield* Effect.forkDetach(Effect.sleep('1 hour')); return yield* Effect.fail(new Error('asleep'))",
    "plan_error"
  ],
  ["yield* ask('a'); yield* Effect.never", "plan_stalled"],
  ["yield* Effect.interrupt", "plan_error"],
  ["return new Map()", "result_not_json"]
]

const script: ReadonlyArray<Ending> = [
  ["return 1", undefined],
  ["ask('a'); throw new Error('issued')", "plan_error"],
  [`await Promise.all([...${many}, Promise.reject(new Error('no'))])`, "plan_error"],
  ["ask('a'); return 1", "hook_pending"],
  ["await parallel([() => ask('fail'), async () => null]); return 1", "incomplete"],
  [
    "await pipeline(['a', 'b'], (x) => ask(x), (r) => { if (r === 'a') throw new Error('stage'); return r }); return 1",
    "incomplete"
  ],
  ["await ask('fail'); ask('b'); throw new Error('lost')", "plan_error"],
  ["await ask('a'); await new Promise(() => {})", "plan_stalled"],
  ["await agent('unmet', { schema: { type: 'object', required: ['no'] } })", "plan_error"],
  ["log('last'); phase('words'); return [() => 1]", "result_not_json"]
]

const styles: ReadonlyArray<
  readonly [name: string, text: (body: string) => string, endings: ReadonlyArray<Ending>]
> = [
  [
    "promise.plan.js",
    (body) => `export const run = async (h) => { const ask = (q) => h.agent(q);\n${body} }`,
    promise
  ],
  [
    "effect.plan.ts",
    (body) =>
      `import { Effect } from "effect"\nimport { Hooks } from "alembic/plan"\nexport const run = () => Effect.gen(function* () { const h = yield* Hooks; const ask = (q: string) => h.agent(q)\n${body} })`,
    effect
  ],
  [
    "script.workflow.js",
    (body) => `export const meta = { name: "m", description: "d" }\nconst ask = (q) => agent(q);\n${body}`,
    script
  ]
]

/** Answers at once, so that several come in together. */
const registry = () =>
  paidRegistry({
    answer: ({ prompt, schema }) => {
      if (prompt.startsWith("fail")) return Effect.fail(makeError("client_error", "no"))
      return Effect.succeed(said(schema === undefined ? prompt : "{}"))
    }
  })

describe("the ending of a plan", () => {
  for (const [name, textOf, endings] of styles) {
    for (const concurrency of [1, 8]) {
      it.live(
        `replays identical, whatever it is: ${name}, concurrency ${concurrency}`,
        () =>
          Effect.gen(function* () {
            const folder = yield* temporaryFolder
            const paid = registry()
            const layer = liveEngine(`${folder}/.alembic`, paid.layer, { maxRepairs: 0 })
            for (const [index, [body, code]] of endings.entries()) {
              const plan = yield* writeFiles(folder, { [`${index}/${name}`]: textOf(body) })
              const inputs = { goal: "g", attachments: [] }
              const summary = yield* runPlanFile({ plan, inputs, concurrency }).pipe(Effect.provide(layer))
              const told = `${body}\n${JSON.stringify(summary)}`
              assert.strictEqual(summary.error?.code, code, told)
              const made = paid.made.length
              const replay = yield* replayRun(summary.runId ?? "").pipe(Effect.provide(layer))
              assert.isTrue(replay.identical, `${told}\n${JSON.stringify(replay)}`)
              const again = yield* resumeRun(summary.runId ?? "", {}).pipe(Effect.provide(layer))
              assert.deepStrictEqual(again.error, summary.error, told)
              assert.strictEqual(paid.made.length, made, "what has ended asks nothing")
            }
          }),
        120_000
      )
    }
  }
})
