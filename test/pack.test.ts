// What is published works where nothing else is: the tarball of `npm pack`, installed in an empty folder, answers
// on the oldest Node that is supported and on the checkout's own. Needs what `npm ci` needs: npm and its registry. Out
// of reach of one, what needs it is skipped; never in CI.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { execute } from "./support/execute.ts"

const root = fileURLToPath(new URL("../", import.meta.url))

const noRegistry = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/

describe("the tarball", () => {
  let folder: string
  let packed: ReadonlyArray<string>
  let unreachable = false

  /** In the empty folder, its own node_modules/.bin before everything. */
  const run = (program: string, ...args: ReadonlyArray<string>): Promise<string> => {
    const path = [join(folder, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter)
    return execute(program, args, { cwd: folder, env: { PATH: path } })
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "alembic-pack-"))
    const stdout = await execute("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root })
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[")))
    packed = files.map(({ path }: { readonly path: string }) => path)
    writeFileSync(join(folder, "package.json"), `{ "type": "module", "private": true }`)
    const oldest = "node@22.19.0"
    const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"]
    const install = ["install", ...quiet, join(folder, filename), oldest]
    await execute("npm", install, { cwd: folder }).catch((error: unknown) => {
      unreachable = noRegistry.test(String(error)) && process.env["CI"] === undefined
      if (!unreachable) throw error
    })
  }, 240_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("holds the build and what npm adds, and nothing else", () => {
    const others = packed.filter((path) => !path.startsWith("dist/"))
    assert.deepStrictEqual(others.sort(), ["LICENSE", "README.md", "package.json"])
    for (const name of ["main.js", "index.js", "plan.js", "testing.js", "plan-child.js", "plan-prelude.js"]) {
      assert.include(packed, `dist/${name}`)
    }
  })

  it("gives a command that helps, and that runs a plan, on Node 22.19", async ({ skip }) => {
    skip(unreachable, "no registry in reach")
    assert.strictEqual((await run("node", "--version")).trim(), "v22.19.0")
    assert.match(await run("alembic", "--help"), /USAGE[\s\S]+alembic/)
    writeFileSync(join(folder, "GOAL.md"), "Say it.\n")
    writeFileSync(
      join(folder, "alembic.plan.ts"),
      `import { Hooks } from "alembic/plan"
import { Effect } from "effect"
export const run = Effect.gen(function* () {
  const h = yield* Hooks
  return (yield* h.agent("say it")).ok
})
`
    )
    assert.strictEqual((await run("alembic", "run", "--yes")).trim(), "true")
    assert.match(await run("alembic", "replay", "@last"), /identical/)
  })

  it("gives the same command on the Node that runs the tests", async ({ skip }) => {
    skip(unreachable, "no registry in reach")
    const script = join(folder, "node_modules/alembic/dist/main.js")
    assert.match(await run(process.execPath, script, "--help"), /USAGE[\s\S]+alembic/)
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.include(await run(process.execPath, script, "--version"), version)
  })

  it("gives types to who compiles against it", async ({ skip }) => {
    skip(unreachable, "no registry in reach")
    writeFileSync(
      join(folder, "app.ts"),
      `import { Effect } from "effect"
import { Alembic, Hooks, runIdFor } from "alembic"
import { engineTest } from "alembic/testing"
import type { PlanHooks } from "alembic/plan"
export const run = async (h: PlanHooks): Promise<boolean> => (await h.agent("x")).ok
export const id: unknown = runIdFor({ goal: "g", plan: [], models: null })
const program = Effect.flatMap(Hooks, (h) => h.agent("x"))
const ran = Alembic.runProgram({ program: "p", goal: "g" }, program)
// @ts-expect-error -- a status is not a number
export const wrong: Effect.Effect<number> = Effect.map(Effect.provide(ran, engineTest()), ({ status }) => status)
`
    )
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"]
    assert.strictEqual(await run(join(root, "node_modules/.bin/tsc"), ...options, "app.ts"), "")
  })
})
