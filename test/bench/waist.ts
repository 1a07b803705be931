// What the waist costs: microseconds of a guarded call beside the bare attempt, and memory of 1,000 calls at once.
// Run: node test/bench/waist.ts (with --expose-gc for steadier memory). Not a test: it asserts nothing.
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { runBound } from "../../src/adapters/guard/runBound.ts"
import { runWithGuards } from "../../src/adapters/guard/runWithGuards.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"

const rounds = 15
const calls = 2_000

const input = { prompt: "How much does a guarded call cost?", model: "none", requestId: "bench" }
const answer = { text: "little", finishReason: "stop" }
const at = (attempt: Adapter["attempt"]): Adapter => ({
  id: "bench",
  free: true,
  hasSideEffects: false,
  attempt
})
const immediate = at(() => Effect.succeed(answer))
const nextTick = at(() => Effect.as(Effect.yieldNow, answer))

interface Samples {
  readonly wall: ReadonlyArray<number>
  /** Of the process: what a busy machine does to the wall clock is not in it. */
  readonly cpu: ReadonlyArray<number>
}

const microseconds = (self: Effect.Effect<unknown, unknown, Guards>) =>
  Effect.gen(function* () {
    const wall: Array<number> = []
    const cpu: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const from = performance.now()
      const before = process.cpuUsage()
      for (let call = 0; call < calls; call++) yield* self
      const { system, user } = process.cpuUsage(before)
      wall.push(((performance.now() - from) * 1000) / calls)
      cpu.push((user + system) / calls)
    }
    // The first rounds warm the code up.
    const sorted = (all: ReadonlyArray<number>) => all.slice(5).sort((one, other) => one - other)
    return { wall: sorted(wall), cpu: sorted(cpu) } satisfies Samples
  })

const shown = (samples: ReadonlyArray<number>) => {
  const part = (of: number) => (samples[Math.floor(of * (samples.length - 1))] ?? 0).toFixed(1)
  return `median ${part(0.5)} µs (${part(0)} … ${part(1)})`
}

const row = (name: string, { cpu, wall }: Samples) =>
  Effect.sync(() => process.stdout.write(`${name.padEnd(40)} wall ${shown(wall)}, cpu ${shown(cpu)}\n`))

const megabytes = () => {
  if (typeof globalThis.gc === "function") globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}

const memory = Effect.gen(function* () {
  const hold = yield* Deferred.make<void>()
  const started: { count: number } = { count: 0 }
  const adapter = at(() =>
    Effect.suspend(() => {
      started.count += 1
      return Effect.as(Deferred.await(hold), answer)
    })
  )
  const before = megabytes()
  const fibers = yield* Effect.forkChild(
    Effect.forEach(Array.from({ length: 1_000 }), () => runWithGuards(adapter, input), { concurrency: 1_000 })
  )
  while (started.count < 1_000) yield* Effect.yieldNow
  const during = megabytes()
  yield* Deferred.succeed(hold, undefined)
  const results = yield* Fiber.join(fibers)
  process.stdout.write(
    `1,000 calls at once: ${(during - before).toFixed(1)} MB of heap, ${results.length} answered\n`
  )
})

const main = Effect.gen(function* () {
  yield* row("bare attempt", yield* microseconds(Effect.suspend(() => immediate.attempt(input))))
  yield* row("runWithGuards", yield* microseconds(runWithGuards(immediate, input)))
  yield* row("runBound", yield* microseconds(runBound([{ adapter: immediate, modelId: "none" }], input)))
  yield* row(
    "bare attempt that waits a turn",
    yield* microseconds(Effect.suspend(() => nextTick.attempt(input)))
  )
  yield* row("runWithGuards on it (with its timer)", yield* microseconds(runWithGuards(nextTick, input)))
  yield* memory
})

await Effect.runPromise(main.pipe(Effect.provide(Guards.layer().pipe(Layer.provide(IdFactory.layerCounter)))))
