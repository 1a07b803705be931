// Bad input gets a clear error with the exit code of the spec, on stdout one JSON object, and nothing half-written.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { alembic, jsonLines, lastLine } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const goodPlan = `export const run = async (h) => (await h.agent("hello")).ok\n`
const good = { "GOAL.md": "# Goal\n", "alembic.plan.ts": goodPlan }

interface Case {
  readonly name: string
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly without?: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly exit: number
  readonly code: string
  /** What the message must name. */
  readonly says: RegExp
}

const plan = (body: string) => ({ "alembic.plan.ts": body })

const refusedBeforeARun: ReadonlyArray<Case> = [
  {
    name: "no goal",
    without: ["GOAL.md"],
    args: ["run"],
    exit: 2,
    code: "unreadable",
    says: /goal GOAL\.md: there is no such file/
  },
  {
    name: "a goal that is a folder",
    files: { "goal/x": "" },
    args: ["run", "--goal", "goal"],
    exit: 2,
    code: "unreadable",
    says: /goal goal: it is a directory/
  },
  {
    name: "a goal that is not text",
    files: { "GOAL.md": new Uint8Array([0xff, 0xfe, 0x00]) },
    args: ["run"],
    exit: 2,
    code: "unreadable",
    says: /GOAL\.md.*UTF-8/
  },
  {
    name: "no plan",
    without: ["alembic.plan.ts"],
    args: ["run"],
    exit: 2,
    code: "plan_unreadable",
    says: /alembic\.plan\.ts cannot be read/
  },
  {
    name: "no contract",
    args: ["run", "--contract", "c.json"],
    exit: 2,
    code: "unreadable",
    says: /contract c\.json: there is no such file/
  },
  {
    name: "a contract that is not JSON",
    files: { "c.json": "{" },
    args: ["run", "--contract", "c.json"],
    exit: 2,
    code: "invalid_json",
    says: /contract c\.json is not JSON/
  },
  {
    name: "a contract with an unknown key",
    files: { "c.json": `{"budget":{"usdd":1}}` },
    args: ["run", "--contract", "c.json"],
    exit: 2,
    code: "invalid_contract",
    says: /usdd/
  },
  {
    name: "arguments that are not JSON",
    args: ["run", "--args", "{a:1}"],
    exit: 2,
    code: "invalid_json",
    says: /--args is not JSON/
  },
  {
    name: "arguments in a file that is not there",
    args: ["run", "--args", "@args.json"],
    exit: 2,
    code: "unreadable",
    says: /args\.json: there is no such file/
  },
  {
    name: "arguments in a file that is not JSON",
    files: { "args.json": "nope" },
    args: ["run", "--args", "@args.json"],
    exit: 2,
    code: "invalid_json",
    says: /args\.json is not JSON/
  },
  {
    name: "a glob without a match",
    args: ["run", "--attach", "src/**/*.rs"],
    exit: 2,
    code: "no_match",
    says: /src\/\*\*\/\*\.rs: no file matches/
  },
  {
    name: "a plan that does not parse",
    files: plan("export const run = async (h) => {"),
    args: ["run"],
    exit: 2,
    code: "plan_unparsable",
    says: /does not parse/
  },
  {
    name: "a plan without run",
    files: plan("export const walk = 1"),
    args: ["run"],
    exit: 2,
    code: "no_run",
    says: /must export a run\(hooks\) function/
  },
  {
    name: "a plan that looks at the clock",
    files: plan("export const run = async () => Date.now()"),
    args: ["run"],
    exit: 3,
    code: "non_deterministic",
    says: /Date\.now\(\) \(alembic\.plan\.ts:1:32\)/
  },
  {
    name: "an unknown model",
    args: ["run", "--model", "nope:x"],
    exit: 2,
    code: "unknown_model",
    says: /nope/
  },
  {
    name: "an unknown model in the plan",
    files: plan(`export const run = async (h) => (await h.agent("a", { model: "nope:x" })).ok`),
    args: ["run"],
    exit: 2,
    code: "unknown_model",
    says: /nope/
  },
  {
    name: "a model without its key",
    args: ["run", "--yes", "--model", "anthropic:claude-sonnet-4-5"],
    exit: 2,
    code: "auth",
    says: /ANTHROPIC_API_KEY is not set/
  },
  {
    name: "a model of the plan without its key",
    files: plan(`export const run = async (h) => (await h.agent("a", { model: "openai:gpt-5" })).ok`),
    args: ["run", "--yes"],
    exit: 2,
    code: "auth",
    says: /OPENAI_API_KEY is not set/
  },
  {
    name: "a configured model without its key",
    files: { "alembic.json": `{"models":{"big":{"model":"google:gemini-2.5-pro"}}}` },
    args: ["run", "--yes"],
    exit: 2,
    code: "auth",
    says: /GOOGLE_GENERATIVE_AI_API_KEY is not set/
  },
  {
    name: "a script's phase model without its key",
    files: {
      "s.js": `export const meta = { name: "s", description: "d", phases: [{ title: "A", model: "openai:gpt-5" }] }\nreturn 1`
    },
    args: ["run", "--plan", "s.js", "--yes"],
    exit: 2,
    code: "auth",
    says: /OPENAI_API_KEY/
  },
  {
    name: "a compatible model without a base URL",
    args: ["run", "--yes", "--model", "openai-compatible:m"],
    exit: 2,
    code: "missing_base_url",
    says: /OPENAI_COMPATIBLE_BASE_URL is not set/
  },
  {
    name: "a base URL that is none",
    args: ["run", "--base-url", "localhost"],
    exit: 2,
    code: "invalid_base_url",
    says: /--base-url is not an http\(s\) URL/
  },
  {
    name: "a configuration that is not there",
    args: ["run", "--config", "x.json"],
    exit: 2,
    code: "unreadable",
    says: /configuration x\.json/
  },
  {
    name: "a configuration with an unknown key",
    files: { "alembic.json": `{"modells":{}}` },
    args: ["run"],
    exit: 2,
    code: "invalid_config",
    says: /modells/
  },
  {
    name: "fixtures that are none",
    files: { "f.json": `{"rules":[{"match":{"exakt":"a"},"answer":{"text":"b"}}]}` },
    args: ["run", "--offline-fixtures", "f.json"],
    exit: 2,
    code: "invalid_fixtures",
    says: /rules/
  },
  {
    name: "fixtures and another model",
    files: { "f.json": `{"rules":[]}` },
    args: ["run", "--offline-fixtures", "f.json", "--model", "openai:gpt-5"],
    exit: 2,
    code: "usage",
    says: /--offline-fixtures/
  },
  {
    name: "a paid run nobody can agree to",
    args: ["run", "--model", "openai:gpt-5"],
    env: { OPENAI_API_KEY: "k" },
    exit: 2,
    code: "not_agreed",
    says: /--yes/
  },
  {
    name: "a number that is none",
    args: ["run", "--concurrency", "many"],
    exit: 2,
    code: "usage",
    says: /--concurrency/
  },
  {
    name: "no concurrency at all",
    args: ["run", "--concurrency", "0"],
    exit: 2,
    code: "usage",
    says: /--concurrency/
  },
  { name: "an unknown flag", args: ["run", "--fast"], exit: 2, code: "usage", says: /--fast/ },
  {
    name: "a run to go on with that is not there",
    args: ["run", "--resume", "run-0000000000000000"],
    exit: 2,
    code: "run_missing",
    says: /run-0000000000000000/
  },
  {
    name: "a run to reuse that is a path",
    args: ["run", "--reuse", "../run-0000000000000000"],
    exit: 2,
    code: "bad_id",
    says: /not a run's id/
  },
  {
    name: "a fresh run that is another's",
    args: ["run", "--fresh", "--resume", "@last"],
    exit: 2,
    code: "usage",
    says: /--fresh/
  }
]

