// What is said to do next can be typed as it stands: it names the same runs and the same plan, pays only for what
// changed, leaves nothing to fill in, and speaks of what there is.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  asTyped,
  baseDirIn,
  inBase,
  lastingArguments,
  shellWords,
  withPlan
} from "../../src/cli/render/nextCommand.ts"
import { callText } from "../../src/cli/render/run/inspectionText.ts"
import { makeStyle } from "../../src/cli/terminal/style.ts"
import { alembic, jsonLines, lastLine } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const goal = { "GOAL.md": "g" }
const throws = `export const run = async (h) => { await h.agent("a"); throw new Error("no") }`
const fine = `export const run = async (h) => (await h.agent("a")).text`

describe("the next command", () => {
  it("names the base directory in every command that looks for runs, once", () => {
    const there = inBase("my runs")
    assert.strictEqual(
      there("alembic questions (then alembic answer r i ANSWER, and alembic resume r)"),
      "alembic questions --base-dir 'my runs' (then alembic answer --base-dir 'my runs' r i ANSWER, and alembic resume --base-dir 'my runs' r)"
    )
    assert.strictEqual(there("alembic check p.ts"), "alembic check p.ts")
    assert.strictEqual(there("alembic run --base-dir x"), "alembic run --base-dir x")
    assert.strictEqual(inBase(undefined)("alembic resume r"), "alembic resume r")
    assert.strictEqual(baseDirIn(["run", "--base-dir=x"]), "x")
    assert.strictEqual(baseDirIn(["run", "--base-dir", "x"]), "x")
    assert.isUndefined(baseDirIn(["run"]))
  })

  it("keeps of what was typed what says what is run, as a shell takes it", () => {
    const typed = [
      "--plan",
      "a b.ts",
      "--yes",
      "--reuse",
      "run-1",
      "--json",
      "--fresh",
      "--args",
      `{"a":"it's"}`
    ]
    const kept = shellWords(lastingArguments([...typed, "--base-dir=x"]))
    assert.strictEqual(kept, `--plan 'a b.ts' --args '{"a":"it'\\''s"}'`)
    assert.strictEqual(
      asTyped("run --plan $&.ts")("correct the plan, then: alembic run --reuse run-1"),
      "correct the plan, then: alembic run --plan $&.ts --reuse run-1"
    )
    assert.strictEqual(
      asTyped("council b.yaml 'Shall we?'")("raise the board's budget, then: alembic run --reuse run-1"),
      "raise the board's budget, then: alembic council b.yaml 'Shall we?' --reuse run-1"
    )
    assert.strictEqual(withPlan("run --goal g.md", "x y.ts"), "run --goal g.md --plan 'x y.ts'")
    assert.strictEqual(withPlan("run --plan 'it'\\''s.ts' --goal g", "b.ts"), "run --plan b.ts --goal g")
  })

  it.live("of a replay with another plan runs that plan, as the run was begun", () =>
    Effect.gen(function* () {
      const says = (word: string) => `export const run = async (h) => (await h.agent("${word}")).ok`
      const cwd = yield* planFolder({ "my goal.md": "g", "p.mjs": says("one"), "q.mjs": says("two") })
      const begun = yield* alembic(
        { cwd },
        "run",
        "--plan",
        "p.mjs",
        "--goal",
        "my goal.md",
        "--yes",
        "--json"
      )
      const { runId } = lastLine(begun)
      const replayed = yield* alembic({ cwd }, "replay", "@last", "--plan", "q.mjs")
      assert.strictEqual(replayed.code, 1)
      assert.include(
        replayed.out,
        `next: alembic run --plan q.mjs --goal 'my goal.md' --reuse ${String(runId)} (pays`
      )
    })
  )

  it.live("of a failed plan runs the edited one as the first was run, over its answers", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "my goal.md": "g", "p.ts": throws })
      const args = ["--plan", "p.ts", "--goal", "my goal.md"]
      const failed = yield* alembic({ cwd }, "run", ...args, "--base-dir", "runs", "--json")
      const { runId } = lastLine(failed)
      const cure = `correct the plan, then: alembic run --base-dir runs --plan p.ts --goal 'my goal.md' --reuse ${String(runId)}`
      assert.include(failed.err, `next: ${cure}`)
      assert.match(JSON.stringify(lastLine(failed)["error"]), /--base-dir runs --plan p\.ts/)
      // As it was begun, also when it is told again.
      const again = yield* alembic({ cwd }, "resume", "@last", "--base-dir", "runs")
      assert.include(again.err, cure)
    })
  )

  it.live("of a run that nobody agreed to is the same again", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "g.md": "g", "p.ts": fine })
      const env = { ANTHROPIC_API_KEY: "k" }
      const said = yield* alembic(
        { cwd, env },
        "run",
        "--plan",
        "p.ts",
        "--goal",
        "g.md",
        "--model",
        "anthropic:claude-sonnet-4-5"
      )
      assert.strictEqual(said.code, 2)
      assert.include(
        said.err,
        "next: alembic run --plan p.ts --goal g.md --model anthropic:claude-sonnet-4-5 --yes"
      )
    })
  )

  it.live("of a plan that does not load names its file", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "my.plan.ts": "export const run = (" })
      const said = yield* alembic({ cwd }, "run", "--plan", "my.plan.ts")
      assert.match(said.err, /next: correct my\.plan\.ts, then: alembic check my\.plan\.ts/)
      assert.notInclude(said.err, "FILE")
    })
  )

  it.live("of a request that was refused is no check of the machine", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      const said = yield* alembic(
        { cwd },
        "ask",
        "hi",
        "--model",
        "openai-compatible:m",
        "--base-url",
        "http://127.0.0.1:1/v1"
      )
      assert.notInclude(said.err, "alembic doctor")
      assert.match(said.err, /next: alembic models \(says where/)
    })
  )
})

