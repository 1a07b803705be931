// The plan VM's speed: from a path to the first call, a round trip alone and with 64 in flight, 1,000 known answers
// in bulk; beside what the machine takes to start Node with the same module, in the same run. Medians and the middle
// half. Run: node test/bench/plan.ts
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { Effect, Layer } from "effect"
import { loadPlan } from "../../src/plan/load/loadPlan.ts"
import * as PlanBundlerNode from "../../src/plan/bundler/PlanBundler.node.ts"
import { Prelude } from "../../src/plan/prelude/Prelude.ts"
import * as PreludeNode from "../../src/plan/prelude/Prelude.node.ts"
import { PlanVm } from "../../src/plan/host/PlanVm.ts"
import * as PlanVmNode from "../../src/plan/host/PlanVm.node.ts"
import { moduleOf, success } from "../support/planHarness.ts"

const folder = mkdtempSync(join(tmpdir(), "alembic-bench-"))
const input = { goal: "g", files: [] }

const line = (i: number) => `export const step${i} = (x: number): number => (x * ${i} + 1) % 1000`
const promise = (lines: number) =>
  `${Array.from({ length: lines - 6 }, (_, i) => line(i)).join("\n")}
export const run = async (h: any) => {
  let all = 0
  for (const n of [1, 2, 3]) all += (await h.agent("p" + step0(n))).text.length
  return all
}
`
const effectful = `import { Effect } from "effect"
import { Hooks } from "alembic/plan"
${Array.from({ length: 44 }, (_, i) => line(i)).join("\n")}
export const run = Effect.gen(function* () {
  const h = yield* Hooks
  return (yield* h.agent("p" + step0(1))).ok
})
`

const write = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const toFirstCall = (path: string) =>
  Effect.gen(function* () {
    const from = performance.now()
    const vm = yield* PlanVm
    yield* vm.prestart
    const { bundle } = yield* loadPlan(path)
    const needs = bundle.kind === "module" && bundle.imports.length > 0
    const prelude = needs ? yield* (yield* Prelude).load(bundle.imports) : undefined
    const driver = yield* vm.launch(bundle, input, prelude === undefined ? {} : { prelude })
    const turn = yield* driver.start
    if (turn.requests.length !== 1) return yield* Effect.die(turn)
    return performance.now() - from
  }).pipe(Effect.scoped)

const answers = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ n: from + i, json: JSON.stringify(success("x".repeat(200))) }))

const roundTrips = (width: number, turns: number) =>
  Effect.gen(function* () {
    const body = `return { run: async (h) => { const w = async (k) => { for (let i = 0; ; i++) await h.agent("p" + k + " " + i) }; await Promise.all(Array.from({ length: ${width} }, (_, k) => w(k))) } }`
    const driver = yield* (yield* PlanVm).launch(moduleOf(body), input)
    yield* driver.start
    let n = 1
    const times: Array<number> = []
    for (let turn = 0; turn < turns; turn++) {
      const batch = answers(n, width)
      const from = performance.now()
      yield* driver.deliver(batch)
      times.push(((performance.now() - from) * 1000) / width)
      n += width
    }
    return times.slice(Math.floor(turns / 5))
  }).pipe(Effect.scoped)

const bulk = Effect.gen(function* () {
  const body = `return { run: async (h) => { for (let i = 0; i < 1000; i++) await h.agent("p" + i); await h.agent("live") } }`
  const driver = yield* (yield* PlanVm).launch(moduleOf(body), input)
  yield* driver.start
  const known = answers(1, 1000)
  const from = performance.now()
  const turn = yield* driver.deliver(known)
  if (turn.delivered !== 1000) return yield* Effect.die(turn)
  return performance.now() - from
}).pipe(Effect.scoped)

const bareNode = (path: string) =>
  Effect.sync(() => {
    const from = performance.now()
    spawnSync(process.execPath, ["--no-warnings", "-e", `import(${JSON.stringify(path)})`])
    return performance.now() - from
  })

const show = (what: string, unit: string, times: ReadonlyArray<number>, aim = ""): void => {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  process.stdout.write(
    `${what.padEnd(58)} ${at(0.5).padStart(8)} ${unit}   ${at(0.25)} … ${at(0.75)}   ${aim}\n`
  )
}

const times = <A, E, R>(count: number, self: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => self)

const program = Effect.gen(function* () {
  const small = write("small.ts", promise(50))
  const large = write("large.ts", promise(10_000))
  const effect = write("effect.ts", effectful)
  process.env["XDG_CACHE_HOME"] = join(folder, "cache")
  show("node, same 50-line module", "ms", yield* times(9, bareNode(small)))
  show("first time: promise style, 50 lines", "ms", [yield* toFirstCall(small)], "aim 150")
  show("path to first call, promise style, 50 lines", "ms", yield* times(15, toFirstCall(small)), "aim 80")
  show("path to first call, 10,000 lines", "ms", yield* times(5, toFirstCall(large)), "aim 1000")
  show("first time, empty cache: Effect style", "ms", [yield* toFirstCall(effect)], "aim 250")
  show("path to first call, Effect style", "ms", yield* times(15, toFirstCall(effect)), "aim 120")
  show("round trip alone", "µs", yield* roundTrips(1, 2_000), "aim 200")
  show("round trip, 64 in flight", "µs", yield* roundTrips(64, 200), "aim 20")
  show("1,000 known answers in bulk", "ms", yield* times(9, bulk), "aim 30")
})

await Effect.runPromise(
  program.pipe(
    Effect.provide(Layer.mergeAll(PlanBundlerNode.layer, PlanVmNode.layer, PreludeNode.layer)),
    Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  )
)
