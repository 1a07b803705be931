// Signals to a command whose main thread is blocked for good: no handler of JavaScript can run. Each must end all the
// same, by real signals, with what is journaled safe.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { commandTable } from "../../src/cli/commandTable.ts"
import { finish, start, summaryOf, type Running } from "../support/commandProcess.ts"
import { planFolder } from "../support/planFolder.ts"

const blocks = `--import ${new URL("../support/blocks.mjs", import.meta.url).href}`

/** When the command says `text` on stderr; dies if it ends before. */
const says = ({ child, ended }: Running, text: string) =>
  Effect.raceFirst(
    Effect.callback<void>((resume) => {
      child.stderr?.on("data", (chunk: string) => {
        if (chunk.includes(text)) resume(Effect.void)
      })
    }),
    Effect.flatMap(ended, ({ code, err }) => Effect.die(`ended with ${code}: ${err}`))
  )

/** The command, when its main thread has blocked in the first write with `text`. */
const blocked = (cwd: string, text: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const running = yield* start({ cwd, env: { NODE_OPTIONS: blocks, BLOCK_AT: text } }, ...args)
    yield* says(running, "blocked\n")
    return running
  })

/** Sends the signals, each after it is known that the one before was heard: two of a kind at once are one. */
const signalled = (running: Running, first: NodeJS.Signals, second?: NodeJS.Signals) =>
  Effect.gen(function* () {
    running.child.kill(first)
    if (second !== undefined) {
      yield* says(running, "a second signal ends it at once")
      running.child.kill(second)
    }
    return yield* running.ended
  })

const folder = planFolder({
  "GOAL.md": "Two calls.\n",
  "alembic.plan.ts": `export const run = async (h) => [(await h.agent("one")).ok, (await h.agent("two")).ok]\n`
})

/** Commands that hold signals. */
const holding: ReadonlySet<string> = new Set(["run", "resume", "fork", "council", "ask"])

/** What each of the others needs to say a first word, be it that it cannot. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  switch (name) {
    case "init":
    case "list":
    case "gc":
    case "doctor":
    case "models":
    case "trust":
    case "questions":
    case "parked":
    case "serve":
      return [name]
    case "check":
      return [name, "alembic.plan.ts"]
    case "answer":
      return [name, "@last", "q-1", "yes"]
    case "approve":
      return [name, "@last", "publish"]
    case "export":
      return [name, "@last", "run.tgz"]
    case "import":
      return [name, "none.tgz"]
    case "check-claims":
      return [name, "none.json"]
    default:
      return [name, "@last"]
  }
}

describe("a command with nothing to put away", () => {
  const names = Object.keys(commandTable).filter((name) => !holding.has(name))
  const all = [...names.map(wordsOf), ["--help"], ["--version"], ["run", "--help"]]
  it.live(`ends at once by one signal while its main thread is blocked: ${all.length} of them`, () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      assert.strictEqual((yield* finish(cwd, "run", "--json")).code, 0)
      for (const [at, args] of all.entries()) {
        const signal = at % 2 === 0 ? "SIGTERM" : "SIGINT"
        const ended = yield* Effect.scoped(
          Effect.flatMap(blocked(cwd, "", ...args), (running) => signalled(running, signal))
        )
        assert.strictEqual(ended.code, signal, args.join(" "))
      }
    })
  )
})

describe("a run whose main thread is blocked", () => {
  const runOf = (cwd: string): string => readdirSync(`${cwd}/.alembic/runs`)[0] ?? ""
  const cases: ReadonlyArray<
    readonly [what: string, signals: readonly [NodeJS.Signals, NodeJS.Signals?], code: number]
  > = [
    ["SIGINT twice", ["SIGINT", "SIGINT"], 130],
    ["SIGTERM once", ["SIGTERM"], 143],
    ["SIGTERM after SIGINT", ["SIGINT", "SIGTERM"], 143]
  ]
  for (const [what, signals, code] of cases) {
    it.live(`${what} ends it with ${code}; its journal is sound and it goes on`, () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const running = yield* blocked(cwd, `"type":"CallCompleted"`, "run", "--json")
        assert.strictEqual((yield* signalled(running, ...signals)).code, code)
        assert.strictEqual((yield* finish(cwd, "verify", runOf(cwd))).code, 0)
        const again = yield* finish(cwd, "run", "--json")
        assert.deepNestedInclude(summaryOf(again), { status: "completed", "calls.replayed": 1 })
      })
    )
  }

  it.live("one signal ends it before it has begun", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "GOAL.md": "No run.\n",
        "alembic.plan.ts": `export const run = async (h) => Date.now()\n`
      })
      const running = yield* blocked(cwd, "", "run", "--json")
      assert.strictEqual((yield* signalled(running, "SIGINT")).code, 130)
      assert.throws(() => readdirSync(fileURLToPath(new URL(`file://${cwd}/.alembic/runs`))))
    })
  )
})
