// The whole of it, as a person has it: a process of the command against a real server that counts requests. What was
// answered is never asked again, whatever ends the process, and two machines write the same bytes.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { finish, start, summaryOf } from "../support/commandProcess.ts"
import { modelServer, type ModelServer } from "../support/ModelServer.ts"
import { planFolder } from "../support/planFolder.ts"

/** Two calls one after the other, four at once, one at the end: seven. */
const plan = `
export const run = async (h, input) => {
  h.phase("One")
  const first = await h.agent("first")
  const second = await h.agent("second " + first.text)
  h.phase("Four")
  const four = await h.parallel([1, 2, 3, 4].map((n) => () => h.agent("fan " + n)))
  h.phase("Last")
  const last = await h.agent("last " + four.map((one) => one.text).join(","))
  return { second: second.text, last: last.text }
}
`
const files = { "GOAL.md": "Seven calls.\n", "alembic.plan.ts": plan }
const fan = ["re: fan 1", "re: fan 2", "re: fan 3", "re: fan 4"].join(",")
const result = { second: "re: second re: first", last: `re: last ${fan}` }

const flags = ({ baseUrl }: ModelServer) => [
  "--model",
  "openai-compatible:m",
  "--base-url",
  baseUrl,
  "--yes",
  "--json"
]

/** How often each prompt was asked. */
const counts = (prompts: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const prompt of prompts) found.set(prompt, (found.get(prompt) ?? 0) + 1)
  return found
}

const runDirectory = (base: string): string => join(base, "runs", readdirSync(join(base, "runs"))[0] ?? "")
const eventsOf = (base: string): string => readFileSync(join(runDirectory(base), "events.jsonl"), "utf8")

/** Prompts that have an answer in the journal. */
const answeredIn = (base: string): ReadonlySet<string> => {
  const prompts = new Map<string, string>()
  const answered = new Set<string>()
  for (const line of eventsOf(base).split("\n").slice(0, -1)) {
    const event = JSON.parse(line)
    const id = `${event.key}#${event.occurrence}`
    if (event.type === "CallScheduled") prompts.set(id, event.call.prompt)
    if (event.type === "CallCompleted") answered.add(prompts.get(id) ?? "")
  }
  return answered
}

