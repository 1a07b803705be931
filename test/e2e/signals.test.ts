// Signals to the whole command, with real processes below it: a second one leaves none of them behind, however little
// they listen to the first.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { start, type Running } from "../support/commandProcess.ts"
import { lifelines } from "../support/lifelines.ts"
import { planFolder } from "../support/planFolder.ts"

const tool = fileURLToPath(new URL("../support/fakeTool.mjs", import.meta.url))

/** `alembic run` of one call to a command that hangs and does not end on SIGTERM. It holds a connection to `port`. */
const stubborn = Effect.fnUntraced(function* (port: number) {
  const script = Buffer.from(JSON.stringify({ fault: "ignore-sigterm", port })).toString("base64")
  const commands = { tool: { command: [process.execPath, tool, script], reads: "text" } }
  const cwd = yield* planFolder({
    "GOAL.md": "One call.\n",
    "alembic.plan.ts": `export const run = async (h) => (await h.agent("work", { model: "command:tool" })).ok`,
    "alembic.json": JSON.stringify({ commands })
  })
  return yield* start(cwd, "run", "--yes", "--json")
})

/** When the process says `text` on stderr. */
const says = ({ child }: Running, text: string) =>
  Effect.callback<void>((resume) => {
    child.stderr?.on("data", (chunk: string) => {
      if (chunk.includes(text)) resume(Effect.void)
    })
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
