// What the host takes of memory does not grow with what a run writes: notes, prompts, answers and results of some
// megabytes each, a few of them and four times as many, through every command that reads a journal.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { finish } from "../support/commandProcess.ts"
import { planFolder } from "../support/planFolder.ts"

/** So much heap that a few of them fit at one time, and not the few times four. */
const heapMb = 160
const options = `--import ${new URL("../support/peak.mjs", import.meta.url).href} --max-old-space-size=${heapMb}`

const few = 6

it.live(
  "the host's peak is that of a few long texts, however many there are",
  () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "GOAL.md": "Long texts.\n",
        "fixtures.json": JSON.stringify({ rules: [], default: { text: "echo:{{prompt}}" } }),
        "alembic.plan.ts": `export const run = async (h, { args }) => {
  const long = "x".repeat(3e6)
  for (let n = 0; n < args.n; n++) {
    h.log("note " + n, long + n)
    await h.agent("call " + n + long)
  }
  return long
}\n`
      })
      const peakOf = (...args: ReadonlyArray<string>) =>
        Effect.map(finish({ cwd, env: { NODE_OPTIONS: options } }, ...args), ({ code, err }) => {
          assert.strictEqual(code, 0, `${args.join(" ")}: ${err.slice(0, 2000)}`)
          return Math.max(...Array.from(err.matchAll(/^peak (\d+)$/gm), ([, kib]) => Number(kib)))
        })
      const peaks = (n: number) =>
        Effect.forEach(
          [
            ["run", "--offline-fixtures", "fixtures.json", "--args", JSON.stringify({ n })],
            [
              "run",
              "--json",
              "--fresh",
              "--offline-fixtures",
              "fixtures.json",
              "--args",
              JSON.stringify({ n })
            ],
            ["replay", "@last"],
            ["verify", "@last"],
            ["inspect", "@last"],
            ["list"]
          ],
          (args) => Effect.map(peakOf(...args), (kib) => ({ args, kib }))
        )
      const small = yield* peaks(few)
      const large = yield* peaks(few * 4)
      for (const [at, { args, kib }] of large.entries()) {
        const before = small[at]?.kib ?? 0
        assert.isAtMost(kib / before, 1.4, `${args.join(" ")}: ${before} KiB, then ${kib} KiB`)
      }
    }),
  600_000
)