describe("what a person writes", () => {
  it.live("is told by line and column where it is no JSON, whatever the file", () =>
    Effect.gen(function* () {
      const broken = '{\n  "a": 1,\n  oops\n}'
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": fine, "b.json": broken, "my.json": broken })
      const cases = [
        ["run", "--contract", "b.json"],
        ["run", "--args", "@b.json"],
        ["run", "--config", "b.json"],
        ["run", "--offline-fixtures", "b.json"],
        ["ask", "hi", "--schema", "b.json"],
        ["check-claims", "b.json", "--evidence", "."]
      ]
      for (const args of cases) {
        const said = yield* alembic({ cwd }, ...args)
        assert.strictEqual(said.code, 2, args.join(" "))
        assert.match(said.err, /line 3, column 3/, args.join(" "))
      }
      const said = yield* alembic({ cwd }, "run", "--contract", "b.json", "--json")
      assert.deepNestedInclude(lastLine(said), { "error.line": 3, "error.column": 3, "error.path": "b.json" })
      // A configuration is called by its own name.
      const config = yield* alembic({ cwd }, "models", "--config", "my.json")
      assert.include(config.err, "my.json: not JSON")
      assert.notInclude(config.err, "alembic.json")
    })
  )

  it.live("may name its schema, for an editor", () =>
    Effect.gen(function* () {
      const $schema = "./x.schema.json"
      const cwd = yield* planFolder({
        ...goal,
        "alembic.plan.ts": fine,
        "c.json": JSON.stringify({ $schema, coverage: { min: 0.5 } }),
        "f.json": JSON.stringify({ $schema, default: { text: "x" } }),
        "alembic.json": JSON.stringify({ $schema }),
        "claims.json": JSON.stringify({ $schema, claims: [] })
      })
      const said = yield* alembic({ cwd }, "run", "--contract", "c.json", "--offline-fixtures", "f.json")
      assert.strictEqual(said.code, 0, said.err)
      assert.notStrictEqual(
        (yield* alembic({ cwd }, "check-claims", "claims.json", "--evidence", ".")).code,
        2
      )
      for (const kind of ["contract", "claims", "board", "mission", "config"]) {
        const shown = yield* alembic({ cwd }, "init", "--schema", kind)
        assert.match(shown.out, /"\$schema": \{/, kind)
      }
    })
  )

  it.live("in a configuration of another name is spoken of by that name", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...goal,
        "alembic.plan.ts": fine,
        "mine.json": JSON.stringify({ aliases: { a: "b", b: "a" } })
      })
      const said = yield* alembic({ cwd }, "run", "--config", "mine.json")
      assert.strictEqual(said.code, 2)
      assert.include(said.err, "next: correct mine.json")
    })
  )

  it.live("as a price of an alias is the price of what it stands for", () =>
    Effect.gen(function* () {
      const price = { inputUsdPerMillion: 3, outputUsdPerMillion: 4 }
      const config = (more: object) =>
        JSON.stringify({ aliases: { fast: "openai-compatible:m" }, prices: { fast: price }, ...more })
      const cwd = yield* planFolder({
        "alembic.json": config({}),
        "two.json": config({ aliases: { fast: "openai-compatible:m|offline" } })
      })
      const env = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1" }
      const said = yield* alembic({ cwd, env }, "models", "--json")
      const alias = jsonLines(said).find(({ name }) => name === "fast")
      assert.deepInclude(JSON.stringify(alias), '"inputUsdPerMillion":3')
      assert.strictEqual((yield* alembic({ cwd, env }, "models", "--config", "two.json")).code, 2)
    })
  )
})

