// npm run bench:scale. What the engine costs when a run is large, each part in a process of its own, measured by that
// process's peak memory (maxRSS):
//   - a run of 100,000 and one of 1,000,000 events that crashed before its end: resumed to the end, and replayed;
//   - 10,000 calls in flight at once, of 20,000 and of 100,000: memory follows what is in flight, not what was made.
// Bundled and with its young space bounded, as the command is: a process that strips types as it goes holds a compiler
// besides. Exits 1 if a run of a million events takes 300 MB or its time grows faster than its length. The log alone is
// millionEvents.ts's.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Result, Schema } from "effect"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { boundYoungSpace } from "../../src/app/boundYoungSpace.ts"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import { computeCacheKey } from "../../src/domain/Call.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { describeRun } from "../../src/journal/store/RunMeta.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { bundled } from "./bundled.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)
const versions = { engine: "0", node: "0", v8: "0", icu: "0" }
const models = { default: "free:m" }

/** Free, and answers at once; but not before others have had a turn, so that calls really are in flight together. */
const adapter: Adapter = {
  id: "free",
  free: true,
  hasSideEffects: false,
  attempt: ({ prompt }) =>
    Effect.as(Effect.yieldNow, {
      text: `answer to ${prompt}`,
      finishReason: "stop",
      usage: { inputTokens: 1, outputTokens: 1 }
    })
}

const registry = Layer.succeed(AdapterRegistry, {
  resolve: (given) => Effect.succeed(identityOf(given, "free:m")),
  bind: () => Effect.succeed([{ adapter, modelId: "m" }]),
  identity: models
})

const rooms = (dir: string) =>
  Layer.mergeAll(
    Journal.layer({ baseDir: dir }),
    registry,
    Guards.layer(),
    Layer.succeed(EngineVersions, versions)
  ).pipe(Layer.provide(Layer.mergeAll(nodeFs.layer, nodeHost.layer, IdFactory.layerMonotonic)), (parts) =>
    Layer.provideMerge(Alembic.layerPrograms, parts)
  )

const wide = 100
/** `calls` calls, a hundred at once, and a log line after each hundred. */
const program = (calls: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    let length = 0
    for (let from = 0; from < calls; from += wide) {
      const slots = yield* h.parallel(
        Array.from({ length: Math.min(wide, calls - from) }, (_, n) => h.agent(`p${from + n}`))
      )
      for (const slot of slots) length += slot.ok ? slot.text.length : 0
    }
    return length
  })

const specOf = (calls: number) => ({ program: "scale", goal: `${calls} calls`, concurrency: 64 })

const answerTo = (prompt: string, n: number) => ({
  ok: true,
  adapterId: "free",
  modelId: "m",
  requestId: `req-${n}`,
  durationMs: 0,
  text: `answer to ${prompt}`,
  finishReason: "stop",
  usage: { inputTokens: 1, outputTokens: 1 },
  costUsd: 0,
  attempts: 1
})

/** The log that the program leaves when it dies right before its last call. */
const make = (dir: string, calls: number) =>
  Effect.gen(function* () {
    const { concurrency, goal, program } = specOf(calls)
    const run = yield* Effect.fromResult(describeRun({ spec: { goal, plan: [], program, models }, versions }))
    const log = yield* (yield* Journal).create(run)
    yield* log.append({ type: "RunStarted", runId: run.meta.runId, v: 1, concurrency })
    for (let n = 1; n < calls; n++) {
      const prompt = `p${n - 1}`
      const call = identityOf({ prompt }, "free:m")
      const ref = { key: Result.getOrThrow(computeCacheKey(call)), occurrence: 1 }
      yield* log.append({ type: "CallScheduled", n, ...ref, call })
      yield* log.append({ type: "CallCompleted", ...ref, result: answerTo(prompt, n) })
      if (n % 1000 === 0) yield* log.commit
    }
    yield* log.commit
  }).pipe(Effect.scoped, Effect.provide(rooms(dir)))

const report = (ms: number, calls: number, ok: boolean) =>
  say(JSON.stringify({ ok, ms, calls, peakMb: process.resourceUsage().maxRSS / 1024 }))

const resume = (dir: string, calls: number) =>
  Effect.gen(function* () {
    const began = performance.now()
    const summary = yield* Alembic.runProgram(specOf(calls), program(calls))
    if (!summary.ok) console.error(JSON.stringify(summary))
    report(performance.now() - began, calls, summary.ok && summary.calls.live === 1)
  }).pipe(Effect.provide(rooms(dir)))