const damagedIds = [
  "../../etc",
  "/etc/passwd",
  "run-XYZ",
  "run-",
  "",
  ".",
  "run-0123456789abcdef0",
  "run-0\u0000",
  "con",
  "@first",
  "run-0/.."
]
const commandsOfARun = ["resume", "replay", "verify", "inspect", "tail", "export"] as const

/** What a refused command may leave behind: nothing. */
const leftBehind = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.startsWith(".alembic"))

describe("alembic run refuses, before it writes anything,", () => {
  for (const { args, code, env = {}, exit, files = {}, name, says, without = [] } of refusedBeforeARun) {
    it.live(name, () =>
      Effect.gen(function* () {
        const kept = Object.fromEntries(
          Object.entries({ ...good, ...files }).filter(([path]) => !without.includes(path))
        )
        const cwd = yield* planFolder(kept)
        const said = yield* alembic({ cwd, env }, ...args, "--json")
        const summary = lastLine(said)
        assert.strictEqual(said.code, exit, said.err)
        assert.strictEqual(summary["type"], "RunSummary")
        assert.deepNestedInclude(summary, {
          ok: false,
          status: exit === 3 ? "refused" : "invalid",
          "error.code": code
        })
        assert.match(JSON.stringify(summary["error"]), says)
        assert.strictEqual(jsonLines(said).length, 1)
        assert.match(said.err, /^ {2}next: \S/m)
        assert.deepStrictEqual(leftBehind(cwd), [])
      })
    )
  }
})

