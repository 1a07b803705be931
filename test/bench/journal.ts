// npm run bench:journal. What the journal costs, beside floors measured in the same run: on the disk of the working
// directory and on tmpfs. Prints a table; exits 1 if a bound of the project's is missed on this machine.
// Memory is that of a process of its own, bundled as the command is: one that strips types as it goes holds a compiler
// besides. It makes a run's calls, 64 in flight, then opens the run and reads every answer.
//   --dir D    a directory on a real disk (default: under the working directory)
//   --rounds N repetitions; medians are shown (default 7)
import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync
} from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect, Layer, Result, Schema } from "effect"
import { computeCacheKey } from "../../src/domain/Call.ts"
import { canonicalJsonOf } from "../../src/domain/json/canonicalJson.ts"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { Journal } from "../../src/journal/Journal.ts"
import type { RunJournal } from "../../src/journal/RunJournal.ts"
import { describeRun } from "../../src/journal/store/RunMeta.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { bundled } from "./bundled.ts"

const calls = 1000
const option = (name: string, otherwise: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)
}
const rounds = Number(option("rounds", "7"))
const say = (line: string) => process.stdout.write(`${line}\n`)

const text = "x".repeat(700)
const keyOf = (n: number) =>
  Result.getOrThrow(computeCacheKey({ verb: "agent", prompt: `prompt ${n}`, model: "offline" }))
const keys = Array.from({ length: calls }, (_, n) => keyOf(n))
const scheduled = (n: number, reserveUsd?: number) => ({
  type: "CallScheduled" as const,
  n: n + 1,
  key: keys[n] ?? keyOf(n),
  occurrence: 1,
  call: { verb: "agent", prompt: `prompt ${n}`, model: "offline" },
  ...(reserveUsd === undefined ? {} : { reserveUsd })
})
const completed = (n: number) => ({
  type: "CallCompleted" as const,
  key: keys[n] ?? keyOf(n),
  occurrence: 1,
  result: {
    ok: true,
    adapterId: "offline",
    modelId: "offline",
    requestId: `r-${n}`,
    durationMs: 0,
    text,
    finishReason: "stop",
    usage: { inputTokens: 10, outputTokens: 20 },
    costUsd: 0,
    attempts: 1
  }
})

const run = Result.getOrThrow(
  describeRun({ spec: { goal: "bench", plan: [] }, versions: { engine: "0", node: "0", v8: "0", icu: "0" } })
)
const { runId } = run.meta

const withJournal = <A, E>(
  dir: string,
  self: (store: typeof Journal.Service) => Effect.Effect<A, E, import("effect").Scope.Scope>
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        Effect.flatMap(Journal, self),
        Journal.layer({ baseDir: dir }).pipe(Layer.provide(Layer.merge(nodeFs.layer, nodeHost.layer)))
      )
    )
  )

const numbers = Array.from({ length: calls }, (_, n) => n)

const oneCall = (journal: RunJournal, n: number, paid: boolean) =>
  Effect.gen(function* () {
    yield* journal.append(scheduled(n, paid ? 0.01 : undefined))
    if (paid) yield* journal.commit
    yield* journal.append(completed(n))
    yield* journal.commit
  })

/** Times the calls alone, not the making of the run. Microseconds a call. */
const ours = (dir: string, concurrency: number, paid: boolean, count = calls) =>
  withJournal(dir, (store) =>
    Effect.gen(function* () {
      const journal = yield* store.create(run)
      yield* journal.append({ type: "RunStarted", runId, v: 1, concurrency })
      yield* journal.commit
      const began = performance.now()
      const all = count === calls ? numbers : Array.from({ length: count }, (_, n) => n)
      yield* Effect.forEach(all, (n) => oneCall(journal, n, paid), { concurrency, discard: true })
      return ((performance.now() - began) * 1000) / count
    })
  )

/** The records of one call as the bare loops write them: the same bytes, chained by hash. */
const records = () => {
  let prev = "0".repeat(64)
  let seq = 0
  return (body: object): Buffer => {
    const line = canonicalJsonOf({ seq: ++seq, at: 1_700_000_000_000, prev, ...body })
    prev = sha256(line)
    return Buffer.from(`${line}\n`)
  }
}

