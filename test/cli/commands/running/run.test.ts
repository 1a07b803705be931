// `alembic run` and `resume`: what the plan is given, what is said, and that a run is gone on with as it was begun.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { RunSummary } from "../../../../src/domain/run/RunSummary.ts"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { modelServer } from "../../../support/ModelServer.ts"
import { planFolder } from "../../../support/planFolder.ts"

const decodeSummary = Schema.decodeUnknownSync(RunSummary, { onExcessProperty: "error" })

const goal = { "GOAL.md": "# Goal\n" }
const twoCalls = `export const run = async (h, input) => {
  const one = await h.agent("one", { label: "first" })
  const two = await h.agent("two " + one.text)
  return [one.text, two.text]
}`

describe("alembic run", () => {
  it.live("without flags takes GOAL.md and alembic.plan.ts, and the offline model", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": twoCalls })
      const said = yield* alembic({ cwd }, "run")
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.out, /"offline answer [0-9a-f]{12}"/)
      assert.match(said.err, /completed run-[0-9a-f]{16} {2}2 calls \(2 live\)/)
      assert.match(said.err, /^offline: no model was asked; the answers are made up by rule/m)
    })
  )

  it.live("prints a summary that is exactly a RunSummary, the last of JSON lines", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": twoCalls })
      const said = yield* alembic({ cwd }, "run", "--json")
      const lines = jsonLines(said)
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ type }) => type),
        ["RunStarted", "CallScheduled", "CallCompleted", "CallScheduled", "CallCompleted", "RunCompleted"]
      )
      const summary = decodeSummary(lines.at(-1))
      assert.deepInclude(summary.calls, { total: 2, live: 2, cached: 0, replayed: 0 })
      assert.strictEqual(summary.costUsd, 0)
      assert.strictEqual(summary.dir, join(cwd, ".alembic/runs", summary.runId ?? ""))
    })
  )

  it.live("gives the plan goal, arguments, contract and attachments", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "g.md": "the goal",
        "p.ts": "export const run = async (h, input) => input",
        "c.json": `{"coverage":{"min":0.5}}`,
        "args.json": `{"a":[1]}`,
        "src/b.txt": "b",
        "src/a.txt": "a"
      })
      const said = yield* alembic(
        { cwd },
        "run",
        "--goal",
        "g.md",
        "--plan",
        "p.ts",
        "--contract",
        "c.json",
        "--args",
        "@args.json",
        "--attach",
        "src/*",
        "--json"
      )
      const { files, ...rest } = Schema.decodeUnknownSync(
        Schema.Struct({
          goal: Schema.String,
          args: Schema.Json,
          contract: Schema.Json,
          files: Schema.Array(
            Schema.Struct({ path: Schema.String, text: Schema.String, sha256: Schema.String })
          )
        })
      )(lastLine(said)["result"])
      assert.deepStrictEqual(rest, {
        goal: "the goal",
        args: { a: [1] },
        contract: { coverage: { min: 0.5 } }
      })
      assert.deepStrictEqual(
        files.map(({ path, text }) => [path, text]),
        [
          ["src/a.txt", "a"],
          ["src/b.txt", "b"]
        ]
      )
    })
  )

  it.live(
    "is another run when a goal, an argument or an attachment is another, and the same one from elsewhere",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({
          ...goal,
          "alembic.plan.ts": twoCalls,
          "a.txt": "a",
          "b/GOAL.md": "# Goal\n",
          "b/alembic.plan.ts": twoCalls
        })
        const idOf = (at: string, ...args: ReadonlyArray<string>) =>
          Effect.map(alembic({ cwd: at }, "run", "--json", ...args), (said) => lastLine(said)["runId"])
        const plain = yield* idOf(cwd)
        assert.strictEqual(yield* idOf(join(cwd, "b")), plain)
        const others = [
          yield* idOf(cwd, "--args", "1"),
          yield* idOf(cwd, "--attach", "a.txt"),
          yield* idOf(cwd, "--goal", "a.txt"),
          yield* idOf(cwd, "--fresh"),
          yield* idOf(cwd, "--hermetic")
        ]
        assert.strictEqual(new Set([plain, ...others]).size, 6)
      })
  )

  it.live("answers from a fixtures file, and then nothing is made up", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...goal,
        "alembic.plan.ts": twoCalls,
        "f.json": `{"rules":[{"match":{"exact":"one"},"answer":{"text":"ONE"}}],"default":{"text":"echo:{{prompt}}"}}`
      })
      const said = yield* alembic({ cwd }, "run", "--offline-fixtures", "f.json", "--json")
      assert.deepStrictEqual(lastLine(said)["result"], ["ONE", "echo:two ONE"])
      assert.notMatch(said.err, /made up/)
    })
  )

  it.live("ends incomplete with exit 1 on a lost item, and completed if the loss is accepted", () =>
    Effect.gen(function* () {
      const plan = `export const run = async (h) => (await h.parallel([1, 2].map((n) => () => h.agent("n" + n)))).length`
      const fixtures = `{"rules":[{"match":{"exact":"n1"},"answer":{"failure":{"code":"content_filtered","message":"no"}}}]}`
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": plan, "f.json": fixtures })
      const lost = yield* alembic({ cwd }, "run", "--offline-fixtures", "f.json", "--json")
      assert.strictEqual(lost.code, 1)
      assert.deepNestedInclude(lastLine(lost), {
        status: "incomplete",
        ok: false,
        "coverage.done": 1,
        "coverage.of": 2
      })
      const accepted = yield* alembic(
        { cwd },
        "run",
        "--offline-fixtures",
        "f.json",
        "--json",
        "--accept-loss",
        "--fresh"
      )
      assert.strictEqual(accepted.code, 0)
      assert.deepInclude(lastLine(accepted), { status: "completed", ok: true })
    })
  )

  it.live("--resume goes on only with its own inputs, and says which part is another", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": twoCalls, "other.md": "other" })
      const runId = String(lastLine(yield* alembic({ cwd }, "run", "--json"))["runId"])
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "run", "--resume", runId, "--json")), {
        runId,
        status: "completed"
      })
      const said = yield* alembic({ cwd }, "run", "--resume", "@last", "--goal", "other.md", "--json")
      assert.strictEqual(said.code, 5)
      assert.deepNestedInclude(lastLine(said), {
        status: "damaged",
        "error.code": "spec_mismatch",
        changed: ["goal"]
      })
    })
  )
})

