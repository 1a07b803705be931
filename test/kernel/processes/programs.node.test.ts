// Where a program is looked for that is named without a path: on the path, and in no folder of the project.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { modelPrograms, projectOf, programsOutside } from "../../../src/kernel/processes/programs.node.ts"

const base = realpathSync(mkdtempSync(join(tmpdir(), "alembic-programs-")))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const folder = (...parts: ReadonlyArray<string>): string => {
  const path = join(base, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}
const plant = (directory: string, name: string): string => {
  writeFileSync(join(directory, name), "#!/bin/sh\n", { mode: 0o755 })
  return join(directory, name)
}

const home = folder("home")
const clone = folder("home", "work", "clone")
const sub = folder("home", "work", "clone", "deep", "sub")
const bin = folder("home", "work", "clone", "node_modules", ".bin")
const deepBin = folder("home", "work", "clone", "deep", "bin")
const own = folder("home", ".local", "bin")
writeFileSync(join(clone, "package.json"), "{}")
for (const directory of [bin, deepBin, folder("outside")]) plant(directory, "claude")
const claude = join(base, "outside", "claude")
const pathOf = (...entries: ReadonlyArray<string>) => [...entries, join(base, "outside")].join(delimiter)

describe("the folders of a project", () => {
  it("are the working directory and the topmost folder above it that looks like a project", () => {
    assert.deepStrictEqual(projectOf(sub, home), [sub, clone])
    assert.deepStrictEqual(projectOf(clone, home), [clone])
    for (const mark of [".git", "node_modules", "alembic.json"]) {
      const project = folder(`with${mark}`)
      mkdirSync(join(project, mark), { recursive: true })
      assert.deepStrictEqual(projectOf(folder(`with${mark}`, "a", "b"), home), [
        join(project, "a", "b"),
        project
      ])
    }
  })

  it("are not the person's home, or what holds it, whatever lies there", () => {
    folder("home", "node_modules")
    assert.deepStrictEqual(projectOf(home, home), [])
    assert.deepStrictEqual(projectOf(base, home), [])
    assert.deepStrictEqual(projectOf(folder("home", "plain"), home), [join(home, "plain")])
  })

  it("are the home too where it is a repository and a command is typed in it", () => {
    const repository = folder("home2")
    folder("home2", ".git")
    assert.deepStrictEqual(projectOf(repository, repository), [repository])
  })
})

describe("a program that is named without a path", () => {
  const project = projectOf(sub, home)

  it("is not one of the project, by whatever entry of the path", async () => {
    const link = join(base, "link")
    symlinkSync(bin, link)
    const linked = folder("linked")
    symlinkSync(join(bin, "claude"), join(linked, "claude"))
    const within = [
      bin,
      deepBin,
      link,
      linked,
      "node_modules/.bin",
      ".",
      "",
      `${sub}/../../node_modules/.bin`
    ]
    for (const entry of within) {
      const located = await programsOutside(project, pathOf(entry)).locate("claude")
      assert.deepStrictEqual(located, { _tag: "found", path: claude }, entry)
      const alone = await programsOutside(project, entry).locate("claude")
      assert.notStrictEqual(alone._tag, "found", entry)
    }
  })

  it("is looked for on what remains of the path by what it starts, too", () => {
    const { path } = programsOutside(project, pathOf(bin, "node_modules/.bin", own))
    assert.strictEqual(path, [own, join(base, "outside")].join(delimiter))
  })

  it("is refused to a command model where only the project has it, with what to write", async () => {
    const given = [bin, own].join(delimiter)
    const refused = await modelPrograms([sub], given)(["claude", "-p"], { PATH: given })
    assert.strictEqual(refused._tag, "refused")
    assert.match(
      refused._tag === "refused" ? refused.problem : "",
      /claude is only in the project .*alembic\.json/
    )
  })

  it("is found for a command model outside, with a path without the project", async () => {
    const given = pathOf(bin)
    const found = await modelPrograms([sub], given)(["claude", "-p"], { PATH: given, A: "1" })
    assert.deepStrictEqual(found, {
      _tag: "program",
      argv: [claude, "-p"],
      env: { PATH: join(base, "outside"), A: "1" }
    })
  })

  it("is what a configuration says by a path of its own", async () => {
    const programs = modelPrograms([sub], pathOf(bin))
    const env = { PATH: "/a/path/of/its/own" }
    assert.deepStrictEqual(await programs(["claude"], env), { _tag: "program", argv: ["claude"], env })
    assert.deepStrictEqual(await programs(["./bin/claude"], env), {
      _tag: "program",
      argv: ["./bin/claude"],
      env
    })
  })
})