const openLog = (dir: string) =>
  openSync(`${dir}/bare.jsonl`, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND, 0o600)

/** The floor of one call after the other: hash, write, fdatasync; once for a free call, twice for a paid one. */
const bareAlone = (dir: string, paid: boolean) => {
  const log = openLog(dir)
  const record = records()
  const began = performance.now()
  for (const n of numbers) {
    const intent = record(scheduled(n, paid ? 0.01 : undefined))
    if (paid) {
      writeSync(log, intent)
      fdatasyncSync(log)
      writeSync(log, record(completed(n)))
    } else writeSync(log, Buffer.concat([intent, record(completed(n))]))
    fdatasyncSync(log)
  }
  const micros = ((performance.now() - began) * 1000) / calls
  closeSync(log)
  return micros
}

/** The floor of many at once: whoever comes while a sync is under way shares the next. */
const bareGroup = async (dir: string, concurrency: number) => {
  const log = openLog(dir)
  const record = records()
  const sync = promisify(fdatasync)
  let pending: Array<Buffer> = []
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  const commit = () => {
    next ??= last.then(async () => {
      // Whoever is ready in this turn joins.
      await new Promise((resolve) => setImmediate(resolve))
      next = undefined
      const bytes = Buffer.concat(pending)
      pending = []
      writeSync(log, bytes)
      await sync(log)
    })
    last = next
    return next
  }
  let n = 0
  const worker = async () => {
    while (n < calls) {
      const call = n++
      pending.push(record(scheduled(call)), record(completed(call)))
      await commit()
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: concurrency }, worker))
  const micros = ((performance.now() - began) * 1000) / calls
  closeSync(log)
  return micros
}

/** Opening a run and reading every answer in order, as a replay does. Milliseconds for all calls. */
const ourReplay = (dir: string) => {
  const began = performance.now()
  return withJournal(dir, (store) =>
    Effect.gen(function* () {
      const journal = yield* store.open(runId, "read")
      const { completed } = journal.state()
      for (let rank = 0; rank < completed.length; rank++) {
        yield* journal.readResultText(completed.at(rank) ?? "")
      }
      return performance.now() - began
    })
  )
}

const bareReplay = (dir: string) => {
  const began = performance.now()
  const lines = readFileSync(`${dir}/runs/${runId}/events.jsonl`, "utf8").split("\n")
  for (const line of lines) {
    if (line === "") continue
    sha256(line)
    JSON.parse(line)
  }
  return performance.now() - began
}

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface Measured {
  readonly ours: number
  readonly floor: number
  /** Median of the rounds' own ratios: both sides of a round see the same weather. */
  readonly ratio: number
  readonly spread: number
}

/** Ours and the floor in turn, each first in every second round. */
const sideBySide = async (
  parent: string,
  measure: (dir: string) => Promise<number> | number,
  floor: (dir: string) => Promise<number> | number,
  dependent = false
): Promise<Measured> => {
  const seen: Array<{ readonly ours: number; readonly floor: number }> = []
  for (let round = 0; round < rounds; round++) {
    const dir = mkdtempSync(`${parent}/alembic-bench-`)
    const first = round % 2 === 1 && !dependent ? await floor(dir) : undefined
    const ours = await measure(dir)
    seen.push({ ours, floor: first ?? (await floor(dir)) })
    rmSync(dir, { recursive: true, force: true })
  }
  const all = seen.map(({ ours }) => ours)
  return {
    ours: median(all),
    floor: median(seen.map(({ floor }) => floor)),
    ratio: median(seen.map(({ floor, ours }) => ours / floor)),
    spread: Math.max(...all) - Math.min(...all)
  }
}

let missed = false
const row = (
  name: string,
  unit: string,
  { floor, ours, ratio, spread }: Measured,
  bound: { readonly ratio?: number; readonly most?: number }
) => {
  const ok =
    (bound.ratio === undefined || ratio <= bound.ratio) && (bound.most === undefined || ours <= bound.most)
  if (!ok) missed = true
  const limit = [
    ...(bound.ratio === undefined ? [] : [`≤ ${bound.ratio}×`]),
    ...(bound.most === undefined ? [] : [`≤ ${bound.most} ${unit}`])
  ].join(", ")
  const number = (value: number) => value.toFixed(1).padStart(9)
  say(
    `${name.padEnd(44)}${number(ours)} ${unit} (spread ${spread.toFixed(1)})  floor ${number(floor)} ${unit}  ${ratio.toFixed(2)}×  ${limit} ${ok ? "ok" : "MISSED"}`
  )
}