describe("money", () => {
  const computed = `export const run = async (h) => {
  const name = ["openai", "gpt-5"].join(":")
  const answer = await h.agent("a", { model: name })
  return answer.ok ? "paid" : answer.error.message
}`

  it.live("is not spent by a model that the plan computes, until spending was agreed to", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": computed })
      const said = yield* alembic(
        { cwd, env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } },
        "run",
        "--json"
      )
      assert.match(String(lastLine(said)["result"]), /may cost money, and spending was not agreed to/)
    })
  )

  it.live("is forecast in one line before a paid run: the cap and the prices, agreed to or not", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": twoCalls })
      const env = { OPENAI_API_KEY: "k" }
      const uncapped = yield* alembic({ cwd, env }, "run", "--model", "openai:gpt-5")
      assert.match(uncapped.err, /^spending: no cap .*; openai:gpt-5 \$1\.25 in, \$10 out a million tokens$/m)
      const capped = yield* alembic({ cwd, env }, "run", "--model", "openai:gpt-5", "--max-usd", "2")
      assert.match(capped.err, /^spending: at most \$2\.00;/m)
      assert.deepStrictEqual([uncapped.code, capped.code], [2, 2])
    })
  )

  it.live("is not asked about where nothing will be spent: an ended run tells how it ended", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": `export const run = async () => 1` })
      const env = { OPENAI_API_KEY: "k" }
      assert.strictEqual((yield* alembic({ cwd, env }, "run", "--model", "openai:gpt-5", "--yes")).code, 0)
      const again = yield* alembic({ cwd, env }, "run", "--model", "openai:gpt-5")
      assert.strictEqual(again.code, 0, again.err)
      assert.notMatch(again.err, /spending/)
    })
  )
})

describe("a paid run that is resumed", () => {
  it.live("is agreed to again: without --yes nothing is asked, and the run stays as it was", () =>
    Effect.gen(function* () {
      const plan = `export const run = async (h) => {
  const colour = await h.agent("Which colour?", { model: "human" })
  return (await h.agent("paint it " + colour.text)).text
}`
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": plan })
      const server = yield* modelServer
      const base = ["--base-url", server.baseUrl, "--json"]
      const first = yield* alembic({ cwd }, "run", "--model", "openai-compatible:m", "--yes", ...base)
      assert.strictEqual(first.code, 4, first.out)
      assert.strictEqual((yield* alembic({ cwd }, "answer", "@last", "q-1", "blue")).code, 0)
      const refused = yield* alembic({ cwd }, "resume", "@last", ...base)
      assert.strictEqual(refused.code, 2)
      assert.deepNestedInclude(lastLine(refused), { status: "invalid", "error.code": "not_agreed" })
      assert.deepStrictEqual(server.prompts, [])
      const done = yield* alembic({ cwd }, "resume", "@last", "--yes", ...base)
      assert.deepInclude(lastLine(done), { status: "completed", result: "re: paint it blue" })
      assert.deepStrictEqual(server.prompts, ["paint it blue"])
    })
  )
})

