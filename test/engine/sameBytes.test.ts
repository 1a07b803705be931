// Whatever a plan can see is the same bytes when the run begins, when it goes on, when it is replayed and when its
// answers are lent: random inputs through all four, in every style that a plan is written in.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { RunPlanRequest } from "../../src/engine/Engine.ts"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { resumeRun } from "../../src/engine/launch/resumeRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { dice, type Dice } from "../support/dice.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

/** What a plan can tell of its surroundings, as text in the order in which it sees it. */
const seen = `const see = (given) => {
  const failed = (work) => { try { return work() } catch (error) { return error.stack + "|" + error } }
  return JSON.stringify([
    given,
    new Date(0).toString(), new Date(1e12).toLocaleString(), new Date(2020, 1, 1).getTimezoneOffset(),
    Intl.DateTimeFormat().resolvedOptions(), (1234567.891).toLocaleString(), ["ä", "z", "a"].sort((a, b) => a.localeCompare(b)),
    failed(() => null.x), failed(() => { throw new RangeError("r") }), new Error("stack").stack,
    Object.keys(globalThis).sort()
  ])
}`

const styles: Readonly<Record<string, string>> = {
  "promise.plan.js": `${seen}
export const run = async (h, input) => {
  const first = await h.agent("first " + see(input))
  const second = await h.agent("second", { schema: { type: "object" } })
  const third = await h.agent("third " + see([first, second]))
  return see([input, first, second, third])
}`,
  "effect.plan.ts": `import { Clock, Effect, Random } from "effect"
import { Hooks } from "alembic/plan"
${seen}
export const run = (_: unknown, input: unknown) => Effect.gen(function* () {
  const h = yield* Hooks
  const ambient = [yield* Clock.currentTimeMillis, yield* Random.next]
  const first = yield* h.agent("first " + see([input, ambient]))
  const second = yield* h.agent("second", { schema: { type: "object" } })
  const third = yield* h.agent("third " + see([first, second, yield* Random.next]))
  return see([input, first, second, third])
})`,
  "script.workflow.js": `export const meta = { name: "script", description: "d" }
${seen}
const first = await agent("first " + see([args, budget.total, budget.remaining()]))
const second = await agent("second", { schema: { type: "object" } })
const third = await agent("third " + see([first, second, budget.spent()]))
return see([args, first, second, third])`
}

const keys = ["b", "a", "10", "9", "B", "é", "__proto__", "constructor", "toJSON", "length", "", "\u{1f600}"]
const scalars: ReadonlyArray<Json> = [0, -0, 1e21, 1e-7, 0.1, "", "\u2028", "é", true, null, "\u0000"]

const randomJson = (random: Dice, depth = 0): Json => {
  const kind = random.below(depth > 2 ? 1 : 4)
  if (kind === 0) return random.pick(scalars)
  const size = random.below(4)
  if (kind === 1) return Array.from({ length: size }, () => randomJson(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: size + 1 }, () => [random.pick(keys), randomJson(random, depth + 1)])
  )
}

const inputsOf = (seed: number): RunPlanRequest["inputs"] => {
  const random = dice(seed)
  const contract = {
    coverage: { min: random.next() },
    budget: { outputTokens: 100_000 + random.below(1000), calls: 50 }
  }
  return {
    goal: `goal ${random.below(1000)}\r\n\u{1f600}`,
    args: Array.from({ length: 6 }, () => randomJson(random)),
    ...(seed % 2 === 0 ? { contract } : {}),
    attachments: [
      { path: "a.txt", bytes: new TextEncoder().encode("\ufeffa\r\n\u0000") },
      { path: "é.bin", bytes: Uint8Array.of(0xff, 0xfe, random.below(256)) }
    ]
  }
}

const seeds = [1, 2, 3]

describe("what a plan sees", () => {
  for (const plan of Object.keys(styles)) {
    for (const seed of seeds) {
      it.live(
        `is the same live, resumed, replayed and with lent answers: ${plan}, inputs ${seed}`,
        () =>
          Effect.gen(function* () {
            const folder = yield* temporaryFolder
            yield* writeFiles(folder, styles)
            const inputs = inputsOf(seed)
            const stop = yield* Deferred.make<string>()
            const random = dice(seed)
            const structured = JSON.stringify({ b: randomJson(random), a: randomJson(random), "1": 1 })
            /** The first run answers it all; the second is stopped at its third call. */
            const paid = paidRegistry({
              answer: (input, made) => {
                if (made === 6) return Effect.andThen(Deferred.succeed(stop, "SIGTERM"), Effect.never)
                return Effect.succeed(
                  said(input.schema === undefined ? `é ${input.prompt.length}` : structured)
                )
              }
            })
            const layer = liveEngine(`${folder}/.alembic`, paid.layer)
            const run = (more: Partial<RunPlanRequest> = {}) =>
              runPlanFile({ plan: `${folder}/${plan}`, inputs, hermetic: true, ...more }).pipe(
                Effect.provide(layer)
              )

            const live = yield* run()
            assert.strictEqual(live.status, "completed", JSON.stringify(live))
            const stopped = yield* run({ fresh: true, stop })
            assert.strictEqual(stopped.status, "interrupted", JSON.stringify(stopped))
            const resumed = yield* resumeRun(stopped.runId ?? "", {}).pipe(Effect.provide(layer))
            assert.strictEqual(resumed.status, "completed", JSON.stringify(resumed))
            const lent = yield* run({ fresh: true, reuse: live.runId ?? "" })
            assert.strictEqual(lent.status, "completed", JSON.stringify(lent))
            assert.strictEqual(lent.calls.live, 0, "all of it is lent")
            const asked = paid.made.length
            for (const { runId } of [live, resumed, lent]) {
              const replay = yield* replayRun(runId ?? "").pipe(Effect.provide(layer))
              assert.isTrue(replay.identical, JSON.stringify(replay))
            }
            assert.strictEqual(paid.made.length, asked)
            assert.strictEqual(paid.made[5], paid.made[2], "the call that was cut off was the same one")
            assert.strictEqual(paid.made[6], paid.made[2], "and so is the one that was made instead of it")
            assert.strictEqual(lent.result, live.result)
            assert.strictEqual(resumed.result, live.result)
          }),
        30_000
      )
    }
  }
})