const Used = Schema.fromJsonString(Schema.Struct({ peakMb: Schema.Number, keptKb: Schema.Number }))

/** In the child: all the calls, then the replay. */
const useMemory = async (count: number) => {
  const dir = mkdtempSync("/dev/shm/alembic-bench-")
  await ours(dir, 64, false, count)
  await withJournal(dir, (store) =>
    Effect.gen(function* () {
      const journal = yield* store.open(runId, "read")
      const { completed } = journal.state()
      for (let rank = 0; rank < completed.length; rank++) {
        yield* journal.readResultText(completed.at(rank) ?? "")
      }
      const peakMb = process.resourceUsage().maxRSS / 1024
      // What a collection frees of what lies outside the heap is freed after it.
      for (let turn = 0; turn < 4; turn++) {
        globalThis.gc?.()
        yield* Effect.sleep(5)
      }
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      say(JSON.stringify({ peakMb, keptKb: (heapUsed + arrayBuffers) / 1024 }))
    })
  )
  rmSync(dir, { recursive: true, force: true })
}

/** The peak of 1,000 calls and of 10,000, and what one call more leaves in memory while its run is open. */
const memory = async () => {
  const script = await bundled(fileURLToPath(import.meta.url))
  const used = (count: number) =>
    Schema.decodeUnknownSync(Used)(
      execFileSync(process.execPath, ["--expose-gc", script, "--memory", String(count)], { encoding: "utf8" })
    )
  const [few, many] = [used(calls), used(calls * 10)]
  rmSync(script)
  const keptBytes = ((many.keptKb - few.keptKb) * 1024) / (calls * 9)
  const ok = few.peakMb <= 150 && many.peakMb <= 150 && keptBytes <= 250
  if (!ok) missed = true
  say(
    `peak memory: ${few.peakMb.toFixed(0)} MB for ${calls} calls, ${many.peakMb.toFixed(0)} MB for ${calls * 10}  ≤ 150 MB; kept a call: ${keptBytes.toFixed(0)} bytes  ≤ 250  ${ok ? "ok" : "MISSED"}`
  )
}

const main = async () => {
  const disk = option("dir", process.cwd())
  say(`${calls} calls of 1 KB, median of ${rounds}; disk: the file system of --dir, tmpfs: /dev/shm`)
  // Both sides warm, so that neither is measured while it is compiled.
  for (let n = 0; n < 10; n++)
    await sideBySide(
      "/dev/shm",
      (dir) => ours(dir, 64, false),
      (dir) => bareGroup(dir, 64)
    )
  for (const [where, parent] of [
    ["disk", disk],
    ["tmpfs", "/dev/shm"]
  ] as const) {
    const onDisk = where === "disk"
    row(
      `${where}: one after the other, free`,
      "µs",
      await sideBySide(
        parent,
        (dir) => ours(dir, 1, false),
        (dir) => bareAlone(dir, false)
      ),
      onDisk ? { ratio: 1.5 } : { most: 250 }
    )
    row(
      `${where}: one after the other, paid (two syncs)`,
      "µs",
      await sideBySide(
        parent,
        (dir) => ours(dir, 1, true),
        (dir) => bareAlone(dir, true)
      ),
      onDisk ? { ratio: 1.5 } : { most: 250 }
    )
    row(
      `${where}: 64 in flight, free`,
      "µs",
      await sideBySide(
        parent,
        (dir) => ours(dir, 64, false),
        (dir) => bareGroup(dir, 64)
      ),
      onDisk ? { ratio: 3 } : { most: 40 }
    )
  }
  row(
    "replay: open, check, read every answer",
    "ms",
    await sideBySide(
      "/dev/shm",
      async (dir) => {
        await ours(dir, 64, false)
        return ourReplay(dir)
      },
      bareReplay,
      true
    ),
    { ratio: 3 }
  )
  await memory()
  process.exitCode = missed ? 1 : 0
}

const inChild = option("memory", "")
await (inChild === "" ? main() : useMemory(Number(inChild)))
