// fork: one call changed, and only what depends on it made again; resumed, replayed and listed like any run.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { modelServer } from "../../../support/ModelServer.ts"
import { planFolder } from "../../../support/planFolder.ts"

const plan = `export const run = async (h) => {
  const [a, b] = await h.parallel([() => h.agent("first question", { label: "a" }), () => h.agent("second question", { label: "b" })])
  const sum = await h.agent("put together: " + a.text + " and " + b.text, { label: "sum" })
  const alone = await h.agent("something else", { label: "alone" })
  return [a.text, b.text, sum.text, alone.text]
}`
const files = { "GOAL.md": "g", "alembic.plan.ts": plan }

const begun = Effect.gen(function* () {
  const server = yield* modelServer
  const cwd = yield* planFolder(files)
  const flags = ["--model", "openai-compatible:m", "--base-url", server.baseUrl, "--yes"]
  const first = lastLine(yield* alembic({ cwd }, "run", ...flags, "--json"))
  return { cwd, server, runId: String(first["runId"]), result: first["result"], asked: server.prompts.length }
})

describe("alembic fork", () => {
  it.live("with another output asks only what depends on it, and says so of no other run", () =>
    Effect.gen(function* () {
      const { asked, cwd, result, runId, server } = yield* begun
      assert.strictEqual(asked, 4)
      writeFileSync(join(cwd, "better.txt"), "my own answer")
      const said = yield* alembic(
        { cwd },
        "fork",
        runId,
        "--at",
        "a",
        "--set",
        "output=@better.txt",
        "--yes",
        "--json"
      )
      assert.strictEqual(said.code, 0, said.err)
      const forked = lastLine(said)
      assert.notStrictEqual(forked["runId"], runId)
      assert.deepStrictEqual(
        server.prompts.slice(asked).map((prompt) => prompt.slice(0, 30)),
        ["put together: my own answer an"]
      )
      assert.deepStrictEqual(
        Array.isArray(forked["result"]) ? forked["result"][0] : undefined,
        "my own answer"
      )
      assert.deepStrictEqual(
        Array.isArray(forked["result"]) && Array.isArray(result)
          ? [forked["result"][1] === result[1], forked["result"][3] === result[3]]
          : [],
        [true, true]
      )
      // The same fork is the same run; the one that was forked is as it was.
      const again = lastLine(
        yield* alembic({ cwd }, "fork", runId, "--at", "a", "--set", "output=@better.txt", "--yes", "--json")
      )
      assert.strictEqual(again["runId"], forked["runId"])
      assert.strictEqual(server.prompts.length, asked + 1)
      for (const id of [runId, String(forked["runId"])]) {
        assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", id, "--json")), { identical: true })
        assert.strictEqual((yield* alembic({ cwd }, "verify", id)).code, 0)
      }
      const diff = lastLine(yield* alembic({ cwd }, "diff", runId, String(forked["runId"]), "--json"))
      assert.deepInclude(diff, { same: 2, changed: 2, onlyInA: 0, onlyInB: 0 })
    })
  )

  it.live("with another prompt or model asks that call and what depends on it", () =>
    Effect.gen(function* () {
      const { asked, cwd, runId, server } = yield* begun
      const said = yield* alembic(
        { cwd },
        "fork",
        runId,
        "--at",
        "2",
        "--set",
        "prompt=a better question",
        "--yes",
        "--json"
      )
      assert.strictEqual(said.code, 0, said.err)
      assert.strictEqual(server.prompts[asked], "a better question")
      assert.strictEqual(server.prompts.length, asked + 2)
      const forked = String(lastLine(said)["runId"])
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", forked, "--json")), { identical: true })
      const other = yield* alembic(
        { cwd },
        "fork",
        runId,
        "--at",
        "b",
        "--set",
        "model=openai-compatible:other",
        "--yes",
        "--json"
      )
      assert.strictEqual(other.code, 0, other.err)
      const calls = jsonLines(yield* alembic({ cwd }, "show", "@last", "b", "--json"))
      assert.deepInclude(calls[0], { model: "openai-compatible:other" })
    })
  )

  it.live("sets no model or prompt of a call that a council makes", () =>
    Effect.gen(function* () {
      const council = `export const run = (h) => h.council({ question: "Shall we?", board: {
        members: [{ id: "a", role: "x" }, { id: "b", role: "y" }, { id: "c", role: "z" }, { id: "d", role: "contrarian" }],
        phases: ["opening", "contrarian", "ballot"], axes: [{ id: "v", weight: 1 }] } })`
      const cwd = yield* planFolder({ ...files, "alembic.plan.ts": council })
      yield* alembic({ cwd }, "run")
      const said = yield* alembic({ cwd }, "fork", "@last", "--at", "2", "--set", "prompt=x")
      assert.strictEqual(said.code, 2, said.out)
      assert.match(said.err, /the plan does not ask call 2 itself/)
    })
  )

  it.live("refuses by name what is no call, or nothing that a call has", () =>
    Effect.gen(function* () {
      const { cwd, runId } = yield* begun
      const refusal = (...flags: ReadonlyArray<string>) =>
        Effect.map(alembic({ cwd }, "fork", runId, ...flags, "--yes"), ({ code, err }) => {
          assert.strictEqual(code, 2)
          return err
        })
      assert.match(yield* refusal("--at", "nobody", "--set", "output=x"), /no call "nobody"/)
      assert.match(yield* refusal("--at", "a", "--set", "colour=x"), /sets nothing that a call has/)
      assert.match(yield* refusal("--at", "a", "--set", "output=@none.txt"), /none\.txt/)
      assert.match(
        yield* refusal("--at", "a", "--set", "output=x", "--set", "model=offline"),
        /asked no more/
      )
    })
  )
})

describe("a fork of a call with a schema", () => {
  it.live("takes no output that the call could not have answered, and says why", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "GOAL.md": "g",
        "own.plan.ts": `export const run = async (h) => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
  const given = await h.agent("give", { label: "give", schema })
  return given.ok ? given.output.n + 1 : given.error.code
}`
      })
      yield* alembic({ cwd }, "run", "--plan", "own.plan.ts")
      const fork = (output: string) =>
        alembic({ cwd }, "fork", "@last", "--at", "give", "--set", `output=${output}`)
      for (const wrong of ['{"n":"7"}', "nonsense", "[]"]) {
        const { code, err } = yield* fork(wrong)
        assert.strictEqual(code, 2, wrong)
        assert.match(err, /bad_answer.*call 1.*\n.*alembic show/)
      }
      const right = yield* fork('{"n":7}')
      assert.strictEqual(right.code, 0, right.err)
      assert.strictEqual(right.out, "8")
    })
  )
})
