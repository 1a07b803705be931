// At a terminal: a paid run asks before it starts, and a run shows one line that is redrawn instead of a line a call.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Queue, Terminal } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { alembic } from "../support/commandLine.ts"
import { modelServer } from "../support/ModelServer.ts"
import { planFolder } from "../support/planFolder.ts"

const plan = `export const run = async (h) => (await h.parallel([1, 2, 3].map((n) => () => h.agent("n" + n, { label: "call " + n })))).length`
const files = { "GOAL.md": "# Goal\n", "alembic.plan.ts": plan }

/** A terminal at which somebody types these keys. */
const typing = (...keys: ReadonlyArray<string>) =>
  Layer.effect(
    Terminal.Terminal,
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput>()
      for (const name of keys)
        yield* Queue.offer(queue, {
          input: Option.some(name),
          key: { name, ctrl: false, meta: false, shift: false }
        })
      return Terminal.make({
        columns: Effect.succeed(80),
        rows: Effect.succeed(24),
        size: Effect.die("unused"),
        readLine: Effect.die("unused"),
        display: () => Effect.void,
        readInput: Effect.succeed(queue)
      })
    })
  )

const terminal = {
  canAsk: true,
  color: false,
  stdout: true,
  stderr: true,
  columns: 60,
  screen: () => ({ columns: 60, rows: 24 })
}

describe("a paid run at a terminal", () => {
  it.live("starts when the person says yes", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const said = yield* alembic(
        { cwd, host: { terminal }, terminal: typing("y") },
        "run",
        "--model",
        "openai-compatible:m",
        "--base-url",
        server.baseUrl
      )
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.err, /^spending: no cap .*; openai-compatible:m price unknown$/m)
      assert.strictEqual(server.prompts.length, 3)
    })
  )

  it.live("is not started when the person says no: exit 2, nothing asked, nothing made", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const said = yield* alembic(
        { cwd, host: { terminal }, terminal: typing("n") },
        "run",
        "--model",
        "openai-compatible:m",
        "--base-url",
        server.baseUrl
      )
      assert.strictEqual(said.code, 2)
      assert.match(said.err, /nothing was started or spent/)
      assert.deepStrictEqual(server.prompts, [])
      assert.isFalse(existsSync(join(cwd, ".alembic/runs")))
    })
  )
})

describe("the live line", () => {
  const watch = (...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const drawn: Array<string> = []
      const said = yield* alembic(
        { cwd, host: { terminal, redraw: (line) => Effect.sync(() => void drawn.push(line)) } },
        "run",
        ...args
      )
      return { drawn, said }
    })

  it.live("is redrawn within the terminal's width, and taken away at the end", () =>
    Effect.gen(function* () {
      const { drawn, said } = yield* watch()
      assert.strictEqual(said.code, 0, said.err)
      assert.isAbove(drawn.length, 1)
      assert.strictEqual(drawn.at(-1), "")
      for (const line of drawn.flatMap((block) => block.split("\n"))) assert.isBelow(line.length, 60)
      assert.match(drawn.join("\n"), /\d\/\d calls/)
      assert.notMatch(said.err, /✓ call 1/)
    })
  )

  it.live("is not there with --plain or --json: plain has a line a call", () =>
    Effect.gen(function* () {
      const plain = yield* watch("--plain")
      assert.deepStrictEqual(plain.drawn, [])
      assert.match(plain.said.err, /✓ call 1/)
      assert.deepStrictEqual((yield* watch("--json")).drawn, [])
    })
  )

  it.live("text from outside cannot draw on the terminal", () =>
    Effect.gen(function* () {
      const evil = `export const run = async (h) => { h.log("\\u001b[2Jgone"); h.phase("\\u001b]0;title\\u0007"); return 1 }`
      const cwd = yield* planFolder({ ...files, "alembic.plan.ts": evil })
      const said = yield* alembic({ cwd, host: { terminal } }, "run")
      assert.notInclude(said.err, "\u001b")
      assert.include(said.err, "\\x1b[2Jgone")
    })
  )
})

describe("a run at a terminal that waits for a person", () => {
  const asks = `export const run = async (h) => {
  const colour = await h.agent("Which colour? \\u001b[2J", { model: "human", label: "colour" })
  const size = await h.agent("Which size?", { model: "human" })
  return (colour.ok ? colour.text : "none") + " " + (size.ok ? size.text : "none")
}`
  const told = (...keys: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...files, "alembic.plan.ts": asks })
      const said = yield* alembic({ cwd, host: { terminal }, terminal: typing(...keys) }, "run")
      return { cwd, said }
    })

  it.live("asks them there, one question after the other, and goes on to its end", () =>
    Effect.gen(function* () {
      const { said } = yield* told("r", "e", "d", "enter", "b", "i", "g", "enter")
      assert.strictEqual(said.code, 0, said.err)
      assert.strictEqual(said.out, "red big")
      assert.include(said.err, "Which colour? \\x1b[2J")
      assert.notInclude(said.err, "\u001b")
    })
  )

  it.live("waits as ever when they give no answer, or nobody sits there", () =>
    Effect.gen(function* () {
      const { cwd, said } = yield* told("enter")
      assert.strictEqual(said.code, 4, said.err)
      assert.match(said.err, /alembic answer/)
      const byLabel = yield* alembic({ cwd }, "answer", "@last", "colour", "red")
      assert.strictEqual(byLabel.code, 0, byLabel.err)
      const piped = yield* alembic({ cwd }, "resume", "@last")
      assert.strictEqual(piped.code, 4)
      assert.strictEqual((yield* alembic({ cwd }, "answer", "@last", "2", "big")).code, 0)
      assert.strictEqual((yield* alembic({ cwd }, "resume", "@last")).out, "red big")
    })
  )
})