describe("a run id that is none", () => {
  for (const command of commandsOfARun) {
    for (const id of damagedIds) {
      it.live(`${command} ${JSON.stringify(id)} exits 2 and looks at no file`, () =>
        Effect.gen(function* () {
          const cwd = yield* planFolder({})
          const said = yield* alembic({ cwd }, command, "--json", "--", id)
          assert.strictEqual(said.code, 2, said.out)
          const summary = lastLine(said)
          assert.strictEqual(summary["ok"], false)
          assert.deepNestedInclude(summary, { "error.code": "bad_id" })
          assert.isFalse(existsSync(join(cwd, ".alembic")))
        })
      )
    }
    it.live(`${command} of a run that is not there exits 2`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({})
        const said = yield* alembic({ cwd }, command, "run-0123456789abcdef", "--json")
        assert.strictEqual(said.code, 2, said.out)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": "run_missing" })
      })
    )
  }
})

const brokenPlans: ReadonlyArray<Case> = [
  {
    name: "throws at the top",
    files: plan(`throw new Error("top")\nexport const run = async () => 1`),
    args: [],
    exit: 1,
    code: "plan_error",
    says: /top/
  },
  {
    name: "throws in run",
    files: plan(`export const run = async () => { throw new Error("inside") }`),
    args: [],
    exit: 1,
    code: "plan_error",
    says: /inside/
  },
  {
    name: "returns what JSON cannot carry",
    files: plan(`export const run = async () => ({ n: 10n })`),
    args: [],
    exit: 1,
    code: "result_not_json",
    says: /\$\.n/
  },
  {
    name: "leaves a hook un-awaited",
    files: plan(`export const run = async (h) => { h.agent("a"); return 1 }`),
    args: [],
    exit: 1,
    code: "hook_pending",
    says: /agent/
  },
  {
    name: "never settles",
    files: plan(`export const run = async () => new Promise(() => {})`),
    args: [],
    exit: 1,
    code: "plan_stalled",
    says: /./
  },
  {
    name: "reaches the clock by an alias",
    files: plan(`export const run = async () => new Date(0).constructor.now()`),
    args: [],
    exit: 3,
    code: "non_deterministic",
    says: /Date/
  }
]

describe("a plan that", () => {
  for (const { code, exit, files = {}, name, says } of brokenPlans) {
    it.live(name, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({ ...good, ...files })
        const said = yield* alembic({ cwd }, "run", "--json")
        const summary = lastLine(said)
        assert.strictEqual(said.code, exit, said.out)
        assert.deepNestedInclude(summary, {
          ok: false,
          status: exit === 3 ? "refused" : "failed",
          "error.code": code
        })
        assert.match(JSON.stringify(summary["error"]), says)
        // The journal is sealed: the run verifies, and says the same again without running anything.
        const runId = String(summary["runId"])
        assert.strictEqual((yield* alembic({ cwd }, "verify", runId)).code, 0)
        const again = lastLine(yield* alembic({ cwd }, "run", "--json"))
        assert.deepNestedInclude(again, { runId, "error.code": code, "calls.live": 0 })
      })
    )
  }
})

describe("a base directory", () => {
  it.live("that is a file exits 2 and leaves the file", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...good, base: "not a folder" })
      const said = yield* alembic({ cwd }, "run", "--json", "--base-dir", "base")
      assert.strictEqual(said.code, 2, said.out)
      assert.deepNestedInclude(lastLine(said), { status: "invalid", "error.code": "not_a_directory" })
    })
  )

  it.live("below a file exits 2", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...good, base: "not a folder" })
      const said = yield* alembic({ cwd }, "run", "--json", "--base-dir", "base/deeper")
      assert.strictEqual(said.code, 2, said.out)
      assert.deepNestedInclude(lastLine(said), { status: "invalid", "error.code": "not_a_directory" })
    })
  )
})
