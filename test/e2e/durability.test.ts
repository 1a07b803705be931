// The durability cases that need real processes, by their numbers: who may work on a run, signals at any moment, and
// a replay somewhere else. The server's own count is the witness of what was paid twice.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { finish, start, summaryOf } from "../support/commandProcess.ts"
import { finishElsewhere } from "../support/elsewhere.ts"
import { modelServer, type ModelServer } from "../support/ModelServer.ts"
import { planFolder } from "../support/planFolder.ts"
import { dice } from "../support/dice.ts"

/** Two calls one after the other, four at once, one at the end: seven, in nineteen events. */
const plan = `
export const run = async (h, input) => {
  h.phase("One")
  const first = await h.agent("first")
  const second = await h.agent("second " + first.text)
  h.phase("Four")
  const four = await h.parallel([1, 2, 3, 4].map((n) => () => h.agent("fan " + n)))
  h.phase("Last")
  const last = await h.agent("last " + four.map((one) => one.text).join(","))
  return { second: second.text, last: last.text, price: (1234.5).toLocaleString(), day: String(new Date(0)) }
}
`
const files = { "GOAL.md": "Seven calls.\n", "alembic.plan.ts": plan }
const calls = 7

const flags = ({ baseUrl }: ModelServer) => [
  "--model",
  "openai-compatible:m",
  "--base-url",
  baseUrl,
  "--yes",
  "--json"
]
const going = (server: ModelServer) => ["resume", "@last", "--base-url", server.baseUrl, "--yes", "--json"]

const runDirectory = (cwd: string, base = ".alembic"): string =>
  join(cwd, base, "runs", readdirSync(join(cwd, base, "runs"))[0] ?? "")
const linesOf = (cwd: string): ReadonlyArray<string> =>
  readFileSync(join(runDirectory(cwd), "events.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)

/** Prompts that have an answer in the journal. */
const answeredIn = (cwd: string): ReadonlyArray<string> => {
  const prompts = new Map<string, string>()
  const answered: Array<string> = []
  for (const line of linesOf(cwd)) {
    const event = JSON.parse(line)
    const id = `${event.key}#${event.occurrence}`
    if (event.type === "CallScheduled") prompts.set(id, event.call.prompt)
    if (event.type === "CallCompleted") answered.push(prompts.get(id) ?? "")
  }
  return answered
}

const times = (prompts: ReadonlyArray<string>, prompt: string) =>
  prompts.filter((one) => one === prompt).length

/** Every file below, with its content's hash and when it was written. */
const fingerprintOf = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const stat = statSync(join(path, name))
      const hash = stat.isFile()
        ? createHash("sha256")
            .update(readFileSync(join(path, name)))
            .digest("hex")
        : ""
      return `${name} ${stat.mtimeMs} ${hash}`
    })

/** A run that was killed when its second request was out: one answer is kept. */
const killedRun = Effect.fnUntraced(function* (cwd: string, server: ModelServer) {
  server.hold((prompt) => prompt.startsWith("second"))
  const reached = yield* Effect.forkChild(server.nth(2), { startImmediately: true })
  const { child, ended } = yield* start(cwd, "run", ...flags(server))
  yield* Fiber.join(reached)
  child.kill("SIGKILL")
  yield* ended
  server.hold(() => false)
})

const startOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}
const boot = () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()

describe("F01: a torn last line", () => {
  it.live("is told once, with the byte it was cut at, and stands in nobody's way", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      yield* killedRun(cwd, server)
      const log = join(runDirectory(cwd), "events.jsonl")
      const { size } = statSync(log)
      appendFileSync(log, `{"seq":99,"at"`)
      const said = yield* finish(cwd, ...going(server))
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.err, new RegExp(`14 bytes after byte ${size} were cut off`))
      for (const line of said.out.trim().split("\n")) assert.isObject(JSON.parse(line))
      assert.strictEqual(times(server.prompts, "first"), 1)
      assert.notInclude((yield* finish(cwd, ...going(server))).err, "cut off")
      assert.strictEqual((yield* finish(cwd, "verify", "@last")).code, 0)
    })
  )
})

