// What README.md shows is true: its programs compile, run, and print what it says they print. The code blocks are
// taken out of it by the name that stands behind their language.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
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

describe("README.md", () => {
  let folder: string
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
    writeFileSync(join(folder, "GOAL.md"), "Find the weakest part of the system.\n")
    for (const name of ["alembic.plan.ts", "app.ts", "vote.test.ts"])
      writeFileSync(join(folder, name), block(name))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("has programs that compile, as strictly as Alembic itself", async () => {
    const files = ["alembic.plan.ts", "app.ts", "vote.test.ts"]
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
