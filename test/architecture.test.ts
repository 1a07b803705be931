// The table of rooms in src/README.md, kept: imports only downwards, nothing ambient outside the live layers, files
// that say what they own. The rules stand in support/architecture.ts, and are shown here to catch what they forbid.
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import {
  allRules,
  ambientUses,
  circles,
  illegalImports,
  illegalNames,
  rooms,
  strayRuns,
  untidiness
} from "./support/architecture.ts"

const src = new URL("../src/", import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file))
  .sort()
const textOf = (file: string): string => readFileSync(new URL(file, src), "utf8")

describe("the house", () => {
  it("keeps every rule in every file of src/", () => {
    assert.isAbove(files.length, 50)
    assert.deepStrictEqual(
      files.flatMap((file) => allRules.flatMap((rule) => rule(file, textOf(file)))),
      []
    )
  })

  it("has the table of rooms that src/README.md shows", () => {
    const readme = readFileSync(new URL("README.md", src), "utf8")
    for (const [room, below] of Object.entries(rooms)) {
      const row = new RegExp(`^${room}/ .*(?:\\n +.*)*?  ${below.join(" ") || "imports nothing"}$`, "m")
      assert.match(readme, row, `the row of ${room}`)
    }
  })

  it("has in that table the rooms that there are, and no others", () => {
    const there = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0] ?? ""))
    const readme = readFileSync(new URL("README.md", src), "utf8")
    const block = readme.split("## The rooms")[1]?.split("```")[1] ?? ""
    const shown = Array.from(block.matchAll(/^([a-z]+)\/ /gm), ([, room]) => room ?? "")
    assert.deepStrictEqual(shown.sort(), [...there].sort())
  })

  it("has folders that are read at a glance", () => {
    const counts = new Map<string, number>()
    for (const file of files) {
      const folder = file.split("/").slice(0, -1).join("/")
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    assert.deepStrictEqual(
      [...counts].filter(([, count]) => count > 15),
      []
    )
  })

  it("has no files that import each other in a circle, types included", () => {
    assert.deepStrictEqual(circles(new Map(files.map((file) => [file, textOf(file)]))), [])
  })

  const listed = spawnSync("git", ["ls-files"], { cwd: new URL("../", import.meta.url), encoding: "utf8" })
  it.skipIf(listed.status !== 0)("has at its top level only what belongs there", () => {
    const top = new Set(
      listed.stdout
        .trim()
        .split("\n")
        .map((path) => path.split("/")[0] ?? "")
    )
    assert.deepStrictEqual([...top].filter((name) => !name.startsWith(".")).sort(), [
      "LICENSE",
      "README.md",
      "package-lock.json",
      "package.json",
      "src",
      "test",
      "tsconfig.json",
      "vitest.config.ts"
    ])
  })
})