describe("F22, F23: several processes and one run", () => {
  for (const many of [2, 4, 8]) {
    it.live(
      `${many} resume at once what was killed: one works, the others say who, nothing is paid twice`,
      () =>
        Effect.gen(function* () {
          const cwd = yield* planFolder(files)
          const server = yield* modelServer
          yield* killedRun(cwd, server)
          const before = [...server.prompts]
          const answered = answeredIn(cwd)
          assert.deepStrictEqual(answered, ["first"])
          // The one that works is kept at it until all others have ended.
          server.hold((prompt) => prompt.startsWith("second"))
          const asked = yield* Effect.forkChild(server.nth(1), { startImmediately: true })
          const started = yield* Effect.forEach(
            Array.from({ length: many }),
            () => start(cwd, ...going(server)),
            {
              concurrency: many
            }
          )
          const working = yield* Fiber.join(asked)
          const ends = started.map(({ ended }, index) => Effect.map(ended, (end) => ({ end, index })))
          const others = yield* Effect.forEach(ends, (ended) => Effect.forkChild(ended))
          // All but one end by themselves.
          const locked: Array<number> = []
          const first = yield* Effect.raceAll(others.map((fiber) => Fiber.join(fiber)))
          assert.strictEqual(first.end.code, 5, first.end.out)
          yield* working.answer
          server.hold(() => false)
          for (const fiber of others) {
            const { end } = yield* Fiber.join(fiber)
            const summary = summaryOf(end)
            if (summary["status"] === "completed") continue
            assert.deepNestedInclude(summary, { status: "locked", "error.code": "run_locked" })
            assert.match(JSON.stringify(summary["error"]), /held by process \d+/)
            locked.push(end.code === 5 ? 1 : 0)
          }
          // Whoever came after the work was done found it done; nobody else worked.
          assert.isAtLeast(locked.length, 1)
          assert.strictEqual(server.prompts.length - before.length, calls - answered.length)
          assert.strictEqual(times(server.prompts, "first"), 1)
          const log = linesOf(cwd)
          assert.deepStrictEqual(
            log.map((line) => JSON.parse(line).seq),
            log.map((_, index) => index + 1)
          )
          const again = yield* finish(cwd, ...going(server))
          assert.strictEqual(again.code, 0, again.err)
          assert.deepStrictEqual(linesOf(cwd), log)
        })
    )
  }
})

describe.skipIf(process.platform !== "linux")("F24, F25: whose lock it is", () => {
  it.live(
    "F24: a lock of a pid that is somebody else's by now, or that cannot be read, holds nothing up",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const server = yield* modelServer
        yield* killedRun(cwd, server)
        const lock = join(runDirectory(cwd), "lock")
        const self = { pid: process.pid, started: "1", boot: boot(), host: hostname() }
        for (const content of [JSON.stringify(self), `{"pid":`, JSON.stringify({ ...self, pid: 1 })]) {
          writeFileSync(lock, content)
          const said = yield* finish(cwd, ...going(server))
          assert.strictEqual(said.code, 0, content)
        }
        assert.strictEqual(server.prompts.length, calls + 1)
      })
  )

  it.live("F25: a live owner keeps it, however old it is, and nothing is written meanwhile", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      yield* killedRun(cwd, server)
      const sleeper = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["600"], { stdio: "ignore" })),
        (child) => Effect.sync(() => void child.kill("SIGKILL"))
      )
      const pid = sleeper.pid ?? 0
      const lock = join(runDirectory(cwd), "lock")
      writeFileSync(lock, JSON.stringify({ pid, started: startOf(pid), boot: boot(), host: hostname() }))
      utimesSync(lock, 0, 0)
      const before = fingerprintOf(runDirectory(cwd))
      const asked = server.prompts.length
      const said = yield* finish(cwd, ...going(server))
      assert.strictEqual(said.code, 5)
      assert.include(JSON.stringify(summaryOf(said)["error"]), `process ${pid}`)
      assert.deepStrictEqual(fingerprintOf(runDirectory(cwd)), before)
      assert.strictEqual(server.prompts.length, asked)
    })
  )
})

