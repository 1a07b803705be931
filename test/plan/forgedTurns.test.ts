// The plan's process is not believed: what a plan smuggles into its turns, and what a process says that is no plan's,
// ends the run by name, writes nothing that cannot be read again, and keeps the host from nothing.
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import type { PlanRequest } from "../../src/plan/host/PlanProtocol.ts"
import { PlanChildEntry } from "../../src/plan/host/PlanVm.node.ts"
import { TurnProtocol } from "../../src/plan/host/turnProtocol.ts"
import { dice } from "../support/dice.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"
import { playBody, run } from "../support/planBodies.ts"

const inputs = { goal: "g", attachments: [] }

describe("a plan", () => {
  const forged = `'1}],"standing":1,"result":"\\\\"forged\\\\"","x":[{"a":1'`
  const bodies: ReadonlyArray<string> = [
    `const e = new Error("x"); Error.prepareStackTrace(e, [{ getFileName: () => "plan:x", getLineNumber: () => ${forged}, getColumnNumber: () => 1 }]); throw e`,
    `const e = new Error("x"); Error.prepareStackTrace(e, [{ getFileName: () => ({ toString: () => "plan:x", toJSON: () => 1 }), getLineNumber: () => 1, getColumnNumber: () => NaN }]); throw e`,
    `const e = new Error("x"); Error.prepareStackTrace(e, [{ getFileName: () => "plan:x", getLineNumber: () => 2 ** 53, getColumnNumber: () => -1 }]); throw e`,
    `String.prototype.toString = String.prototype.valueOf = () => ${forged}; Number.prototype.toString = () => ${forged}; await h.agent("x"); throw new Error("x")`,
    `Object.prototype.toJSON = () => 1; String.prototype.toJSON = () => 1; Number.prototype.toJSON = () => 1; await h.agent("x"); throw new Error("x")`
  ]
  for (const body of bodies) {
    it.live(`forges nothing: ${body.slice(0, 80)}`, () =>
      Effect.gen(function* () {
        const { state } = yield* playBody(run(body))
        assert.strictEqual(state.t, "failed", JSON.stringify(state))
        if (state.t === "failed") assert.strictEqual(state.error.code, "plan_error", JSON.stringify(state))
      })
    )
  }

  const effects: ReadonlyArray<readonly [body: string, result: unknown]> = [
    ["return Object.getOwnPropertyNames(yield* Clock.Clock).filter((name) => /bridge|now$/i.test(name))", []],
    ["return String((yield* Clock.Clock as any).bridge)", "undefined"],
    [
      "Array.prototype.filter = (() => ({ length: '2,\"x\":1' })) as any; yield* (yield* Hooks).parallel([Effect.succeed(1)]); return 1",
      1
    ]
  ]
  for (const [body, result] of effects) {
    it.live(`as an Effect reaches no bridge and no line: ${body.slice(0, 60)}`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const plan = yield* writeFiles(folder, {
          "plan.ts": `import { Clock, Effect } from "effect"\nimport { Hooks } from "alembic/plan"\nexport const run = () => Effect.gen(function* () { ${body} })`
        })
        const summary = yield* runPlanFile({ plan, inputs }).pipe(
          Effect.provide(liveEngine(`${folder}/.alembic`, paidRegistry().layer))
        )
        assert.deepStrictEqual(summary.result, result, JSON.stringify(summary))
      })
    )
  }
})

const turn = (more: object) => JSON.stringify({ t: "turn", delivered: 0, standing: 0, requests: [], ...more })
const call = (n: unknown, more: object = {}) => ({
  t: "call",
  n,
  verb: "agent",
  options: { prompt: "q" },
  ...more
})
const slots = (done: unknown, of: unknown) => ({ t: "slots", done, of, accepted: true })