describe("the rules", () => {
  it("find a circle, and each file of it once", () => {
    const imports = (name: string) => `import type { a } from "./${name}.ts"`
    const house = new Map([
      ["a/A.ts", imports("B")],
      ["a/B.ts", imports("C")],
      ["a/C.ts", imports("A")],
      ["a/D.ts", imports("A")]
    ])
    assert.deepStrictEqual(circles(house), ["a/A.ts → a/B.ts → a/C.ts → a/A.ts"])
    assert.deepStrictEqual(circles(new Map([...house, ["a/C.ts", ""]])), [])
  })

  const header = "// Owns a thing.\n"
  const refused: ReadonlyArray<readonly [rule: keyof typeof by, file: string, source: string, why: string]> =
    [
      [
        "imports",
        "domain/X.ts",
        'import { a } from "../kernel/IdFactory.ts"',
        "domain may not import kernel"
      ],
      [
        "imports",
        "verifier/X.ts",
        'import type { A } from "../adapters/A.ts"',
        "verifier may not import adapters"
      ],
      ["imports", "journal/X.ts", 'export { a } from "../plan/Hooks.ts"', "journal may not import plan"],
      ["imports", "plan/X.ts", 'const a = await import("../engine/a.ts")', "plan may not import engine"],
      ["imports", "plan/X.ts", 'import "../engine/a.ts"', "plan may not import engine"],
      ["imports", "cli/X.ts", 'import {\n  a,\n  b\n} from "../app/layers.ts"', "cli may not import app"],
      ["imports", "engine/X.ts", 'import { a } from "../plan/internal/a.ts"', "internal/ is private to plan"],
      ["imports", "engine/X.ts", 'import { a } from "./a"', "a relative import ends in .ts"],
      ["imports", "kernel/FsPort.ts", 'import { readFileSync } from "node:fs"', "belong to the live layers"],
      ["imports", "domain/other.ts", 'import { hash } from "node:crypto"', "belong to the live layers"],
      [
        "imports",
        "domain/fingerprint.ts",
        'import { readFileSync } from "node:fs"',
        "belong to the live layers"
      ],
      ["imports", "engine/X.ts", 'import { Command } from "effect/cli"', "engine may not import effect/cli"],
      [
        "imports",
        "engine/X.ts",
        'import { createOpenAI } from "@ai-sdk/openai"',
        "may not import @ai-sdk/openai"
      ],
      ["imports", "engine/X.ts", 'import _ from "lodash"', "no room owns the package lodash"],
      [
        "names",
        "journal/X.ts",
        'import * as FileSystem from "effect/FileSystem"',
        "FileSystem of effect is unstable"
      ],
      [
        "names",
        "journal/X.ts",
        'import { Effect, FileSystem } from "effect"',
        "FileSystem of effect is unstable"
      ],
      [
        "names",
        "engine/X.ts",
        'import {\n  Effect,\n  type Graph\n} from "effect"',
        "Graph of effect is unstable"
      ],
      ["ambient", "engine/X.ts", "export const now = () => Date.now()", "Date is ambient"],
      ["ambient", "engine/X.ts", "export const now = new Date()", "Date is ambient"],
      ["ambient", "engine/X.ts", "const { now } = Date", "Date is ambient"],
      ["ambient", "engine/X.ts", "export const r = Math.random()", "Math.random is ambient"],
      ["ambient", "engine/X.ts", 'export const r = Math["random"]()', "Math.random is ambient"],
      ["ambient", "engine/X.ts", "const { random } = Math", "Math is ambient"],
      ["ambient", "engine/X.ts", "setTimeout(() => {}, 1)", "setTimeout is ambient"],
      ["ambient", "engine/X.ts", "export const id = globalThis.crypto.randomUUID()", "globalThis is ambient"],
      ["ambient", "engine/X.ts", "export const id = crypto.randomUUID()", "crypto is ambient"],
      ["ambient", "engine/X.ts", "export const home = process.env.HOME", "process is ambient"],
      ["ambient", "engine/X.ts", 'export const a = () => fetch("http://a")', "fetch is ambient"],
      ["ambient", "engine/X.ts", 'const f = Function("return this")', "Function is ambient"],
      ["runs", "engine/X.ts", "export const a = Effect.runSync(b)", "Effect.runSync outside the live layers"],
      ["runs", "engine/X.ts", "export const a = () => Effect.runPromise(b)", "Effect.runPromise outside"],
      ["tidy", "engine/X.ts", "export const a = 1", "opens without a comment"],
      ["tidy", "engine/X.ts", `${header}${"export {}\n".repeat(400)}`, "401 lines; 400 at most"],
      ["tidy", "engine/index.ts", header, "a room has no barrel"],
      ["tidy", "engine/utils.ts", header, "a name that says nothing"],
      ["tidy", "engine/JournalLive.ts", header, "a Live/Impl/Service suffix"],
      ["tidy", "cellar/X.ts", header, "no such room: cellar"]
    ]
  const by = {
    imports: illegalImports,
    names: illegalNames,
    ambient: ambientUses,
    runs: strayRuns,
    tidy: untidiness
  }

  it.each(refused)("refuse (%s) in %s: %s", (rule, file, source, why) => {
    const problems = by[rule](file, source)
    assert.strictEqual(problems.length, 1, problems.join("\n"))
    assert.include(problems[0], why)
  })

  const accepted: ReadonlyArray<readonly [file: string, source: string]> = [
    ["engine/X.ts", 'import type { A } from "../plan/Hooks.ts"'],
    ["kernel/FsPort.node.ts", 'import { readFileSync } from "node:fs"\nexport const now = Date.now()'],
    ["domain/fingerprint.ts", 'import { hash } from "node:crypto"'],
    ["adapters/providers/wire.ts", "export const get = () => fetch"],
    ["engine/X.ts", "export const day = new Date(0).getTime() + Date.UTC(2020, 1)"],
    ["engine/X.ts", "export const kill = (process: number) => ({ Date: process, fetch: 1 }).fetch"],
    ["engine/X.ts", 'export const text = "Date.now() and process.env"'],
    ["engine/X.ts", "export type Fetch = typeof globalThis.fetch"],
    ["engine/X.ts", "export const a = Effect.runForkWith(context)(b)"]
  ]
  it.each(accepted)("accept in %s: %s", (file, source) => {
    assert.deepStrictEqual(
      allRules.flatMap((rule) => rule(file, header + source)),
      []
    )
  })
})
