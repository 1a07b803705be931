// The root: help where it belongs, usage errors that exit 2 and keep stdout clean, and a table that says what the
// commands themselves say.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandTable, mentioned } from "../../src/cli/commandTable.ts"
import { alembic, jsonLines, lastLine } from "../support/commandLine.ts"

const cwd = import.meta.dirname

describe("help", () => {
  it.live("on request goes to stdout and exits 0", () =>
    Effect.gen(function* () {
      const said = yield* alembic({ cwd }, "--help")
      assert.strictEqual(said.code, 0)
      assert.match(said.out, /USAGE\s+alembic <subcommand>/)
      assert.strictEqual(said.err, "")
      for (const name of Object.keys(commandTable)) assert.match(said.out, new RegExp(`^ {2}${name} `, "m"))
    })
  )

  it.live("of a command names all its flags, each with what it does", () =>
    Effect.gen(function* () {
      const { out } = yield* alembic({ cwd }, "run", "--help")
      for (const flag of [
        "--goal",
        "--plan",
        "--contract",
        "--args",
        "--attach",
        "--attach-secrets",
        "--model",
        "--base-url",
        "--config",
        "--offline-fixtures",
        "--base-dir",
        "--hermetic",
        "--fresh",
        "--reuse",
        "--resume",
        "--no-cache",
        "--concurrency",
        "--max-usd",
        "--accept-loss",
        "--dry",
        "--yes",
        "--json",
        "--plain"
      ]) {
        assert.match(out, new RegExp(`^ {2}${flag}[ ,].* {2,}\\S`, "m"), flag)
      }
    })
  )

  it.live("without a command goes to stderr and exits 2", () =>
    Effect.gen(function* () {
      const said = yield* alembic({ cwd })
      assert.strictEqual(said.code, 2)
      assert.strictEqual(said.out, "")
      assert.match(said.err, /USAGE/)
      assert.match(said.err, /next: alembic --help/)
    })
  )

  it.live("with --json is one JSON object", () =>
    Effect.gen(function* () {
      const said = yield* alembic({ cwd }, "run", "--help", "--json")
      assert.strictEqual(said.code, 0)
      assert.deepInclude(lastLine(said), { type: "Help", ok: true })
      assert.strictEqual(jsonLines(said).length, 1)
    })
  )
})

describe("usage that is wrong", () => {
  for (const args of [
    ["bogus"],
    ["run", "--bogus"],
    ["replay"],
    ["repair"],
    ["run", "extra"],
    ["repair", "x", "--truncate-at", "-1"],
    ["gc", "--keep", "-1"],
    ["ask"]
  ]) {
    it.live(`${args.join(" ")} exits 2, keeps stdout clean, and shows usage on stderr`, () =>
      Effect.gen(function* () {
        const said = yield* alembic({ cwd }, ...args)
        assert.strictEqual(said.code, 2, said.out)
        assert.strictEqual(said.out, "")
        assert.match(said.err, /USAGE/)
        assert.match(said.err, /error \[usage\]/)
      })
    )

    it.live(`${args.join(" ")} --json is one JSON object, not ok`, () =>
      Effect.gen(function* () {
        const said = yield* alembic({ cwd }, ...args, "--json")
        assert.strictEqual(said.code, 2)
        assert.strictEqual(jsonLines(said).length, 1)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": "usage" })
      })
    )
  }
})

describe("the table of commands", () => {
  it.live("names each command as its file does", () =>
    Effect.gen(function* () {
      for (const [name, { load }] of Object.entries(commandTable)) {
        const { command } = (yield* Effect.promise(load)).default
        assert.strictEqual(command.name, name)
        assert.isAbove((command.description ?? "").length, 10)
      }
    })
  )

  it("loads only what is mentioned, and all where the built-in flags need all", () => {
    assert.deepStrictEqual(mentioned(["--json", "run", "--plan", "x"]), ["run"])
    assert.deepStrictEqual(mentioned(["--help"]), [])
    assert.deepStrictEqual(mentioned(["--completions", "bash"]), Object.keys(commandTable))
    assert.deepStrictEqual(mentioned(["--wizard"]), Object.keys(commandTable))
  })

  it.live("is complete in the completions", () =>
    Effect.gen(function* () {
      const { code, out } = yield* alembic({ cwd }, "--completions", "bash")
      assert.strictEqual(code, 0)
      for (const name of [...Object.keys(commandTable), "--retry-failed", "--truncate-at"])
        assert.include(out, name)
    })
  )
})

describe("--version", () => {
  it.live("prints the version, as JSON if asked", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* alembic({ cwd }, "--version")).out, "alembic v0.0.0-test")
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "--version", "--json")), {
        name: "alembic",
        version: "0.0.0-test"
      })
    })
  )
})

describe("what goes wrong outside of any plan", () => {
  it.live("is logged to stderr, so that stdout stays JSON", () =>
    Effect.gen(function* () {
      const checkups = () => Effect.as(Effect.logWarning("noise"), [])
      const said = yield* alembic({ cwd, host: { checkups } }, "doctor", "--json")
      assert.strictEqual(jsonLines(said).length, 1)
      assert.include(said.err, "noise")
    })
  )

  it.live("a defect is an internal error with exit 1, said once and as JSON", () =>
    Effect.gen(function* () {
      const checkups = () => Effect.die(new Error("broken inside"))
      const said = yield* alembic({ cwd, host: { checkups } }, "doctor", "--json")
      assert.strictEqual(said.code, 1)
      assert.deepNestedInclude(lastLine(said), {
        ok: false,
        "error.code": "internal_error",
        "error.message": "broken inside"
      })
      assert.strictEqual(jsonLines(said).length, 1)
      assert.match(said.err, /next: alembic doctor/)
    })
  )
})