describe("F42: a signal at any moment", () => {
  const random = dice(42)
  const moments = Array.from({ length: 20 }, (_, index) => ({
    // Every event there is once, and two more; in an order that follows from the seed.
    line: index < 18 ? index + 1 : 1 + random.below(18),
    signal: index % 2 === 0 ? ("SIGINT" as const) : ("SIGTERM" as const),
    twice: index % 5 === 4
  }))

  it.live(
    "at twenty moments, once or twice: exits 130 or 143, the log is sound, and resume goes on to the same result",
    () =>
      Effect.gen(function* () {
        const golden = yield* Effect.gen(function* () {
          const cwd = yield* planFolder(files)
          const server = yield* modelServer
          return summaryOf(yield* finish(cwd, "run", ...flags(server)))["result"]
        })
        let stopped = 0
        for (const { line, signal, twice } of moments) {
          const what = `${signal} at event ${line}${twice ? ", twice" : ""}`
          const cwd = yield* planFolder(files)
          const server = yield* modelServer
          const { child, ended } = yield* start(cwd, "run", ...flags(server))
          let lines = 0
          child.stdout?.on("data", (chunk: string | Buffer) => {
            for (const byte of String(chunk)) {
              if (byte !== "\n" || ++lines !== line) continue
              child.kill(signal)
              if (twice) child.kill(signal)
            }
          })
          const { code } = yield* ended
          // What had ended before the signal came has ended.
          if (code !== 0) {
            stopped++
            assert.strictEqual(code, signal === "SIGINT" ? 130 : 143, what)
          }
          const answered = answeredIn(cwd)
          const before = answered.map((prompt) => times(server.prompts, prompt))
          const resumed = yield* finish(cwd, ...going(server))
          assert.strictEqual(resumed.code, 0, `${what}: ${resumed.err}`)
          assert.deepStrictEqual(summaryOf(resumed)["result"], golden, what)
          assert.deepStrictEqual(
            answered.map((prompt) => times(server.prompts, prompt)),
            before,
            what
          )
          assert.strictEqual((yield* finish(cwd, "verify", "@last", "--json")).code, 0, what)
        }
        assert.isAtLeast(stopped, 10)
      }).pipe(Effect.scoped),
    300_000
  )
})

describe("F46: a replay somewhere else", () => {
  it.live(
    "in another folder, time zone and locale, read-only, with no network: the same bytes, nothing touched",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const other = yield* planFolder({ "elsewhere.txt": "" })
        const server = yield* modelServer
        assert.strictEqual((yield* finish(cwd, "run", ...flags(server))).code, 0)
        const asked = server.prompts.length
        const base = join(cwd, ".alembic")
        const before = fingerprintOf(base)
        for (const form of [["--json"], []]) {
          const args = ["replay", "@last", "--base-dir", base, ...form]
          const here = yield* finishElsewhere({ cwd }, ...args)
          assert.strictEqual(here.code, 0, here.err)
          assert.include(here.out, "identical")
          for (const env of [
            { TZ: "Asia/Kathmandu", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
            { TZ: "America/St_Johns", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }
          ]) {
            const there = yield* finishElsewhere({ cwd: other, env, readOnly: base, offline: true }, ...args)
            assert.strictEqual(there.code, 0, there.err)
            assert.strictEqual(there.out, here.out)
          }
        }
        assert.deepStrictEqual(fingerprintOf(base), before)
        assert.strictEqual(server.prompts.length, asked)
      })
  )

  it.live("F19: a directory that cannot be written is not resumed, and nothing is asked of anybody", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      yield* killedRun(cwd, server)
      const base = join(cwd, ".alembic")
      const before = fingerprintOf(base)
      const asked = server.prompts.length
      const said = yield* finishElsewhere({ cwd, readOnly: base }, ...going(server))
      assert.strictEqual(said.code, 2, said.out)
      assert.deepNestedInclude(summaryOf(said), { status: "invalid", "error.code": "read_only" })
      assert.deepStrictEqual(fingerprintOf(base), before)
      assert.strictEqual(server.prompts.length, asked)
    })
  )
})