describe("a workflow script", () => {
  it.live("is advised what it has", () =>
    Effect.gen(function* () {
      const script = (body: string) => `export const meta = { name: "s", description: "d" }\n${body}\n`
      for (const use of [
        "Date.now()",
        "Math.random()",
        "process.env.X",
        "await fetch('x')",
        "setTimeout(() => {}, 1)",
        "__dirname"
      ]) {
        const cwd = yield* planFolder({ ...goal, "s.js": script(`return ${use}`) })
        for (const command of [
          ["check", "s.js"],
          ["run", "--plan", "s.js"]
        ]) {
          const said = yield* alembic({ cwd }, ...command)
          assert.strictEqual(said.code, 3, said.err)
          assert.notMatch(said.out + said.err, /\binput\.|\bh\.\w/, use)
        }
      }
    })
  )

  it.live("whose meta is not first is told that rule", () =>
    Effect.gen(function* () {
      const late = `const x = 1\nexport const meta = { name: "s", description: "d" }\nreturn await agent("a")\n`
      const cwd = yield* planFolder({ ...goal, "s.js": late, "m.js": `export const meta = 1\n${fine}` })
      const said = yield* alembic({ cwd }, "run", "--plan", "s.js")
      assert.strictEqual(said.code, 2)
      assert.match(said.err, /begins with its meta.*s\.js:2:1/)
      assert.strictEqual((yield* alembic({ cwd }, "check", "s.js")).code, 2)
      // A module may have a meta of its own.
      assert.strictEqual((yield* alembic({ cwd }, "run", "--plan", "m.js")).code, 0)
    })
  )
})

describe("list and inspect", () => {
  it("mark no call that did not do its work as done, whatever its status", () => {
    const call = { name: "mission m", status: "completed", attempts: 1, error: "gate_failed" } as const
    assert.match(callText(call, makeStyle(undefined)), /✗ mission m {2}gate_failed/)
    const { error: _, ...done } = call
    assert.match(callText(done, makeStyle(undefined)), /✓ mission m/)
  })

  it.live("show the same time of a run", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...goal, "alembic.plan.ts": fine })
      yield* alembic({ cwd }, "run")
      const listed = yield* alembic({ cwd }, "list")
      const inspected = yield* alembic({ cwd }, "inspect", "@last")
      const at = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?/.exec(listed.out)?.[0] ?? "no time"
      assert.include(inspected.out, `written ${at}`)
      const [line] = jsonLines(yield* alembic({ cwd }, "list", "--json"))
      const whole = lastLine(yield* alembic({ cwd }, "inspect", "@last", "--json"))
      assert.deepNestedInclude(whole, { "run.writtenAt": line?.["writtenAt"] })
    })
  )
})
