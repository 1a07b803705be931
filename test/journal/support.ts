// What the journal's tests share: a spec, a run, a journal on any FsPort, and calls to put into it.
import { Effect, Layer, Result, type Scope } from "effect"
import { computeCacheKey, type CallIdentity } from "../../src/domain/Call.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { RunEventBody } from "../../src/domain/run/RunEvent.ts"
import type { RunSpec } from "../../src/domain/run/RunSpec.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import type { FsPort } from "../../src/kernel/files/FsPort.ts"
import { HostIdentity, type ProcessIdentity } from "../../src/kernel/HostIdentity.ts"
import { Journal } from "../../src/journal/Journal.ts"
import type { RunJournal } from "../../src/journal/RunJournal.ts"
import { describeRun, type NewRun } from "../../src/journal/store/RunMeta.ts"

export const baseDir = "/base"
export const me: ProcessIdentity = { pid: 100, started: "7", boot: "b1", host: "here" }

export const specOf = (goal = "ação 👩‍💻"): RunSpec => ({ goal, plan: [["plan.ts", "a".repeat(64)]] })

export const newRun = (spec: RunSpec = specOf()): NewRun =>
  Result.getOrThrow(
    describeRun({
      spec,
      extra: { bundle: "export const run = () => 1" },
      versions: { engine: "0", node: "24", v8: "13", icu: "77" }
    })
  )

export const runId = newRun().meta.runId
export const runDir = `${baseDir}/runs/${runId}`

export const journalOn = (fs: Layer.Layer<FsPort>, host = HostIdentity.layerTest({ self: me })) =>
  Journal.layer({ baseDir }).pipe(Layer.provideMerge(Layer.merge(fs, host)))

/** Runs `self` with a journal on that disk, in its own scope: as a process that starts and ends. */
export const onDisk = <A, E>(
  disk: MemoryDisk,
  self: Effect.Effect<A, E, Journal | FsPort | HostIdentity | Scope.Scope>
) => Effect.scoped(Effect.provide(self, journalOn(disk.layer)))

export const keyOf = (prompt: string): string => Result.getOrThrow(computeCacheKey(callOf(prompt)))
export const callOf = (prompt: string): CallIdentity => ({ verb: "agent", prompt, model: "offline" })

export const answer = (text: string, costUsd = 0.25): { readonly [key: string]: Json } => ({
  ok: true,
  adapterId: "offline",
  modelId: "m",
  requestId: "r",
  durationMs: 1,
  text,
  finishReason: "stop",
  attempts: 1,
  usage: { inputTokens: 3, outputTokens: 5 },
  costUsd
})

export const failure = (code: string): { readonly [key: string]: Json } => ({
  ok: false,
  status: "failed",
  adapterId: "offline",
  modelId: "m",
  requestId: "r",
  durationMs: 1,
  attempts: 1,
  costUsd: 0,
  error: { code, message: code, retryable: false }
})

export const started: RunEventBody = { type: "RunStarted", runId, v: 1, concurrency: 4 }
export const scheduled = (n: number, prompt: string, reserveUsd?: number): RunEventBody => ({
  type: "CallScheduled",
  n,
  key: keyOf(prompt),
  occurrence: 1,
  call: callOf(prompt),
  ...(reserveUsd === undefined ? {} : { reserveUsd })
})
export const completed = (prompt: string, result: Json = answer(`answer to ${prompt}`)): RunEventBody => ({
  type: "CallCompleted",
  key: keyOf(prompt),
  occurrence: 1,
  result
})
export const ended: RunEventBody = {
  type: "RunCompleted",
  status: "completed",
  result: { sum: 3 },
  coverage: { done: 0, of: 0 }
}

/** `count` calls, each committed with its answer. */
export const makeCalls = (journal: RunJournal, count: number, from = 1) =>
  Effect.gen(function* () {
    for (let n = from; n < from + count; n++) {
      yield* journal.append(scheduled(n, `prompt ${n}: ação 👩‍💻`))
      yield* journal.append(completed(`prompt ${n}: ação 👩‍💻`))
      yield* journal.commit
    }
  })

/** A run of `count` calls, left open as after a crash, or ended and sealed. */
export const goldenRun = (disk: MemoryDisk, count: number, end = false) =>
  onDisk(
    disk,
    Effect.gen(function* () {
      const journal = yield* (yield* Journal).create(newRun())
      yield* journal.append(started)
      yield* makeCalls(journal, count)
      if (end) {
        yield* journal.append(ended)
        yield* journal.commit
        yield* journal.seal({ sum: 3 })
      }
    })
  )

/** A sealed run with calls, one of them with a large answer. */
export const sealed = Effect.gen(function* () {
  const disk = MemoryDisk.make()
  yield* onDisk(
    disk,
    Effect.gen(function* () {
      const journal = yield* (yield* Journal).create(newRun())
      yield* journal.append(started)
      yield* makeCalls(journal, 3)
      yield* journal.append(completed("large", answer("x".repeat(300_000))))
      yield* journal.append(ended)
      yield* journal.commit
      yield* journal.seal({ sum: 3 })
    })
  )
  const lines = new TextDecoder()
    .decode(disk.read(`${runDir}/events.jsonl`))
    .split("\n")
    .slice(0, -1)
  const large = disk.files.find(
    (path) => (disk.read(path)?.length ?? 0) > 300_000 && path.includes("/blobs/")
  )!
  return { disk, lines, large, copy: () => disk.afterCrash("process") }
})

/** What `verify` says of the run on that disk. */
export const verified = (disk: MemoryDisk) =>
  onDisk(
    disk,
    Effect.flatMap(Journal, (store) => store.verify(runId))
  )
