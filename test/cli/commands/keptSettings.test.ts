// A run keeps what it was given: whoever goes on with it, by `resume` or by `run` again, reaches the same models under
// the same terms, until something is given anew, and that holds from then on.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { modelServer } from "../../support/ModelServer.ts"
import { planFolder } from "../../support/planFolder.ts"

/** Waits for a person, twice, with a model's call after each. */
const plan = `export const run = async (h, input) => {
  const one = await h.agent("who?", { model: "human" })
  const two = await h.agent("hello " + one.text)
  const three = await h.agent("and who?", { model: "human" })
  return (await h.agent("bye " + two.text + three.text)).text
}`
const files = { "GOAL.md": "g", "alembic.plan.ts": plan }
const model = ["--model", "openai-compatible:m", "--yes"]

const runDir = (cwd: string) => {
  const runs = join(cwd, ".alembic/runs")
  return join(runs, readdirSync(runs)[0] ?? "")
}

/** What the run has kept under a role. */
const keptIn = (cwd: string, role: string): string => {
  const { blobs } = JSON.parse(readFileSync(join(runDir(cwd), "meta.json"), "utf8"))
  return readFileSync(join(runDir(cwd), "blobs", blobs[role]), "utf8")
}

/** Answers what the run waits for. */
const answer = Effect.fnUntraced(function* (cwd: string, text: string) {
  const asked = readFileSync(join(runDir(cwd), "events.jsonl"), "utf8").matchAll(/"item":"([^"]+)"/g)
  const item = [...asked].at(-1)?.[1] ?? ""
  const said = yield* alembic({ cwd }, "answer", "@last", item, text)
  assert.strictEqual(said.code, 0, said.err)
})

describe("a run's settings", () => {
  it.live(
    "go on by resume, and by run again, without a word: the model is asked where it was meant to be",
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer
        const cwd = yield* planFolder(files)
        const begun = yield* alembic({ cwd }, "run", ...model, "--base-url", server.baseUrl)
        assert.strictEqual(begun.code, 4, begun.err)
        yield* answer(cwd, "Ann")
        assert.strictEqual((yield* alembic({ cwd }, "resume", "@last", "--yes")).code, 4)
        assert.deepStrictEqual(server.prompts, ["hello Ann"])
        yield* answer(cwd, "Bob")
        const ended = yield* alembic({ cwd }, "run", ...model, "--json")
        assert.strictEqual(ended.code, 0, ended.err)
        assert.strictEqual(lastLine(ended)["result"], "re: bye re: hello AnnBob")
      })
  )

  it.live("keep where the environment said that a provider is; what it says now holds over that", () =>
    Effect.gen(function* () {
      const first = yield* modelServer
      const second = yield* modelServer
      const cwd = yield* planFolder(files)
      const at = (server: typeof first) => ({ OPENAI_COMPATIBLE_BASE_URL: server.baseUrl })
      assert.strictEqual((yield* alembic({ cwd, env: at(first) }, "run", ...model)).code, 4)
      yield* answer(cwd, "Ann")
      assert.strictEqual((yield* alembic({ cwd }, "resume", "@last", "--yes")).code, 4)
      assert.deepStrictEqual(first.prompts, ["hello Ann"])
      yield* answer(cwd, "Bob")
      assert.strictEqual((yield* alembic({ cwd, env: at(second) }, "resume", "@last", "--yes")).code, 0)
      assert.deepStrictEqual(second.prompts, ["bye re: hello AnnBob"])
    })
  )

  it.live("that are given anew hold from then on; approvals add up", () =>
    Effect.gen(function* () {
      const first = yield* modelServer
      const second = yield* modelServer
      const cwd = yield* planFolder({
        ...files,
        "alembic.json": '{"prices":{"openai-compatible:m":{"inputUsdPerMillion":1,"outputUsdPerMillion":1}}}'
      })
      const given = ["--base-url", first.baseUrl, "--max-usd", "3", "--concurrency", "2", "--approve", "a"]
      assert.strictEqual((yield* alembic({ cwd }, "run", ...model, ...given)).code, 4)
      yield* answer(cwd, "Ann")
      const anew = ["--base-url", second.baseUrl, "--max-usd", "4", "--approve", "b", "--accept-loss"]
      const resumed = yield* alembic({ cwd }, "resume", "@last", "--yes", ...anew)
      assert.strictEqual(resumed.code, 4, resumed.err)
      assert.deepInclude(JSON.parse(keptIn(cwd, "settings")), {
        baseUrl: second.baseUrl,
        maxUsd: 4,
        concurrency: 2,
        acceptLoss: true,
        approve: ["a", "b"]
      })
      yield* answer(cwd, "Bob")
      const ended = yield* alembic({ cwd }, "resume", "@last", "--yes")
      assert.strictEqual(ended.code, 0, ended.err)
      assert.match(ended.err, /spending: at most \$4/)
      assert.deepStrictEqual(first.prompts, [])
      assert.lengthOf(second.prompts, 2)
      assert.strictEqual((yield* alembic({ cwd }, "verify", "@last")).code, 0)
    })
  )

  it.live("take no base URL that holds a key: it is refused before anything is written, and not shown", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const bad = [
        "http://user:s3cret@127.0.0.1:1/v1",
        "http://127.0.0.1:1/v1?key=s3cret",
        "http://s3cret@h/v1"
      ]
      for (const url of bad) {
        const said = yield* alembic({ cwd }, "run", ...model, "--base-url", url, "--json")
        assert.strictEqual(said.code, 2, said.err)
        assert.notInclude(said.err + said.out, "s3cret")
        assert.deepNestedInclude(lastLine(said), { "error.code": "invalid_base_url" })
        assert.match(said.err, /next: .*variable/)
        assert.isFalse(
          existsSync(join(cwd, ".alembic/runs")) && readdirSync(join(cwd, ".alembic/runs")).length > 0
        )
        // One of the environment is refused where it is used, and is never kept.
        const env = { OPENAI_COMPATIBLE_BASE_URL: url }
        assert.strictEqual((yield* alembic({ cwd, env }, "run", ...model)).code, 2)
        assert.strictEqual((yield* alembic({ cwd, env }, "run", "--fresh")).code, 4)
        assert.notInclude(keptIn(cwd, "settings"), "s3cret")
        assert.strictEqual((yield* alembic({ cwd }, "resume", "@last", "--base-url", url)).code, 2)
        yield* alembic({ cwd }, "gc", "--keep", "0", "--unfinished", "--apply")
      }
    })
  )
})
