// Files and directories that a person names: one that cannot be what it is named for ends the command with exit code 2,
// says which it is, what is wrong with it and what to do, and leaves nothing behind.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { alembic, lastLine, type Said } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const files = {
  "GOAL.md": "# Goal\n",
  "alembic.plan.ts": `export const run = async (h) => (await h.agent("hello")).ok\n`,
  "claims.json": "[]",
  "some.file": "text",
  "empty/.keep": ""
}
const links = { dangling: "nowhere/at-all", circle: "circle" }
const folder = planFolder(files, links)

const Failed = Schema.Struct({
  error: Schema.Struct({ code: Schema.String, message: Schema.String, cure: Schema.String })
})
const errorOf = (said: Said) => Schema.decodeUnknownSync(Failed)(lastLine(said)).error

const everything = (cwd: string) => readdirSync(cwd, { recursive: true }).map(String).toSorted()

describe("an empty path", () => {
  const given: ReadonlyArray<readonly [flag: string, args: ReadonlyArray<string>]> = [
    ["--base-dir", ["run"]],
    ["--base-dir", ["list"]],
    ["--goal", ["run"]],
    ["--plan", ["run"]],
    ["--contract", ["run"]],
    ["--args", ["run"]],
    ["--attach", ["run"]],
    ["--config", ["run"]],
    ["--offline-fixtures", ["run"]],
    ["--model", ["run"]],
    ["--plan", ["replay", "@last"]],
    ["--to", ["export", "@last"]],
    ["--schema", ["ask", "hello"]],
    ["--evidence", ["check-claims", "claims.json"]]
  ]
  for (const [flag, args] of given) {
    it.live(`of ${args[0] ?? ""} ${flag} is a usage error, and nothing is written`, () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const before = everything(cwd)
        for (const blank of ["", " "]) {
          const said = yield* alembic({ cwd }, ...args, flag, blank, "--json")
          assert.strictEqual(said.code, 2, said.out)
          const { code, message } = errorOf(said)
          assert.strictEqual(code, "usage")
          assert.include(message, flag)
          assert.include(message, "not empty")
        }
        assert.deepStrictEqual(everything(cwd), before)
      })
    )
  }

  for (const command of ["import", "check"]) {
    it.live(`that ${command} is given is a usage error`, () =>
      Effect.gen(function* () {
        const said = yield* alembic({ cwd: yield* folder }, command, "", "--json")
        assert.strictEqual(said.code, 2)
        assert.strictEqual(errorOf(said).code, "usage")
      })
    )
  }
})

describe("a base directory that cannot be one", () => {
  const unfit: ReadonlyArray<readonly [name: string, what: string, says: RegExp]> = [
    ["dangling", "a link to nothing", /symbolic link to nowhere\/at-all/],
    ["circle", "a link to itself", /circle/],
    ["some.file", "a file", /it is not a directory/],
    ["some.file/below", "below a file", /not a directory/]
  ]
  const commands = [
    ["run"],
    ["doctor"],
    ["list"],
    ["resume", "@last"],
    ["import", "some.file"],
    ["gc", "--keep", "1"]
  ]
  for (const [name, what, says] of unfit) {
    for (const args of commands) {
      it.live(`${what}: ${args[0] ?? ""} ends with 2, a clear error and nothing written`, () =>
        Effect.gen(function* () {
          const cwd = yield* folder
          const before = everything(cwd)
          const said = yield* alembic({ cwd }, ...args, "--base-dir", name, "--json")
          assert.strictEqual(said.code, 2, said.out)
          const { code, cure, message } = errorOf(said)
          assert.strictEqual(code, "not_a_directory")
          assert.include(message, name)
          assert.match(message, says)
          assert.include(cure, "--base-dir")
          assert.deepStrictEqual(everything(cwd), before)
        })
      )
    }
  }

  // Whether the kernel takes a directory there is only known once it is asked to.
  it.live.skipIf(!existsSync("/proc/self"))("in /proc: run and doctor end with 2 and say so", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const before = everything(cwd)
      const ran = yield* alembic({ cwd }, "run", "--base-dir", "/proc/alembic", "--json")
      assert.strictEqual(ran.code, 2, ran.out)
      const { cure, message } = errorOf(ran)
      assert.include(message, "/proc/alembic: no directory can be made there")
      assert.include(cure, "--base-dir")
      const looked = yield* alembic({ cwd }, "doctor", "--base-dir", "/proc/alembic")
      assert.strictEqual(looked.code, 2, looked.out)
      assert.match(looked.out, /✗ base directory +\/proc\/alembic: no directory can be made there/)
      assert.deepStrictEqual(everything(cwd), before)
    })
  )
})

