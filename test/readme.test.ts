// What README.md shows is true: its programs compile, run, and print what it says they print. The code blocks are
// taken out of it by the name that stands behind their language.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { oracleNamed, oracleNames } from "../src/verifier/oracleKit.ts"
import { buildCommand } from "./support/buildCommand.ts"
import { execute } from "./support/execute.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")

/** The code block that is called `name`. */
const block = (name: string): string => {
  const found = new RegExp(`^\`\`\`\\w+ ${name.replaceAll(".", "\\.")}\\n(.*?)^\`\`\`$`, "ms").exec(
    readme
  )?.[1]
  if (found === undefined) throw new Error(`README.md has no block ${name}`)
  return found
}

/** The keys that a schema's objects have at its top. */
const keysOf = (schema: object): ReadonlyArray<string> => {
  const either = "anyOf" in schema && Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(keysOf) : []
  const own = "properties" in schema && typeof schema.properties === "object" ? schema.properties : {}
  return [...either, ...Object.keys(own ?? {})]
}

const programs = ["alembic.plan.ts", "app.ts", "vote.test.ts", "mission.plan.ts"]

describe("README.md", () => {
  let folder: string
  let mission: string
  let command: string
  const path = [join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter)
  const run = (program: string, ...args: ReadonlyArray<string>): Promise<string> =>
    execute(program, args, { cwd: folder, env: { PATH: path } })

  beforeAll(() => {
    command = buildCommand()
    folder = mkdtempSync(join(tmpdir(), "alembic-readme-"))
    const modules = join(folder, "node_modules")
    mkdirSync(modules)
    for (const name of ["effect", "@effect", "@types", "vitest"]) {
      symlinkSync(join(root, "node_modules", name), join(modules, name))
    }
    symlinkSync(root, join(modules, "alembic"))
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
    writeFileSync(join(folder, "GOAL.md"), `${/With the line `([^`]+)` in/.exec(readme)?.[1] ?? ""}\n`)
    for (const name of programs) writeFileSync(join(folder, name), block(name))
    // Its tests are to be found by `node --test`, those of the readme not.
    mission = mkdtempSync(join(tmpdir(), "alembic-readme-"))
    writeFileSync(join(mission, "GOAL.md"), "Make it add.\n")
    for (const name of ["mission.plan.ts", "contract.json", "board.yaml", "claims.json"])
      writeFileSync(join(mission, name), block(name))
    writeFileSync(join(mission, "sum.mjs"), "export const sum = (a, b) => a + b\n")
    writeFileSync(
      join(mission, "sum.test.mjs"),
      `import assert from "node:assert"\nimport test from "node:test"\nimport { sum } from "./sum.mjs"\ntest("adds", () => assert.strictEqual(sum(2, 3), 5))\n`
    )
  })
  afterAll(() => {
    for (const made of [folder, mission]) rmSync(made, { recursive: true, force: true })
  })

  it("has programs that compile, as strictly as Alembic itself", async () => {
    const files = programs
    const options = { types: ["node"] }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: options, files, include: [] })
    )
    // Errors elsewhere are the type check's to report.
    const said = await run("tsc", "-p", ".").catch(String)
    assert.deepStrictEqual(
      said.split("\n").filter((line) => files.some((file) => line.startsWith(`${file}(`))),
      []
    )
  })

  it("has a plan that prints what it says, again for nothing, and replays identical", async () => {
    assert.strictEqual(await run("node", command, "run", "--yes"), block("run"))
    const again = await run("node", command, "run", "--yes", "--json")
    const summary: unknown = JSON.parse(again.trim().split("\n").at(-1) ?? "")
    assert.deepNestedInclude(summary, { status: "completed", "calls.live": 0 })
    assert.match(await run("node", command, "replay", "@last"), /identical/)
  })

  it("has a contract and a mission that it fulfils, a board that debates, and claims that are proven", async () => {
    const line = /`alembic (run --plan mission\.plan\.ts [^`]+)`/.exec(readme)?.[1] ?? ""
    const last = async (...args: ReadonlyArray<string>) =>
      JSON.parse(
        (await execute("node", [command, ...args, "--json"], { cwd: mission, env: { PATH: path } }))
          .trim()
          .split("\n")
          .at(-1) ?? ""
      )
    // The first time a person is asked; nobody is here to be.
    const { hash } = await last("trust", "--contract", "contract.json")
    assert.deepNestedInclude(await last(...line.split(" "), "--trust", hash), {
      status: "completed",
      "result.ok": true
    })
    // Offline, the board's answers are made up, so that what it decides is not the point: that it was held is.
    const held = await last("council", "board.yaml", "Shall we?", "--dry")
    assert.deepInclude(held, { ok: true })
    assert.deepInclude(await last("check-claims", "claims.json", "--evidence", "."), { ok: true, proven: 1 })
  })

  it("lists every oracle with the arguments it takes, and no other", () => {
    const rows = [...readme.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| (.+?) +\|$/gm)].flatMap(([, names, args]) =>
      [...(names ?? "").matchAll(/\w+/g)].map(([name]) => [name, args ?? ""] as const)
    )
    const listed = new Map(rows.filter(([name]) => oracleNamed(name) !== undefined))
    assert.deepStrictEqual([...listed.keys()].sort(), [...oracleNames].sort())
    for (const [name, args] of listed) {
      const { schema } = Schema.toJsonSchemaDocument(oracleNamed(name)?.args ?? Schema.Never)
      const shared = args.endsWith("†") ? ["stream", "pointer", "extract"] : []
      for (const key of keysOf(schema))
        assert.isTrue(shared.includes(key) || args.includes(`\`${key}`), `${name} takes ${key}`)
    }
  })

  it("has an app that runs on the built package", async () => {
    assert.match(await run("node", "app.ts"), /^completed \[/)
  })

  it("has tests that pass on the built package", async () => {
    assert.match(await run("vitest", "run", "--root", "."), /3 passed/)
  })

  it("has a form of the command that works in a clone", async () => {
    const line = /^npm run -s alembic -- (.+)$/m.exec(readme)?.[1] ?? ""
    const said = await execute("npm", ["run", "-s", "alembic", "--", ...line.split(" ")], { cwd: root })
    assert.match(said, /alembic\.plan\.ts +deterministic/)
  })

  it("names only scripts that are there", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const [, script] of readme.matchAll(/npm run (?:-s )?([\w:]+)/g))
      assert.property(scripts, script ?? "")
  })
})