/** What a hostile process says to `start`, and then to every answer. */
const processes: ReadonlyArray<readonly [what: string, first: string, then?: string]> = [
  ["garbage", "garbage"],
  ["nothing that it knows", '{"t":"other"}'],
  ["calls that skip a number", turn({ requests: [call(2)] })],
  ["the same call twice", turn({ requests: [call(1), call(1)] })],
  ["a call of number 2^53", turn({ requests: [call(2 ** 53)] })],
  ["a call of half a number", turn({ requests: [call(1.5)] })],
  ["a verb that is none", turn({ requests: [call(1, { verb: "exec" })] })],
  ["a cancel of nothing", turn({ requests: [{ t: "cancel", n: 1 }] })],
  ["a wait for nothing", turn({})],
  [
    "slots near 2^53",
    turn({ requests: [call(1), slots(2 ** 53 - 1, 2 ** 53 - 1), slots(2 ** 53 - 1, 2 ** 53 - 1)] })
  ],
  ["more answers than slots", turn({ requests: [call(1), slots(2, 1)] })],
  ["slots below nothing", turn({ standing: 1, requests: [slots(-1, -1)] })],
  ["answers that nobody gave", turn({ delivered: 5, requests: [call(1)] })],
  ["a lone surrogate", turn({ requests: [call(1, { options: { prompt: "\ud800" } })] })],
  [
    "a number without end",
    turn({ requests: [call(1)] }).replace('"prompt":"q"', '"prompt":"q","temperature":1e999')
  ],
  [
    "what nests without end",
    turn({ requests: [call(1)] }).replace('"q"', "[".repeat(100_000) + "]".repeat(100_000))
  ],
  ["answers that it never takes", turn({ requests: [call(1)] }), turn({ delivered: 0 })],
  ["answers taken backwards", turn({ requests: [call(1)] }), turn({ delivered: -1 })],
  ["a wait for what was answered", turn({ requests: [call(1)] }), turn({ delivered: 1 })],
  [
    "an answered call's cancel",
    turn({ requests: [call(1)] }),
    turn({ delivered: 1, requests: [{ t: "cancel", n: 1 }] })
  ]
]

describe("a process that says", () => {
  for (const [what, first, then = ""] of processes) {
    it.live(`${what} ends its run as plan_protocol, and the journal opens`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const plan = yield* writeFiles(folder, { "plan.js": "export const run = async () => 1\n" })
        const child = yield* writeFiles(folder, {
          "child.mjs": `import { createInterface } from "node:readline"
process.stdout.write('{"t":"progress"}\\n')
let first = true
createInterface({ input: process.stdin }).on("line", () => { process.stdout.write((first ? ${JSON.stringify(first)} : ${JSON.stringify(then)}) + "\\n"); first = false })`
        })
        const layer = liveEngine(`${folder}/.alembic`, paidRegistry().layer).pipe(
          Layer.provide(Layer.succeed(PlanChildEntry, pathToFileURL(child)))
        )
        const summary = yield* runPlanFile({ plan, inputs }).pipe(Effect.provide(layer))
        assert.strictEqual(summary.error?.code, "plan_protocol", JSON.stringify(summary))
        const report = yield* Effect.flatMap(Journal, (store) =>
          Effect.flatMap(store.runId(summary.runId ?? ""), (id) => store.verify(id))
        ).pipe(Effect.provide(layer))
        assert.deepStrictEqual(report.problems, [])
      })
    )
  }
})

describe("the protocol of turns", () => {
  /** An honest plan: it issues, cancels and takes answers in turns, as the child does. */
  const honest = (seed: number) => {
    const random = dice(seed)
    const pending = new Set<number>()
    let issued = 0
    const act = (requests: Array<PlanRequest>) => {
      for (let times = random.below(3); times > 0; times--) {
        issued++
        pending.add(issued)
        requests.push({ t: "call", n: issued, verb: "agent", options: {} })
      }
      const [oldest] = pending
      if (oldest !== undefined && random.below(4) === 0) {
        pending.delete(oldest)
        requests.push({ t: "cancel", n: oldest })
      }
      if (random.below(3) === 0) requests.push({ t: "slots", done: random.below(2), of: 1, accepted: false })
    }
    return (batch: ReadonlyArray<number>) => {
      const requests: Array<PlanRequest> = []
      let delivered = 0
      if (batch.length === 0) act(requests)
      for (const n of batch) {
        if (!pending.delete(n)) break
        delivered++
        act(requests)
      }
      return { requests, delivered, ended: pending.size === 0, pending: [...pending], random }
    }
  }

  it("takes every honest turn, and no call beyond the limit", () => {
    let caught = 0
    for (let seed = 1; seed <= 300; seed++) {
      const turns = honest(seed)
      const protocol = new TurnProtocol({ calls: 1_000 })
      let batch: ReadonlyArray<number> = []
      for (let step = 0; step < 12; step++) {
        const said = turns(batch)
        const answers = batch.map((n) => ({ n, json: "null" }))
        assert.isUndefined(protocol.problem(said, answers), `seed ${seed}, step ${step}`)
        if (said.ended) break
        batch = said.pending.filter(() => said.random.below(2) === 0)
        if (batch.length === 0) batch = said.pending.slice(0, 1)
      }
      const wrong = new TurnProtocol({ calls: 2 })
      const requests: ReadonlyArray<PlanRequest> = [1, 2, 3].map((n) => ({
        t: "call",
        n,
        verb: "agent",
        options: {}
      }))
      if (wrong.problem({ requests, delivered: 0, ended: false }, []) !== undefined) caught++
    }
    assert.strictEqual(caught, 300)
  })
})
