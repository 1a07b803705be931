// Signals to the whole command, with real processes below it: a first one reaches a run whose plan never goes quiet, a
// second one leaves no process behind, however little they listen to the first.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { watch } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { start, summaryOf, type Running } from "../support/commandProcess.ts"
import { lifelines } from "../support/lifelines.ts"
import { planFolder } from "../support/planFolder.ts"

const tool = fileURLToPath(new URL("../support/fakeTool.mjs", import.meta.url))

/** A folder with the command `tool`, which hangs and holds a connection to `port`. */
const toolFolder = (port: number, fault: "hang" | "ignore-sigterm") => {
  const script = Buffer.from(JSON.stringify({ fault, port })).toString("base64")
  const commands = { tool: { command: [process.execPath, tool, script], reads: "text" } }
  return planFolder({
    "GOAL.md": "One call.\n",
    "alembic.plan.ts": `export const run = async (h) => (await h.agent("work", { model: "command:tool" })).ok`,
    "alembic.json": JSON.stringify({ commands })
  })
}

/** `alembic run` of one call to a command that hangs and does not end on SIGTERM. */
const stubborn = (port: number) =>
  Effect.flatMap(toolFolder(port, "ignore-sigterm"), (cwd) => start(cwd, "run", "--yes", "--json"))

/** When the process says `text` on stderr. */
const says = ({ child }: Running, text: string) =>
  Effect.callback<void>((resume) => {
    child.stderr?.on("data", (chunk: string) => {
      if (chunk.includes(text)) resume(Effect.void)
    })
  })

/** When the process prints `text` on stdout. */
const prints = ({ child }: Running, text: string) =>
  Effect.callback<void>((resume) => {
    let seen = ""
    child.stdout?.on("data", (chunk: string) => {
      seen += chunk
      if (seen.includes(text)) resume(Effect.void)
    })
  })

/** When the run's base directory is made: signals are held by then, and the plan is about to begin. */
const keeps = (cwd: string) =>
  Effect.callback<void>((resume) => {
    const watcher = watch(cwd, (_, name) => {
      if (name !== ".alembic") return
      watcher.close()
      resume(Effect.void)
    })
    return Effect.sync(() => watcher.close())
  })

describe("a first signal", () => {
  // No plan of these ends: what ends the run is the signal, or after ten seconds the limit on a turn.
  const loops: ReadonlyArray<
    readonly [when: string, run: string, begun: (running: Running, cwd: string) => Effect.Effect<void>]
  > = [
    ["from the start", "for(;;){}", (_, cwd) => keeps(cwd)],
    [
      "after an answer",
      `await h.agent("one"); for(;;){}`,
      (running) => prints(running, `"type":"CallCompleted"`)
    ]
  ]
  for (const [when, run, begun] of loops) {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143]
    ] as const) {
      it.live(`${signal} while the plan computes without end, ${when}: interrupted, exit ${code}`, () =>
        Effect.gen(function* () {
          const cwd = yield* planFolder({
            "GOAL.md": "A loop.\n",
            "alembic.plan.ts": `export const run = async (h) => { ${run} }`
          })
          const running = yield* start(cwd, "run", "--json")
          yield* begun(running, cwd)
          running.child.kill(signal)
          const ended = yield* running.ended
          assert.strictEqual(ended.code, code, ended.err)
          const summary = summaryOf(ended)
          assert.deepNestedInclude(summary, { status: "interrupted", ok: false, "error.code": "interrupted" })
          assert.match(ended.err, /next: alembic resume run-[0-9a-f]{16}/)
        })
      )
    }
  }
})

describe("a signal to a command that is no run", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    it.live(`that is ${signal} ends it with exit code ${code} and one line that says so`, () =>
      Effect.gen(function* () {
        const { all, gone, port } = yield* lifelines(1)
        const cwd = yield* toolFolder(port, "hang")
        const running = yield* start(cwd, "ask", "work", "--model", "command:tool", "--json")
        yield* all
        running.child.kill(signal)
        const ended = yield* running.ended
        assert.strictEqual(ended.code, code, ended.err)
        assert.strictEqual(ended.out.trim().split("\n").length, 1)
        assert.deepNestedInclude(summaryOf(ended), {
          ok: false,
          status: "interrupted",
          "error.code": "interrupted"
        })
        yield* gone
      })
    )
  }
})

describe("a second signal", () => {
  for (const [second, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    it.live(
      `that is ${second} exits ${code} at once, and kills a command that does not listen to SIGTERM`,
      () =>
        Effect.gen(function* () {
          const { all, gone, port } = yield* lifelines(1)
          const running = yield* stubborn(port)
          yield* all
          const stopping = yield* Effect.forkChild(says(running, "stopping"), { startImmediately: true })
          running.child.kill("SIGINT")
          yield* Fiber.join(stopping)
          running.child.kill(second)
          assert.strictEqual((yield* running.ended).code, code)
          yield* gone
        })
    )
  }
})
