// A log of a million events is opened in bounded memory and linear time: `node test/bench/millionEvents.ts`.
// Makes logs of 100,000 and 1,000,000 events (every second one an answer), opens each in a process of its own with a
// heap of 256 MB, reads answers all over it, appends one event. Exits 1 if it takes 300 MB or grows faster than the log.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { describeRun } from "../../src/journal/store/RunMeta.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"

const run = Result.getOrThrow(
  describeRun({ spec: { goal: "bench", plan: [] }, versions: { engine: "0", node: "0", v8: "0", icu: "0" } })
)
const { runId } = run.meta
const say = (line: string) => process.stdout.write(`${line}\n`)

const journal = (dir: string) =>
  Journal.layer({ baseDir: dir }).pipe(Layer.provide(Layer.merge(nodeFs.layer, nodeHost.layer)))

const make = (dir: string, events: number) =>
  Effect.gen(function* () {
    const log = yield* (yield* Journal).create(run)
    yield* log.append({ type: "RunStarted", runId, v: 1, concurrency: 64 })
    for (let n = 1; n <= (events - 1) / 2; n++) {
      const ref = { key: sha256(String(n)), occurrence: 1 }
      yield* log.append({ type: "CallScheduled", n, ...ref, call: { verb: "agent", prompt: `p${n}` } })
      yield* log.append({ type: "CallCompleted", ...ref, result: { ok: true, text: `answer ${n}` } })
      if (n % 1000 === 0) yield* log.commit
    }
    yield* log.commit
  }).pipe(Effect.scoped, Effect.provide(journal(dir)))

const open = (dir: string) =>
  Effect.gen(function* () {
    const began = performance.now()
    const log = yield* (yield* Journal).open(runId, "write")
    const openedMs = performance.now() - began
    const { calls, completed, lastSeq } = log.state()
    for (let n = 0; n < 1000; n++) {
      const id = completed.at(Math.floor((n * completed.length) / 1000))?.id ?? ""
      const text = yield* log.readResultText(id)
      if (!text.includes(`answer ${calls.get(id)?.n}`))
        return yield* Effect.die(new Error(`wrong answer: ${text}`))
    }
    let streamed = 0
    yield* Stream.runForEach(log.events, () => Effect.sync(() => void streamed++))
    if (streamed !== lastSeq) return yield* Effect.die(new Error(`streamed ${streamed} of ${lastSeq}`))
    yield* log.append({ type: "RunResumed" })
    yield* log.commit
    say(JSON.stringify({ events: lastSeq, openedMs, peakMb: process.resourceUsage().maxRSS / 1024 }))
  }).pipe(Effect.scoped, Effect.provide(journal(dir)))

const Seen = Schema.fromJsonString(
  Schema.Struct({ events: Schema.Int, openedMs: Schema.Number, peakMb: Schema.Number })
)

const measure = (events: number) => {
  const dir = mkdtempSync(`${tmpdir()}/alembic-million-`)
  const child = (heapMb: number, ...args: ReadonlyArray<string>) =>
    execFileSync(
      process.execPath,
      [`--max-old-space-size=${heapMb}`, fileURLToPath(import.meta.url), ...args],
      {
        encoding: "utf8"
      }
    )
  child(4096, "make", dir, String(events))
  const seen = Schema.decodeUnknownSync(Seen)(child(256, "open", dir))
  rmSync(dir, { recursive: true, force: true })
  say(
    `${seen.events} events: opened in ${seen.openedMs.toFixed(0)} ms (${((seen.openedMs * 1000) / seen.events).toFixed(1)} µs each), peak ${seen.peakMb.toFixed(0)} MB`
  )
  return seen
}

const [, , command, dir = "", events = "0"] = process.argv
if (command === "make") await Effect.runPromise(make(dir, Number(events)))
else if (command === "open") await Effect.runPromise(open(dir))
else {
  const small = measure(100_000)
  const large = measure(1_000_000)
  const perEvent = large.openedMs / large.events / (small.openedMs / small.events)
  const ok = large.peakMb < 300 && perEvent < 2
  say(`time an event, large to small: ${perEvent.toFixed(2)}×; ${ok ? "ok" : "MISSED"}`)
  process.exitCode = ok ? 0 : 1
}