describe("two machines", () => {
  it.live(
    "a hermetic run exports to the same bytes, wherever, in whatever time zone and locale it was made",
    () =>
      Effect.gen(function* () {
        const archives: Array<Buffer> = []
        for (const env of [
          { TZ: "UTC", LANG: "C" },
          { TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }
        ]) {
          const cwd = yield* planFolder(files)
          const run = yield* finishElsewhere({ cwd, env, offline: true }, "run", "--hermetic", "--json")
          assert.strictEqual(run.code, 0, run.err)
          const said = yield* finishElsewhere({ cwd, env }, "export", "@last", "--to", "a.tar", "--json")
          assert.strictEqual(said.code, 0, said.err)
          const bytes = readFileSync(join(cwd, "a.tar"))
          assert.deepInclude(summaryOf(said), { sha256: createHash("sha256").update(bytes).digest("hex") })
          archives.push(bytes)
        }
        assert.strictEqual(archives.length, 2)
        assert.isTrue(archives[0]?.equals(archives[1] ?? Buffer.alloc(0)))
      })
  )

  it.live("an archive with any byte changed is refused, and nothing of it is left", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      assert.strictEqual((yield* finish(cwd, "run", "--hermetic", "--json")).code, 0)
      assert.strictEqual((yield* finish(cwd, "export", "@last", "--to", "a.tar", "--json")).code, 0)
      const archive = readFileSync(join(cwd, "a.tar"))
      const random = dice(7)
      for (let trial = 0; trial < 6; trial++) {
        const changed = Buffer.from(archive)
        const at = random.below(archive.length)
        changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
        writeFileSync(join(cwd, "b.tar"), changed)
        mkdirSync(join(cwd, "there"), { recursive: true })
        const said = yield* finish(cwd, "import", "b.tar", "--base-dir", "there", "--json")
        assert.notStrictEqual(said.code, 0, `byte ${at}`)
        assert.deepStrictEqual(
          readdirSync(join(cwd, "there"), { recursive: true, encoding: "utf8" }).filter(
            (name) => name !== "runs"
          ),
          [],
          `byte ${at}`
        )
      }
      const whole = yield* finish(cwd, "import", "a.tar", "--base-dir", "there", "--json")
      assert.strictEqual(whole.code, 0, whole.err)
    })
  )
})

describe("gc", () => {
  it.live("never removes a run that a live process works on, whatever was asked for", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      server.hold((prompt) => prompt.startsWith("second"))
      const reached = yield* Effect.forkChild(server.nth(2), { startImmediately: true })
      const { ended } = yield* start(cwd, "run", ...flags(server))
      const held = yield* Fiber.join(reached)
      const gone = yield* finish(cwd, "gc", "--keep", "0", "--unfinished", "--apply", "--json")
      assert.strictEqual(gone.code, 0, gone.out + gone.err)
      server.hold(() => false)
      yield* held.answer
      const end = yield* ended
      assert.strictEqual(end.code, 0, end.err)
      assert.strictEqual((yield* finish(cwd, "verify", "@last", "--json")).code, 0)
      const after = yield* finish(cwd, "gc", "--keep", "0", "--apply", "--json")
      assert.strictEqual(after.code, 0)
      assert.deepStrictEqual(readdirSync(join(cwd, ".alembic", "runs")), [])
    })
  )
})
