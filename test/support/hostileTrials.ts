// Trials of what came from elsewhere: a run driven by a hostile process, and an archive that was bent. Each is a function
// of its seed, and answers with what is wrong; undefined if nothing is.
import { Cause, Effect, Exit, Option, Result } from "effect"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { executeRun } from "../../src/engine/run/executeRun.ts"
import { runOptions } from "../../src/engine/run/RunOptions.ts"
import { replayJournal } from "../../src/engine/replay/replayRun.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { JournalError } from "../../src/journal/JournalError.ts"
import { describeRun } from "../../src/journal/store/RunMeta.ts"
import {
  blockBytes,
  readTarHeader,
  tarEnd,
  tarHeader,
  tarPadding
} from "../../src/journal/maintenance/tar.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { dice, type Dice } from "./dice.ts"
import { engineOn } from "./engineLayer.ts"
import { hostileDriver, oddValue, ofSameKind } from "./hostileTurns.ts"
import { paidRegistry } from "./paidRegistry.ts"

const spec = { goal: "g", plan: [], program: "hostile", models: { default: "paid:m" } }
const patience = "60 seconds"

const execute = (random: Dice, bend?: number) =>
  Effect.gen(function* () {
    const versions = yield* EngineVersions
    return yield* executeRun({
      spec,
      describe: Effect.mapError(
        Effect.fromResult(describeRun({ spec, versions })),
        ({ message }) => new JournalError({ code: "not_canonical", path: "spec", problem: message })
      ),
      launch: Effect.sync(() => hostileDriver(random, bend)),
      options: runOptions({ concurrency: 1 + random.below(4) }, undefined, undefined)
    })
  })

const onEngine = <A, E>(
  disk: MemoryDisk,
  pid: number,
  self: Effect.Effect<A, E, Effect.Services<ReturnType<typeof execute>> | Journal>
) => Effect.provide(self, engineOn(disk, paidRegistry().layer, { pid }))

/** What is wrong with a run as it stands. */
const problemOf = Effect.fnUntraced(function* (runId: string) {
  const store = yield* Journal
  const id = yield* store.runId(runId)
  const [problem] = (yield* store.verify(id)).problems
  if (problem !== undefined) return `it does not verify: ${problem.message}`
  const opened = yield* Effect.scoped(Effect.result(store.open(id, "read")))
  return Result.isFailure(opened) ? `it does not open: ${opened.failure.message}` : undefined
})

/** Whatever dies or hangs is wrong. */
const named = <E extends { readonly message: string }, R>(self: Effect.Effect<string | undefined, E, R>) =>
  self.pipe(
    Effect.timeoutOption(patience),
    Effect.exit,
    Effect.map((exit) => {
      if (Exit.isSuccess(exit)) return Option.getOrElse(exit.value, () => "it hangs")
      return Cause.pretty(exit.cause)
    })
  )

/** A run whose process is hostile: it ends by name, its journal opens, verifies, goes on and is replayed. */
export const turnTrial = (seed: number) =>
  named(
    Effect.gen(function* () {
      const random = dice(seed)
      const disk = MemoryDisk.make()
      for (let pid = 1; pid <= 2; pid++) {
        const summary = yield* onEngine(disk, pid, execute(random))
        const { error, runId, status } = summary
        if (runId === undefined) return `the run has no name: ${JSON.stringify(summary)}`
        if (!["completed", "incomplete", "failed", "refused", "suspended"].includes(status))
          return `the run is ${status}: ${JSON.stringify(error)}`
        if (status === "failed" && (error === undefined || error.code === ""))
          return "it failed without a name"
        const wrong = yield* onEngine(disk, pid + 10, problemOf(runId))
        if (wrong !== undefined) return wrong
      }
      const replayed = yield* onEngine(
        disk,
        30,
        replayJournal(
          spec,
          Effect.sync(() => hostileDriver(dice(seed)))
        )
      )
      return replayed.type === "ReplaySummary" ? undefined : "replay says nothing"
    })
  )

type Entries = Map<string, Uint8Array>

const unpacked = (archive: Uint8Array): Entries => {
  const entries: Entries = new Map()
  for (let at = 0; at + blockBytes <= archive.length;) {
    const entry = Option.getOrUndefined(readTarHeader(archive.subarray(at, at + blockBytes)))
    if (entry === undefined) break
    at += blockBytes
    entries.set(entry.name, archive.slice(at, at + entry.size))
    at += entry.size + tarPadding(entry.size)
  }
  return entries
}

const packed = (entries: Entries): Uint8Array => {
  const parts = [...entries]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, bytes]) => [
      tarHeader({ name, size: bytes.length }),
      bytes,
      new Uint8Array(tarPadding(bytes.length))
    ])
  return Buffer.concat([...parts, tarEnd()])
}

