// Which run a plan is: the entry is part of it, and a run that was begun when it was not is taken up where its entry is
// the same.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { formerRunIdFor, runIdFor } from "../../src/domain/run/RunSpec.ts"
import type { RunPlanRequest } from "../../src/engine/Engine.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { describePlan, readyFile } from "../../src/engine/launch/planLaunch.ts"
import { specOfPlan } from "../../src/engine/launch/planSpec.ts"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { resumeRun } from "../../src/engine/launch/resumeRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { describeRun, type NewRun } from "../../src/journal/store/RunMeta.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const inputs = { goal: "g", attachments: [] }

const script = (name: string, other: string) => `export const meta = { name: "${name}", description: "d" }
if (args !== undefined) return await agent("inner ${name}")
const next = ["${other}"].join("")
return "${name}: " + await agent("outer ${name}") + " " + await workflow(next, { nested: true })
`

const module = (name: string, other: string) => `import { word as otherWord } from "./${other}.plan.ts"
export const word = () => "${name}"
export const run = async (h) => (await h.agent("${name} " + otherWord())).text
`

/** The engine on a folder with these files, and the witness of what is paid. */
const engineWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const folder = yield* temporaryFolder
  yield* writeFiles(folder, files)
  const paid = paidRegistry()
  const layer = liveEngine(`${folder}/.alembic`, paid.layer)
  const run = (plan: string, more: Partial<RunPlanRequest> = {}) =>
    runPlanFile({ plan: `${folder}/${plan}`, inputs, ...more }).pipe(Effect.provide(layer))
  return { folder, paid, layer, run }
})

/** What a plan's run was, when the identity did not say its entry. */
const formerRun = Effect.fnUntraced(function* (path: string) {
  const { loaded, ready } = yield* readyFile(path, false)
  const spec = specOfPlan(ready.bundle, inputs, { models: { default: "paid:m" }, hermetic: false })
  const { blobs, meta } = yield* describePlan(spec, inputs, loaded, ready, {})
  const { entry: _entry, ...parts } = meta.parts
  const former: NewRun = {
    blobs,
    meta: { ...meta, parts, runId: Result.getOrThrow(formerRunIdFor(spec)) }
  }
  yield* Effect.scoped(Effect.flatMap(Journal, (store) => store.create(former)))
  return former.meta.runId
}, Effect.scoped)

const twins = [
  [
    "scripts that run each other",
    { "ping.js": script("ping", "pong"), "pong.js": script("pong", "ping") },
    ["ping.js", "pong.js"]
  ],
  [
    "modules that import each other",
    { "ping.plan.ts": module("ping", "pong"), "pong.plan.ts": module("pong", "ping") },
    ["ping.plan.ts", "pong.plan.ts"]
  ]
] as const

describe("two plans of the same modules", () => {
  for (const [what, files, [one, other]] of twins) {
    it.live(`are two runs: ${what}`, () =>
      Effect.gen(function* () {
        const { paid, run } = yield* engineWith(files)
        const first = yield* run(one)
        assert.strictEqual(first.status, "completed", JSON.stringify(first))
        const made = paid.made.length
        const second = yield* run(other)
        assert.strictEqual(second.status, "completed", JSON.stringify(second))
        assert.notStrictEqual(second.runId, first.runId)
        assert.notDeepEqual(second.result, first.result)
        assert.isAbove(paid.made.length, made, "the second one asks on its own")
      })
    )
  }
})

describe("a run that was begun when the identity did not say the entry", () => {
  const [, files] = twins[0]

  it.live("is taken up by run, --resume and resume, and pays once", () =>
    Effect.gen(function* () {
      const { folder, layer, paid, run } = yield* engineWith(files)
      const former = yield* formerRun(`${folder}/ping.js`).pipe(Effect.provide(layer))
      const first = yield* run("ping.js")
      assert.strictEqual(first.status, "completed", JSON.stringify(first))
      assert.strictEqual(first.runId, former)
      const made = paid.made.length
      for (const again of [
        yield* run("ping.js"),
        yield* run("ping.js", { expectRun: former }),
        yield* resumeRun(former, {}).pipe(Effect.provide(layer))
      ]) {
        assert.strictEqual(again.status, "completed", JSON.stringify(again))
        assert.strictEqual(again.runId, former)
        assert.deepStrictEqual(again.result, first.result)
      }
      assert.strictEqual(paid.made.length, made)
      const replay = yield* replayRun(former).pipe(Effect.provide(layer))
      assert.isTrue(replay.identical, JSON.stringify(replay))
    })
  )

  it.live("is not another plan's of the same modules, and --resume says so", () =>
    Effect.gen(function* () {
      const { folder, layer, run } = yield* engineWith(files)
      const former = yield* formerRun(`${folder}/ping.js`).pipe(Effect.provide(layer))
      const mismatch = yield* run("pong.js", { expectRun: former })
      assert.strictEqual(mismatch.error?.code, "spec_mismatch")
      assert.deepStrictEqual(mismatch.changed, ["entry"])
      const own = yield* run("pong.js")
      assert.strictEqual(own.status, "completed", JSON.stringify(own))
      assert.notStrictEqual(own.runId, former)
    })
  )

  it.live("--fresh does not take it for another run", () =>
    Effect.gen(function* () {
      const { layer, folder, run } = yield* engineWith(files)
      const former = yield* formerRun(`${folder}/ping.js`).pipe(Effect.provide(layer))
      const first = yield* run("ping.js", { fresh: true })
      const second = yield* run("ping.js", { fresh: true })
      assert.strictEqual(new Set([former, first.runId, second.runId]).size, 3)
    })
  )

  it.live("is a program's too", () =>
    Effect.gen(function* () {
      const { layer, paid } = yield* engineWith({ "none.txt": "" })
      const given = { program: "p", goal: "g" }
      const spec = { goal: "g", plan: [], program: "p", models: { default: "paid:m" } }
      const former = Result.getOrThrow(formerRunIdFor(spec))
      assert.notStrictEqual(former, Result.getOrThrow(runIdFor(spec)))
      yield* Effect.gen(function* () {
        const versions = { engine: "0", node: "0", v8: "0", icu: "0" }
        const { blobs, meta } = Result.getOrThrow(describeRun({ spec, versions }))
        yield* Effect.scoped(
          Effect.flatMap(Journal, (store) => store.create({ blobs, meta: { ...meta, runId: former } }))
        )
        const program = Effect.flatMap(Hooks, (h) => h.agent("q"))
        const ran = yield* Alembic.runProgram(given, program)
        assert.strictEqual(ran.runId, former)
        assert.strictEqual(ran.status, "completed")
        yield* Alembic.runProgram(given, program)
        assert.strictEqual(paid.made.length, 1)
        const replay = yield* Alembic.replayProgram(given, program)
        assert.isTrue(replay.identical, JSON.stringify(replay))
        const events = yield* Effect.scoped(
          Effect.flatMap(Journal, (store) =>
            Effect.flatMap(store.open(former, "read"), (journal) => Stream.runCollect(journal.events))
          )
        )
        assert.strictEqual(events[0]?.type, "RunStarted")
      }).pipe(Effect.provide(layer))
    })
  )
})