const replay = (dir: string, calls: number) =>
  Effect.gen(function* () {
    const began = performance.now()
    const summary = yield* Alembic.replayProgram(specOf(calls), program(calls))
    if (!summary.identical) console.error(JSON.stringify(summary))
    report(performance.now() - began, calls, summary.identical)
  }).pipe(Effect.provide(rooms(dir)))

/** `calls` calls, always 10,000 of them in flight. */
const flood = (dir: string, calls: number) =>
  Effect.gen(function* () {
    const began = performance.now()
    const summary = yield* Alembic.runProgram(
      { ...specOf(calls), concurrency: 10_000 },
      Effect.gen(function* () {
        const h = yield* Hooks
        const tasks = Array.from(
          { length: calls },
          (_, n) => () => Effect.map(h.agent(`p${n}`), (slot) => (slot.ok ? 1 : 0))
        )
        const slots = yield* h.parallel(tasks, { concurrency: 10_000 })
        return slots.reduce<number>((sum, slot) => sum + (typeof slot === "number" ? slot : 0), 0)
      })
    )
    if (!summary.ok) console.error(JSON.stringify(summary))
    report(performance.now() - began, calls, summary.ok && summary.result === calls)
  }).pipe(Effect.provide(rooms(dir)))

const Seen = Schema.fromJsonString(
  Schema.Struct({ ok: Schema.Boolean, ms: Schema.Number, calls: Schema.Int, peakMb: Schema.Number })
)
type Seen = typeof Seen.Type

let bundle = ""

const child = (command: string, dir: string, calls: number, ...flags: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [...flags, bundle, command, dir, String(calls)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })

let missed = false
const row = (name: string, seen: Seen, maxMb: number): Seen => {
  const ok = seen.ok && seen.peakMb < maxMb
  if (!ok) missed = true
  const each = ((seen.ms * 1000) / seen.calls).toFixed(1)
  say(
    `${name.padEnd(44)}${(seen.ms / 1000).toFixed(1).padStart(7)} s  ${each.padStart(6)} µs a call  peak ${seen.peakMb.toFixed(0).padStart(4)} MB  < ${maxMb} ${ok ? "ok" : "MISSED"}`
  )
  return seen
}

const linear = (name: string, small: Seen, large: Seen, most: number) => {
  const ratio = large.ms / large.calls / (small.ms / small.calls)
  if (ratio > most) missed = true
  say(`${name.padEnd(44)}${ratio.toFixed(2).padStart(7)}×  ≤ ${most}  ${ratio > most ? "MISSED" : "ok"}`)
}

/** Resumed, then replayed: the run's two long readings. */
const large = (events: number) => {
  const calls = (events - 2) / 2
  const dir = mkdtempSync(`${tmpdir()}/alembic-scale-`)
  child("make", dir, calls)
  const measured = (command: string) =>
    row(`${events} events: ${command}`, Schema.decodeUnknownSync(Seen)(child(command, dir, calls)), 300)
  const both = { resumed: measured("resume"), replayed: measured("replay") }
  rmSync(dir, { recursive: true, force: true })
  return both
}

const inFlight = (calls: number) => {
  const dir = mkdtempSync(`${tmpdir()}/alembic-scale-`)
  const seen = row(
    `10,000 in flight, ${calls} calls`,
    Schema.decodeUnknownSync(Seen)(child("flood", dir, calls, "--max-old-space-size=1024")),
    700
  )
  rmSync(dir, { recursive: true, force: true })
  return seen
}

boundYoungSpace()
const [, , command, dir = "", count = "0"] = process.argv
const calls = Number(count)
if (command === "make") await Effect.runPromise(make(dir, calls))
else if (command === "resume") await Effect.runPromise(resume(dir, calls))
else if (command === "replay") await Effect.runPromise(replay(dir, calls))
else if (command === "flood") await Effect.runPromise(flood(dir, calls))
else {
  bundle = await bundled(fileURLToPath(import.meta.url))
  const small = large(100_000)
  const big = large(1_000_000)
  linear("resume, time a call, large to small", small.resumed, big.resumed, 2)
  linear("replay, time a call, large to small", small.replayed, big.replayed, 2)
  const few = inFlight(20_000)
  const many = inFlight(100_000)
  linear("10,000 in flight, time a call, many to few", few, many, 2)
  rmSync(bundle)
  process.exitCode = missed ? 1 : 0
}