describe("alembic run", () => {
  it.live("makes each call once, and never again: not on a second run, a resume or a replay", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const first = yield* finish(cwd, "run", ...flags(server))
      assert.strictEqual(first.code, 0, first.err)
      assert.deepNestedInclude(summaryOf(first), {
        status: "completed",
        "calls.live": 7,
        "calls.replayed": 0
      })
      assert.deepStrictEqual(summaryOf(first)["result"], result)
      assert.strictEqual(server.prompts.length, 7)
      const again = yield* finish(cwd, "run", ...flags(server))
      assert.deepNestedInclude(summaryOf(again), {
        status: "completed",
        "calls.live": 0,
        "calls.replayed": 7
      })
      const resumed = yield* finish(cwd, "resume", "@last", "--base-url", server.baseUrl, "--yes", "--json")
      assert.deepStrictEqual(summaryOf(resumed)["result"], result)
      const replayed = yield* finish(cwd, "replay", "@last", "--json")
      assert.strictEqual(replayed.code, 0)
      assert.deepInclude(summaryOf(replayed), { type: "ReplaySummary", ok: true, identical: true })
      assert.strictEqual(server.prompts.length, 7)
    })
  )

  it.live("prints the very lines of events.jsonl, then the summary", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const { out } = yield* finish(cwd, "run", ...flags(server))
      const lines = out.trim().split("\n")
      assert.strictEqual(`${lines.slice(0, -1).join("\n")}\n`, eventsOf(join(cwd, ".alembic")))
      assert.strictEqual(JSON.parse(lines.at(-1) ?? "").type, "RunSummary")
    })
  )

  it.live("writes the same bytes in two base directories when hermetic, and replays them identical", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const one = yield* finish(cwd, "run", "--hermetic", "--json", "--base-dir", "one")
      const two = yield* finish(cwd, "run", "--hermetic", "--json", "--base-dir", "two")
      assert.strictEqual(one.code, 0, one.err)
      assert.strictEqual(two.code, 0, two.err)
      const events = eventsOf(join(cwd, "one"))
      assert.strictEqual(events, eventsOf(join(cwd, "two")))
      assert.notInclude(events, cwd)
      const replayed = yield* finish(cwd, "replay", "@last", "--json", "--base-dir", "two")
      assert.deepInclude(summaryOf(replayed), { ok: true, identical: true })
    })
  )

  for (const moment of [1, 2, 4, 6, 7]) {
    it.live(`killed at request ${moment}, goes on where it was: no answered call is asked again`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const base = join(cwd, ".alembic")
        const server = yield* modelServer
        server.hold((prompt) => server.prompts.length === moment && prompt === server.prompts[moment - 1])
        const reached = yield* Effect.forkChild(server.nth(moment), { startImmediately: true })
        const { child, ended } = yield* start(cwd, "run", ...flags(server))
        yield* Effect.andThen(
          Fiber.join(reached),
          Effect.sync(() => child.kill("SIGKILL"))
        )
        assert.strictEqual((yield* ended).code, "SIGKILL")
        const answered = answeredIn(base)
        const before = counts(server.prompts)
        server.hold(() => false)
        const resumed = yield* finish(cwd, "resume", "@last", "--base-url", server.baseUrl, "--yes", "--json")
        assert.strictEqual(resumed.code, 0, resumed.err)
        assert.deepStrictEqual(summaryOf(resumed)["result"], result)
        for (const [prompt, times] of counts(server.prompts)) {
          if (answered.has(prompt))
            assert.strictEqual(times, before.get(prompt), `${prompt} was answered, and asked again`)
          else assert.isAtMost(times, (before.get(prompt) ?? 0) + 1)
        }
        assert.deepInclude(summaryOf(yield* finish(cwd, "replay", "@last", "--json")), { identical: true })
        assert.deepInclude(summaryOf(yield* finish(cwd, "verify", "@last", "--json")), { ok: true })
      })
    )
  }

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    it.live(
      `on ${signal} stops, says what was spent and how to go on, exits ${code}, and can be resumed`,
      () =>
        Effect.gen(function* () {
          const cwd = yield* planFolder(files)
          const server = yield* modelServer
          server.hold((prompt) => prompt.startsWith("second"))
          const reached = yield* Effect.forkChild(server.nth(2), { startImmediately: true })
          const { child, ended } = yield* start(cwd, "run", ...flags(server))
          yield* Effect.andThen(
            Fiber.join(reached),
            Effect.sync(() => child.kill(signal))
          )
          const stopped = yield* ended
          assert.strictEqual(stopped.code, code, stopped.err)
          const summary = summaryOf(stopped)
          assert.deepNestedInclude(summary, { status: "interrupted", ok: false, "usage.inputTokens": 10 })
          assert.match(stopped.err, /next: alembic resume run-[0-9a-f]{16}/)
          server.hold(() => false)
          const resumed = yield* finish(
            cwd,
            "resume",
            String(summary["runId"]),
            "--base-url",
            server.baseUrl,
            "--yes",
            "--json"
          )
          assert.strictEqual(resumed.code, 0, resumed.err)
          assert.deepStrictEqual(summaryOf(resumed)["result"], result)
          assert.strictEqual(counts(server.prompts).get("first"), 1)
        })
    )
  }

  it.live("twice at once: one works, the other says who holds it and exits 5", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      server.hold((prompt) => prompt === "first")
      const reached = yield* Effect.forkChild(server.nth(1), { startImmediately: true })
      const working = yield* start(cwd, "run", ...flags(server))
      const asked = yield* Fiber.join(reached)
      const other = yield* finish(cwd, "run", ...flags(server))
      assert.strictEqual(other.code, 5, other.err)
      assert.deepNestedInclude(summaryOf(other), { status: "locked", ok: false, "error.code": "run_locked" })
      // The process that works, which the one that was started watches over.
      const holder = /process (\d+)/.exec(JSON.stringify(summaryOf(other)["error"]))?.[1] ?? ""
      assert.isTrue(existsSync(`/proc/${holder}`) || process.platform !== "linux", holder)
      yield* asked.answer
      assert.strictEqual((yield* working.ended).code, 0)
      assert.strictEqual(server.prompts.length, 7)
    })
  )

  it.live("can be followed from another terminal, event by event, to its end", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      server.hold((prompt) => prompt.startsWith("second"))
      const reached = yield* Effect.forkChild(server.nth(2), { startImmediately: true })
      const working = yield* start(cwd, "run", ...flags(server))
      const asked = yield* Fiber.join(reached)
      const tail = yield* start(cwd, "tail", "@last", "--json")
      // It has seen what is there before the run goes on.
      yield* Effect.promise(
        () => new Promise<void>((resolve) => tail.child.stdout?.once("data", () => resolve()))
      )
      yield* asked.answer
      assert.strictEqual((yield* working.ended).code, 0)
      const followed = yield* tail.ended
      assert.strictEqual(followed.code, 0, followed.err)
      const lines = followed.out.trim().split("\n")
      assert.strictEqual(`${lines.slice(0, -1).join("\n")}\n`, eventsOf(join(cwd, ".alembic")))
      assert.deepInclude(summaryOf(followed), { type: "TailSummary", ok: true, status: "completed" })
    })
  )
})
