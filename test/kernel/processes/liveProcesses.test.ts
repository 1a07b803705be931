// Processes that must not outlive the one that started them: real ones, whose end is that of the pipe they hold.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../support/leavesBehind.ts", import.meta.url))

/** Its exit code, once nobody holds its stdout. */
const exitOf = (...args: ReadonlyArray<string>) =>
  Effect.callback<number | null>((resume) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "ignore"] })
    child.stdout.resume()
    child.on("close", (code) => resume(Effect.succeed(code)))
  })

describe("watched processes", () => {
  for (const what of ["process", "group"] as const) {
    it.live(`a ${what} is gone when the one that started it exits at once`, () =>
      Effect.map(exitOf("exit", what), (code) => assert.strictEqual(code, 3))
    )
    it.live(`a ${what} is gone when an error ends the one that started it`, () =>
      Effect.map(exitOf("throw", what), (code) => assert.strictEqual(code, 1))
    )
  }
})
