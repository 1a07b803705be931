// Signals, with a real process without a supervisor: the first one is held, the second one ends the process at once;
// one that is not held is the system's.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../support/signalled.ts", import.meta.url))

/**
 * Sends `signals`, each after the line before it was said; answers with the lines and the exit code. After a signal that
 * should end it and did not, the test runs into its time limit, and the process is killed.
 */
const signalled = (how: "held" | "unheld", signals: ReadonlyArray<NodeJS.Signals>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => spawn(process.execPath, [script, how], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) =>
      Effect.callback<{ readonly lines: ReadonlyArray<string>; readonly code: number | string | null }>(
        (resume) => {
          const lines: Array<string> = []
          const left = [...signals]
          createInterface({ input: child.stdout }).on("line", (line) => {
            lines.push(line)
            const next = left.shift()
            if (next !== undefined) child.kill(next)
          })
          child.on("close", (code, signal) => resume(Effect.succeed({ lines, code: code ?? signal })))
        }
      ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

describe("signals", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    it.live(
      `a first ${signal} that is not held any more ends the process by the system's default action`,
      () =>
        Effect.map(signalled("unheld", [signal]), (ended) =>
          assert.deepStrictEqual(ended, { lines: ["ready"], code: signal })
        )
    )

    it.live(
      `a first ${signal} that is held leaves the end to its holder, and a second one ends the process with ${code}`,
      () =>
        Effect.map(signalled("held", [signal, signal]), (ended) =>
          assert.deepStrictEqual(ended, { lines: ["ready", `held ${signal}`], code })
        )
    )
  }

  it.live("the second signal decides the code, whichever the first was", () =>
    Effect.map(signalled("held", ["SIGINT", "SIGTERM"]), ({ code }) => assert.strictEqual(code, 143))
  )
})
