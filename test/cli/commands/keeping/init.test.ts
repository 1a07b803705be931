// `alembic init`: what it writes runs as it is, type-checks where nothing else is, and says of `alembic/plan` what
// the package says. It writes all of it or nothing.
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@cfworker/json-schema"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { boardFile } from "../../../../src/cli/init/initBoard.ts"
import { initFiles } from "../../../../src/cli/init/initFiles.ts"
import { alembic, lastLine } from "../../../support/commandLine.ts"
import { execute } from "../../../support/execute.ts"
import { planFolder } from "../../../support/planFolder.ts"

const tsc = fileURLToPath(new URL("../../../../node_modules/.bin/tsc", import.meta.url))
const source = fileURLToPath(new URL("../../../../src/plan.ts", import.meta.url))
const strict = [
  "--noEmit",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--target",
  "es2022",
  "--module",
  "nodenext",
  "--types",
  ""
]

/** What a plan may do besides what the first one does, on the types of the folder and on those of the package. */
const more = `
export const more = async (h: PlanHooks) => {
  const units = [{ id: "a", prompt: "p", proof: ["tests", ["node", "--test"]], tier: "T2" as const }]
  const done = await h.mission({ title: "t", units, maxFixRounds: 1 })
  const verdict = await h.council({ board: "tech", question: "q", options: [{ id: "a", text: "b" }] })
  return done.ok && verdict.decision === "GO"
}
`

const check = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => execute(tsc, args, { cwd }))

