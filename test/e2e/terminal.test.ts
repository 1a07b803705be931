// The live view in a real terminal (tmux): what stands on the screen while calls are in flight, after the terminal has
// become narrower and wider, and when the run has ended. Calls answer when the test lets them, by pipes.
import { execFileSync, spawnSync } from "node:child_process"
import { closeSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { hashOf, requirementsOf } from "../../src/cli/trust/requirements.ts"
import { buildCommand } from "../support/buildCommand.ts"
import { planFolder } from "../support/planFolder.ts"

const hasTmux = spawnSync("tmux", ["-V"]).status === 0

const plan = `export const run = async (h) => {
  h.phase("Read 東京")
  const slots = await h.parallel([1, 2].map((n) => () => h.agent(String(n), { model: "command:gate", label: "part " + n })))
  h.phase("Sum up")
  const sum = await h.agent("3", { model: "command:gate", label: "the sum of it all, in more words than fit" })
  return { parts: slots.length, sum: sum.ok ? sum.text : sum.error.code }
}`

/** A terminal of that width and height, in which a run of three calls has begun. */
const terminal = (columns: number, rows: number) =>
  Effect.gen(function* () {
    const cwd = yield* planFolder({ "GOAL.md": "Watch\n", "alembic.plan.ts": plan })
    const config = JSON.stringify({
      commands: { gate: { command: ["/bin/sh", "-c", `cat '${join(cwd, "gate")}'$0`, "{{prompt}}"] } }
    })
    writeFileSync(join(cwd, "alembic.json"), config)
    for (const n of [1, 2, 3]) execFileSync("mkfifo", [join(cwd, `gate${n}`)])
    const tmux = (...args: ReadonlyArray<string>) =>
      execFileSync("tmux", ["-S", join(cwd, "socket"), "-f", "/dev/null", ...args], { encoding: "utf8" })
    const trusted = hashOf(requirementsOf({ config }))
    const command = `cd '${cwd}' && NO_COLOR=1 ALEMBIC_TRUST=${trusted} '${process.execPath}' '${buildCommand()}' run --yes; echo END; cat`
    yield* Effect.acquireRelease(
      Effect.sync(() => tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), command)),
      () => Effect.sync(() => spawnSync("tmux", ["-S", join(cwd, "socket"), "kill-server"]))
    )
    // With what has scrolled away: tmux moves lines there when a narrower window wraps them.
    const screen = Effect.sync(() =>
      tmux("capture-pane", "-p", "-S", "-200")
        .trimEnd()
        .replaceAll(/ *\d+(?:\.\d+)? (?:ms|s)\b/g, " T")
        .replaceAll(/run-[0-9a-f]{16}/g, "RUN")
        .split("\n")
        .map((line) => line.trimEnd())
    )
    /** The screen, once it holds for it. */
    const until = (holds: (lines: ReadonlyArray<string>) => boolean) =>
      Effect.flatMap(screen, (lines) =>
        holds(lines) ? Effect.succeed(lines) : Effect.fail(new Error(`the screen is\n${lines.join("\n")}`))
      ).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 400 }))
    /** Lets a call answer. */
    const answer = (n: number, text: string) =>
      Effect.sync(() => {
        const pipe = openSync(join(cwd, `gate${n}`), "w")
        writeFileSync(pipe, text)
        closeSync(pipe)
      })
    const resize = (width: number) => Effect.sync(() => tmux("resize-window", "-x", String(width)))
    return { answer, resize, until }
  })

const holds = (text: string) => (lines: ReadonlyArray<string>) => lines.some((line) => line.includes(text))
const count = (lines: ReadonlyArray<string>, text: string): number =>
  lines.filter((line) => line.includes(text)).length

describe.skipIf(!hasTmux)("the live view in a terminal", () => {
  it.live("shows what is in flight, stays whole through resizes, and leaves a record", () =>
    Effect.gen(function* () {
      const { answer, resize, until } = yield* terminal(80, 24)
      const first = yield* until(holds("T  part 2"))
      assert.deepStrictEqual(first.slice(first.indexOf("run RUN"), first.indexOf("run RUN") + 5), [
        "run RUN",
        "▸ Read 東京",
        "▸ Read 東京  0 of 2",
        " T  part 1",
        " T  part 2"
      ])
      yield* resize(30)
      const narrow = yield* until((lines) => lines.some((line) => line.endsWith("…")))
      assert.strictEqual(count(narrow, "part 1"), 1, narrow.join("\n"))
      yield* answer(1, "one")
      const one = yield* until(holds("1 of 2"))
      assert.deepStrictEqual([count(one, "part 1"), count(one, "part 2")], [0, 1], one.join("\n"))
      yield* resize(200)
      yield* answer(2, "two")
      const summing = yield* until(holds("the sum of it all, in more words than fit"))
      assert.strictEqual(count(summing, "2 of 2"), 1, summing.join("\n"))
      assert.strictEqual(count(summing, "0 of 1"), 1, summing.join("\n"))
      yield* answer(3, "three")
      const record = yield* until(holds("END"))
      const from = record.indexOf("run RUN")
      assert.deepStrictEqual(
        record.slice(from, from + 4).map((line) => line.split("  ")[0]),
        ["run RUN", "▸ Read 東京", "▸ Sum up", "completed RUN"]
      )
      assert.deepStrictEqual(record.slice(-5), ["{", '  "parts": 2,', '  "sum": "three"', "}", "END"])
    }).pipe(Effect.scoped)
  )

  for (const columns of [30, 200])
    it.live(`wraps no line at ${columns} columns`, () =>
      Effect.gen(function* () {
        const { answer, until } = yield* terminal(columns, 24)
        yield* until(holds("T  part 2"))
        yield* answer(1, "one")
        yield* answer(2, "two")
        const lines = yield* until(holds("the sum of it"))
        const view = lines.slice(lines.findIndex((line) => line.includes("2 of 2")))
        assert.strictEqual(view.length, 4, lines.join("\n"))
        assert.match(view[1] ?? "", /^▸ Sum up {2}0 of 1/)
        yield* answer(3, "three")
        yield* until(holds("END"))
      }).pipe(Effect.scoped)
    )
})
