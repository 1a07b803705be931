// Signals, with a real process: the first one is held or ends the command, the second one ends the process at once.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../support/signalled.ts", import.meta.url))

/** Sends `signals`, each after the line before it was said; answers with the lines and the exit code. */
const signalled = (how: "held" | "unheld", signals: ReadonlyArray<NodeJS.Signals>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [script, how], { stdio: ["ignore", "pipe", "inherit"] })
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
    const lines: Array<string> = []
    const left = [...signals]
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      const next = left.shift()
      if (next !== undefined) child.kill(next)
    }
    return { lines, code: await closed }
  })

describe("signals", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    it.live(`a first ${signal} that nobody holds ends the command with ${code}`, () =>
      Effect.map(signalled("unheld", [signal]), (ended) =>
        assert.deepStrictEqual(ended, { lines: ["ready", `unheld ${signal}`], code })
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