describe("alembic init", () => {
  it.live("writes a goal and a plan that passes the check, type-checks in the empty folder, and runs", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      const said = yield* alembic({ cwd }, "init", "--json")
      assert.strictEqual(said.code, 0)
      assert.deepStrictEqual(lastLine(said), {
        type: "InitSummary",
        ok: true,
        files: ["GOAL.md", "alembic.plan.ts", "alembic-env.d.ts", "alembic.json", "alembic.schema.json"]
      })
      assert.strictEqual((yield* alembic({ cwd }, "check", "alembic.plan.ts")).code, 0)
      assert.strictEqual(yield* check(cwd, ...strict, "alembic.plan.ts"), "")
      writeFileSync(join(cwd, "more.ts"), readFileSync(join(cwd, "alembic.plan.ts"), "utf8") + more)
      assert.strictEqual(yield* check(cwd, ...strict, "more.ts"), "")
      const run = yield* alembic({ cwd }, "run", "--json")
      assert.strictEqual(run.code, 0, run.err)
      assert.deepNestedInclude(lastLine(run), { status: "completed", "coverage.done": 3, "coverage.of": 3 })
    })
  )

  it.live(
    "says of alembic/plan nothing that the package does not: its plan compiles on the package's own types",
    () =>
      Effect.gen(function* () {
        const plan = initFiles.find(({ name }) => name === "alembic.plan.ts")?.text.replace(/^.*\n/, "") ?? ""
        const config = {
          compilerOptions: {
            paths: { "alembic/plan": [source] },
            skipLibCheck: true,
            strict: true,
            exactOptionalPropertyTypes: true,
            target: "es2024",
            lib: ["es2024", "esnext.disposable", "dom"],
            module: "nodenext",
            allowImportingTsExtensions: true,
            noEmit: true,
            types: ["node"],
            typeRoots: [fileURLToPath(new URL("../../../../node_modules/@types", import.meta.url))]
          },
          files: ["alembic.plan.ts"]
        }
        const cwd = yield* planFolder({
          "alembic.plan.ts": plan + more,
          "tsconfig.json": JSON.stringify(config)
        })
        assert.strictEqual(yield* check(cwd, "-p", "."), "")
      })
  )

  it.live("writes no types where the package is installed", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "node_modules/alembic/package.json": "{}" })
      const said = yield* alembic({ cwd }, "init", "--json")
      assert.deepNestedInclude(lastLine(said), {
        files: ["GOAL.md", "alembic.plan.ts", "alembic.json", "alembic.schema.json"]
      })
      assert.notInclude(readFileSync(join(cwd, "alembic.plan.ts"), "utf8"), "alembic-env")
    })
  )

  it.live("writes a configuration that names its schema and fits it, and leaves one that is there", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      yield* alembic({ cwd }, "init")
      const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"))
      const config = read("alembic.json")
      assert.isTrue(new Validator(read(config.$schema), "2020-12").validate(config).valid)
      const other = yield* planFolder({ "alembic.json": "{}" })
      assert.strictEqual((yield* alembic({ cwd: other }, "init")).code, 0)
      assert.strictEqual(readFileSync(join(other, "alembic.json"), "utf8"), "{}")
    })
  )

  it.live("writes over nothing, and then writes nothing", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ "alembic.plan.ts": "mine" })
      const said = yield* alembic({ cwd }, "init", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "exists" })
      assert.deepStrictEqual(readdirSync(cwd), ["alembic.plan.ts"])
      assert.strictEqual(readFileSync(join(cwd, "alembic.plan.ts"), "utf8"), "mine")
    })
  )

  it.live("--schema prints the schema of alembic.json, as one line for machines", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      const said = yield* alembic({ cwd }, "init", "--schema", "--json")
      assert.deepInclude(lastLine(said), { title: "alembic.json", type: "object" })
      assert.deepStrictEqual(JSON.parse((yield* alembic({ cwd }, "init", "--schema")).out), lastLine(said))
      assert.deepStrictEqual(readdirSync(cwd), [])
    })
  )

  it.live(
    "--schema KIND prints the schema of every file that a user writes, with each oracle's arguments",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({})
        const schemaOf = (kind: string) =>
          Effect.map(alembic({ cwd }, "init", "--schema", kind, "--json"), (said) => {
            assert.strictEqual(said.code, 0, said.err)
            const schema = lastLine(said)
            return (value: unknown) => new Validator(schema, "2020-12").validate(value).valid
          })
        const assertion = {
          id: "a",
          statement: "s",
          oracle: "exit_code",
          args: { code: 0 },
          evidence: "proof:t"
        }
        const wrong = { ...assertion, args: { cod: 0 } }
        const contract = yield* schemaOf("contract")
        assert.isTrue(contract({ assertions: [assertion], budget: { usd: 1 }, publish: true }))
        assert.isFalse(contract({ assertions: [wrong] }))
        assert.isFalse(contract({ budget: { uds: 1 } }))
        const claims = yield* schemaOf("claims")
        assert.isTrue(claims([assertion]))
        assert.isTrue(claims({ claims: [assertion] }))
        assert.isFalse(claims([wrong]))
        assert.isFalse(claims([{ ...assertion, oracle: "trust" }]))
        const board = yield* schemaOf("board")
        assert.isTrue(board(parse(boardFile.text)))
        assert.isFalse(board({ members: [{ id: "a" }] }))
        // A number is a number: the words that Effect has for those that are none are no board's.
        assert.isFalse(board({ ...parse(boardFile.text), thresholds: { go: "NaN", pivot: 5 } }))
        const mission = yield* schemaOf("mission")
        assert.isTrue(mission({ title: "t", units: [{ id: "a", prompt: "p", tier: "T2" }] }))
        assert.isFalse(mission({ title: "t", units: [{ id: "a", prompt: "p", tier: "T9" }] }))
        assert.isTrue((yield* schemaOf("config"))({ boards: { tech: boardFile.name } }))
        const usage = yield* alembic({ cwd }, "init", "contract", "--json")
        assert.strictEqual(usage.code, 2)
        assert.deepStrictEqual(readdirSync(cwd), [])
      })
  )

  it.live("--board writes the example board, which the example of council --help then debates on", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({})
      assert.strictEqual((yield* alembic({ cwd }, "init", "--board")).code, 0)
      const example = new URL("../../../examples/boards/technical-decision.yaml", import.meta.url)
      const written = readFileSync(join(cwd, boardFile.name), "utf8")
      assert.strictEqual(
        written,
        `# yaml-language-server: $schema=./board.schema.json\n${readFileSync(example, "utf8")}`
      )
      const schema = new Validator(
        JSON.parse(readFileSync(join(cwd, "boards/board.schema.json"), "utf8")),
        "2020-12"
      )
      assert.isTrue(schema.validate(parse(written)).valid)
      const help = (yield* alembic({ cwd }, "council", "--help")).out
      assert.include(help, `alembic council ${boardFile.name} "Do we move to event sourcing?" --dry`)
      const said = yield* alembic(
        { cwd },
        "council",
        boardFile.name,
        "Do we move to event sourcing?",
        "--dry"
      )
      assert.strictEqual(said.code, 0, said.err)
      assert.strictEqual((yield* alembic({ cwd }, "init", "--board")).code, 2)
    })
  )
})