const utf8 = new TextEncoder()
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Bends one member of a JSON object, at any depth. */
const bentJson = (random: Dice, value: unknown): unknown => {
  if (typeof value !== "object" || value === null)
    return random.below(4) > 0 ? ofSameKind(random, value) : oddValue(random)
  if (random.below(8) === 0) return oddValue(random)
  if (Array.isArray(value)) {
    const list: Array<unknown> = [...value]
    const at = random.below(list.length + 1)
    if (random.below(4) === 0) list.splice(at, 1)
    else list[at] = bentJson(random, list[at])
    return list
  }
  const names = Object.keys(value)
  const chosen = names[random.below(names.length)] ?? "x"
  const rest = Object.entries(value).filter(([name]) => name !== chosen)
  const member: unknown = Object.entries(value).find(([name]) => name === chosen)?.[1]
  return random.below(6) === 0
    ? Object.fromEntries(rest)
    : Object.fromEntries([...rest, [chosen, bentJson(random, member)]])
}

const parsed = (line: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(line)),
    () => line
  )

/** A log whose lines were bent, each naming the hash of the one before it all the same. */
const relinked = (random: Dice, log: string): string => {
  const lines = log.split("\n").filter((line) => line !== "")
  const at = random.below(lines.length)
  switch (random.below(5)) {
    case 0:
      lines.splice(at, 1)
      break
    case 1:
      lines.splice(at, 0, lines[random.below(lines.length)] ?? "")
      break
    case 2:
      lines.length = at
      break
    default:
      lines[at] = JSON.stringify(bentJson(random, parsed(lines[at] ?? ""))) ?? ""
  }
  const keepsNumbers = random.below(6) === 0
  let before = "0".repeat(64)
  return lines
    .map((line, index) => {
      const event = parsed(line)
      const linked =
        typeof event === "object" && event !== null && !Array.isArray(event)
          ? JSON.stringify({ ...event, prev: before, ...(keepsNumbers ? {} : { seq: index + 1 }) })
          : line
      before = sha256(linked)
      return `${linked}\n`
    })
    .join("")
}

const bentBytes = (random: Dice, bytes: Uint8Array): Uint8Array => {
  const at = random.below(bytes.length + 1)
  switch (random.below(4)) {
    case 0:
      return bytes.slice(0, at)
    case 1:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + random.below(600), random.below(256)),
        bytes.subarray(at)
      ])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(600))])
    default: {
      const copy = bytes.slice()
      for (let times = 1 + random.below(4); times > 0; times--)
        copy[random.below(copy.length)] = random.below(256)
      return copy
    }
  }
}

const bentArchive = (random: Dice, archive: Uint8Array): Uint8Array => {
  if (random.below(5) === 0) return bentBytes(random, archive)
  const entries = unpacked(archive)
  for (let times = 1 + random.below(2); times > 0; times--) {
    const names = [...entries.keys()]
    const log = names.find((name) => name.endsWith("events.jsonl"))
    const name = random.below(3) > 0 && log !== undefined ? log : random.pick(names)
    const bytes = entries.get(name) ?? new Uint8Array(0)
    switch (name === log ? 3 + random.below(6) : random.below(4)) {
      case 0:
        entries.delete(name)
        break
      case 1:
        entries.delete(name)
        entries.set(
          name.replace(/[^/]*$/, random.pick(["meta.json", "lock", "../x", "", "blobs/x", "a".repeat(80)])),
          bytes
        )
        break
      case 2:
        entries.set(name, bentBytes(random, bytes))
        break
      case 3: {
        const json = utf8.encode(JSON.stringify(bentJson(random, parsed(textOf(bytes)))) ?? "")
        entries.set(
          name === log || !name.includes("/blobs/") ? name : name.replace(/[^/]*$/, sha256(textOf(json))),
          json
        )
        break
      }
      default:
        entries.set(name, utf8.encode(relinked(random, textOf(bytes))))
        // What is made from the log would say that it was changed.
        if (random.below(5) > 0)
          for (const made of names.filter((one) => /(?:checkpoint|result)\.json$/.test(one)))
            entries.delete(made)
    }
    if (entries.size === 0) break
  }
  return packed(entries)
}

/** An archive that was bent: it is refused by name, or what came in opens, verifies and goes on. */
export const importTrial = (seed: number) =>
  named(
    Effect.gen(function* () {
      const random = dice(seed)
      const from = MemoryDisk.make()
      const { runId = "" } = yield* onEngine(from, 1, execute(random, 1_000))
      yield* onEngine(
        from,
        2,
        Effect.flatMap(Journal, (store) =>
          Effect.flatMap(store.runId(runId), (id) => store.export(id, "/out.tar"))
        )
      )
      const archive = bentArchive(random, from.read("/out.tar") ?? new Uint8Array(0))
      const into = MemoryDisk.make().write("/in.tar", archive)
      const imported = yield* onEngine(
        into,
        3,
        Effect.flatMap(Journal, (store) => Effect.result(store.import("/in.tar")))
      )
      if (Result.isFailure(imported))
        return imported.failure.message === "" ? "it is refused without a word" : undefined
      const wrong = yield* onEngine(into, 4, problemOf(imported.success.runId))
      if (wrong !== undefined) return `it came in, and ${wrong}`
      yield* onEngine(
        into,
        5,
        Effect.flatMap(Journal, (store) => store.list)
      )
      yield* onEngine(into, 6, execute(random, 1_000))
      return yield* onEngine(into, 7, problemOf(imported.success.runId))
    })
  )