describe("alembic run --dry", () => {
  it.live("forecasts calls, tokens and cost by phase, and keeps and asks nothing", () =>
    Effect.gen(function* () {
      const plan = `export const run = async (h) => { h.phase("A"); await h.agent("a"); h.phase("B"); await h.agent("b"); await h.agent("c") }`
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": plan })
      const said = yield* alembic({ cwd }, "run", "--dry", "--model", "openai:gpt-5", "--json")
      assert.strictEqual(said.code, 0, said.err)
      const [a, b, total, summary] = jsonLines(said)
      assert.deepInclude(a, { type: "Forecast", phase: "A", calls: 1 })
      assert.deepInclude(b, { type: "Forecast", phase: "B", calls: 2 })
      assert.deepInclude(total, { type: "Forecast", total: true, calls: 3, reused: 0 })
      assert.deepInclude(summary, { type: "RunSummary", ok: true, dir: "" })
      // Three calls of at most 4,096 output tokens at $10 a million.
      const { costUsd } = Schema.decodeUnknownSync(
        Schema.Struct({ costUsd: Schema.Struct({ low: Schema.Number, high: Schema.Number }) })
      )(total)
      assert.isAbove(costUsd.low, 0)
      assert.isAbove(costUsd.high, 3 * 0.04096)
      assert.isBelow(costUsd.high, 0.13)
      assert.deepStrictEqual(readdirSync(cwd).toSorted(), ["GOAL.md", "alembic.plan.ts"])
    })
  )

  it.live("says that a cost is not known where a price is not", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": twoCalls })
      const said = yield* alembic({ cwd }, "run", "--dry", "--model", "openai-compatible:mine")
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.out, /^total .*cost unknown/m)
    })
  )

  it.live(
    "with --reuse names exactly the calls that are paid again: the edited one, and those that depend on it",
    () =>
      Effect.gen(function* () {
        const planOf = (word: string) => `export const run = async (h) => {
  const one = await h.agent("one", { label: "one" })
  const two = await h.agent("${word}", { label: "two" })
  const three = await h.agent("after " + two.text, { label: "three" })
  return [one.text, three.text, (await h.agent("four", { label: "four" })).text]
}`
        const cwd = yield* planFolder({
          ...goal,
          "alembic.plan.ts": planOf("two"),
          "edited.plan.ts": planOf("TWO")
        })
        assert.strictEqual((yield* alembic({ cwd }, "run")).code, 0)
        const dry = yield* alembic(
          { cwd },
          "run",
          "--plan",
          "edited.plan.ts",
          "--reuse",
          "@last",
          "--dry",
          "--json"
        )
        const [forecast] = jsonLines(dry).filter(({ total }) => total === true)
        const { paidAgain } = Schema.decodeUnknownSync(
          Schema.Struct({ paidAgain: Schema.Array(Schema.Struct({ label: Schema.String })) })
        )(forecast)
        assert.deepStrictEqual(
          paidAgain.map(({ label }) => label),
          ["two", "three"]
        )
        const real = lastLine(
          yield* alembic({ cwd }, "run", "--plan", "edited.plan.ts", "--reuse", "@last", "--json")
        )
        assert.deepNestedInclude(real, { "calls.live": 2, "calls.cached": 2 })
      })
  )
})

describe("alembic resume", () => {
  it.live("goes on with the model, fixtures and cap that the run was begun with", () =>
    Effect.gen(function* () {
      const plan = `export const run = async (h) => (await h.parallel([1, 2].map((n) => () => h.agent("n" + n)))).map((one) => one.text ?? one.error.code)`
      const fixtures = `{"rules":[{"match":{"exact":"n2"},"answer":{"failure":{"code":"content_filtered","message":"no"}},"times":1}],"default":{"text":"echo:{{prompt}}"}}`
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": plan, "f.json": fixtures })
      const first = lastLine(yield* alembic({ cwd }, "run", "--offline-fixtures", "f.json", "--json"))
      assert.deepInclude(first, { status: "incomplete", result: ["echo:n1", "content_filtered"] })
      const hint = yield* alembic({ cwd }, "resume", "@last", "--json")
      assert.deepNestedInclude(lastLine(hint), { status: "incomplete", "calls.live": 0 })
      assert.match(hint.err, /next: alembic resume run-[0-9a-f]{16} --retry-failed/)
      // The fixtures are the run's own, and used up anew: the rule fails the retried call again.
      const again = lastLine(yield* alembic({ cwd }, "resume", "@last", "--retry-failed", "--json"))
      assert.deepInclude(again, { status: "incomplete", result: ["echo:n1", "content_filtered"] })
      assert.deepNestedInclude(again, { "calls.live": 1, "calls.replayed": 1 })
    })
  )

  it.live("refuses other models than the run's, and says so", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...goal,
        "alembic.plan.ts": twoCalls,
        "other.json": `{"profiles":{"p":{"system":"s"}}}`
      })
      yield* alembic({ cwd }, "run")
      const said = yield* alembic({ cwd }, "resume", "@last", "--config", "other.json", "--json")
      assert.strictEqual(said.code, 5)
      assert.deepNestedInclude(lastLine(said), {
        status: "damaged",
        "error.code": "spec_mismatch",
        changed: ["models"]
      })
    })
  )
})