describe("a file that cannot be read", () => {
  const commands: ReadonlyArray<readonly [says: string, args: (name: string) => ReadonlyArray<string>]> = [
    ["archive", (name) => ["import", name]],
    ["goal", (name) => ["run", "--goal", name]],
    ["plan", (name) => ["run", "--plan", name]],
    ["contract", (name) => ["run", "--contract", name]],
    ["arguments", (name) => ["run", "--args", `@${name}`]],
    ["configuration", (name) => ["run", "--config", name]],
    ["configuration", (name) => ["models", "--config", name]],
    ["configuration", (name) => ["doctor", "--config", name]],
    ["offline fixtures", (name) => ["run", "--offline-fixtures", name]],
    ["plan", (name) => ["check", name]],
    ["schema", (name) => ["ask", "hello", "--schema", name]],
    ["claims", (name) => ["check-claims", name, "--evidence", "empty"]],
    ["evidence", (name) => ["check-claims", "claims.json", "--evidence", name]],
    ["board", (name) => ["council", name, "Shall we?"]]
  ]
  for (const [says, args] of commands) {
    it.live(`as ${says} of ${args("FILE").join(" ")}: exit code 2, the file, what is wrong, the cure`, () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const before = everything(cwd)
        for (const name of ["missing", "dangling", "some.file/below"]) {
          const said = yield* alembic({ cwd }, ...args(name), "--json")
          assert.strictEqual(said.code, 2, said.out)
          const { code, cure, message } = errorOf(said)
          assert.match(code, /unreadable$/)
          assert.include(message, says)
          assert.include(message, name)
          assert.notStrictEqual(cure, "")
        }
        assert.deepStrictEqual(everything(cwd), before)
      })
    )
  }

  it.live("as another plan to replay: the same, and the run is as it was", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* alembic({ cwd }, "run")
      const before = everything(cwd)
      for (const name of ["missing", "empty"]) {
        const said = yield* alembic({ cwd }, "replay", "@last", "--plan", name, "--json")
        assert.strictEqual(said.code, 2, said.out)
        assert.include(errorOf(said).message, `plan ${name}`)
      }
      assert.deepStrictEqual(everything(cwd), before)
    })
  )

  it.live("a directory is no archive", () =>
    Effect.gen(function* () {
      const said = yield* alembic({ cwd: yield* folder }, "import", "empty", "--json")
      assert.strictEqual(said.code, 2)
      assert.include(errorOf(said).message, "archive empty: it is a directory")
    })
  )
})

describe("an archive that cannot be written", () => {
  it.live("over something, in no directory, or below a file: exit code 2, and nothing is written", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* alembic({ cwd }, "run")
      const before = everything(cwd)
      for (const [name, expected] of [
        ["some.file", "file_exists"],
        ["empty", "file_exists"],
        ["no/where.tar", "unwritable"],
        ["some.file/run.tar", "unwritable"]
      ] as const) {
        const said = yield* alembic({ cwd }, "export", "@last", "--to", name, "--json")
        assert.strictEqual(said.code, 2, said.out)
        const { code, cure, message } = errorOf(said)
        assert.strictEqual(code, expected)
        assert.include(message, `archive ${name}`)
        assert.include(cure, "--to")
      }
      assert.deepStrictEqual(everything(cwd), before)
    })
  )
})

describe("a directory where a file of a run should be", () => {
  it.live("as its lock: resume says which it is, and what to do about it", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const { runId } = Schema.decodeUnknownSync(Schema.Struct({ runId: Schema.String }))(
        lastLine(yield* alembic({ cwd }, "run", "--json"))
      )
      const lock = join(cwd, ".alembic/runs", runId, "lock")
      mkdirSync(lock)
      const said = yield* alembic({ cwd }, "resume", runId, "--json")
      assert.strictEqual(said.code, 5, said.out)
      const { code, cure, message } = errorOf(said)
      assert.strictEqual(code, "not_a_file")
      assert.include(message, `${lock}: a directory stands where a file of the run should be`)
      assert.include(cure, "move it away")
    })
  )
})
