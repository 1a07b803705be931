// How a subprocess is run: what it is given, what is read of it, and that nothing of its process group is left
// behind however it ends. Real processes throughout.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import {
  type CommandSpec,
  commandLine,
  commandPresets,
  makeCommandAdapter
} from "../../../src/adapters/providers/command.ts"
import { lifelines } from "../../support/lifelines.ts"

const tool = fileURLToPath(new URL("../../support/fakeTool.mjs", import.meta.url))
const base64 = (text: string) => Buffer.from(text).toString("base64")

const scripted = (script: object, rest: Partial<CommandSpec> = {}): CommandSpec => ({
  argv: [process.execPath, tool, base64(JSON.stringify(script))],
  reads: "text",
  ...rest
})

const attempt = (spec: CommandSpec, prompt = "hi", more: object = {}) =>
  makeCommandAdapter({ id: "command:tool", spec }).attempt({ prompt, model: "tool", ...more })

const echoed = (spec: CommandSpec, prompt: string, more: object = {}) =>
  Effect.map(
    attempt(spec, prompt, more),
    ({ text }): { readonly argv: ReadonlyArray<string>; readonly stdin: string } => JSON.parse(text)
  )

describe("which program a bare name is", () => {
  const withPath = (entry: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const before = process.env["PATH"]
        process.env["PATH"] = `${entry}${delimiter}${before ?? ""}`
        return before
      }),
      (before) => Effect.sync(() => void (process.env["PATH"] = before))
    )
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-command-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )

  it.effect("none of the project's, which is not started and gets no key", () =>
    Effect.gen(function* () {
      const clone = yield* folder
      const bin = join(clone, "node_modules", ".bin")
      mkdirSync(bin, { recursive: true })
      const touched = join(clone, "started")
      writeFileSync(join(bin, "alembic-planted"), `#!/bin/sh\ntouch '${touched}'\necho planted\n`, {
        mode: 0o755
      })
      yield* withPath(bin)
      const spec: CommandSpec = { argv: ["alembic-planted"], reads: "text" }
      const adapter = makeCommandAdapter({ id: "command:planted", spec, project: [clone] })
      const error = yield* Effect.flip(adapter.attempt({ prompt: "hi", model: "planted" }))
      assert.strictEqual(error.code, "client_error")
      assert.match(error.message, /alembic-planted is only in the project/)
      assert.isFalse(existsSync(touched))
    })
  )
})

describe("what a command is given", () => {
  const echo = scripted({ fault: "echo" })

  it.effect("the prompt on stdin, which is closed, and the system text before it", () =>
    Effect.gen(function* () {
      const { argv, stdin } = yield* echoed(echo, "the prompt", { system: "be brief" })
      assert.deepStrictEqual(argv, [])
      assert.strictEqual(stdin, "be brief\n\nthe prompt")
    })
  )
  it.effect("the prompt as one argument, unharmed by any shell, and a closed stdin", () =>
    Effect.gen(function* () {
      const prompt = `a "quoted" $(touch x) ; 'b' {{system}} \n ü`
      const spec = {
        ...echo,
        argv: [...echo.argv, "--say={{prompt}}", ["--system", "{{system}}"], ["--model", "{{model}}"]]
      }
      const { argv, stdin } = yield* echoed(spec, prompt)
      assert.deepStrictEqual(argv, [`--say=${prompt}`])
      assert.strictEqual(stdin, "")
    })
  )
  it.effect("a large prompt that the child never reads does not break it", () =>
    Effect.gen(function* () {
      const { text } = yield* attempt(
        scripted({ stdout: base64("done"), exitCode: 0 }),
        "x".repeat(5_000_000)
      )
      assert.strictEqual(text, "done")
    })
  )
  it.effect("a sandbox before it, the schema in words, the idempotency key in its environment", () =>
    Effect.gen(function* () {
      const sandboxed = { ...echo, sandbox: ["/usr/bin/env", "CONFINED=1"] }
      const { stdin } = yield* echoed(sandboxed, "hi", { schema: { type: "object", required: ["a"] } })
      assert.include(stdin, `"required":["a"]`)
      const shown = yield* attempt(
        {
          argv: ["/bin/sh", "-c", 'printf %s "$CONFINED$ALEMBIC_IDEMPOTENCY_KEY"'],
          sandbox: ["/usr/bin/env", "CONFINED=1"],
          reads: "text"
        },
        "hi",
        { idempotencyKey: "k-7" }
      )
      assert.strictEqual(shown.text, "1k-7")
    })
  )
  it("the presets", () => {
    const input = { prompt: "hi", model: "opus", system: "be brief" }
    assert.deepStrictEqual(commandLine(commandPresets.claude, "command:claude", input), {
      argv: [
        "claude",
        "-p",
        "--output-format",
        "json",
        "--model",
        "opus",
        "--append-system-prompt",
        "be brief"
      ],
      stdin: "hi"
    })
    assert.deepStrictEqual(
      commandLine(commandPresets.codex, "command:codex", { prompt: "hi", model: "codex" }),
      {
        argv: ["codex", "exec", "--json", "--skip-git-repo-check", "-"],
        stdin: "hi"
      }
    )
    assert.deepStrictEqual(commandLine(commandPresets.gemini, "command:gemini", input), {
      argv: ["gemini", "--output-format", "json", "--model", "opus"],
      stdin: "be brief\n\nhi"
    })
  })
})

describe("what is read of it", () => {
  it.effect("UTF-8 that is cut between any two bytes", () =>
    Effect.gen(function* () {
      const text = "naïve – 日本語 – 🧪"
      const answer = yield* attempt(scripted({ stdout: base64(text), exitCode: 0, fault: "slow-bytes" }))
      assert.strictEqual(answer.text, text)
    })
  )
  it.effect("no more than its output limit", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(attempt(scripted({ fault: "flood" }, { maxOutputBytes: 100_000 })))
      assert.deepStrictEqual(
        [error.code, error.retryable, error.breaker ?? "neutral"],
        ["invalid_response", false, "neutral"]
      )
    })
  )
  it.effect("a bounded, redacted tail of its stderr", () =>
    Effect.gen(function* () {
      const stderr = base64(`${"noise\n".repeat(9000)}key sk-abcdefghijklmnop0123456789 refused\n`)
      const error = yield* Effect.flip(attempt(scripted({ stderr, exitCode: 3 })))
      assert.strictEqual(error.code, "unknown")
      const shown = JSON.stringify(error.detail)
      assert.isBelow(shown.length, 2000)
      assert.include(error.message, "refused")
      assert.notInclude(shown + error.message, "sk-abcdefghijklmnop")
    })
  )
  it.effect("which of command and working directory is missing", () =>
    Effect.gen(function* () {
      const noCommand = yield* Effect.flip(attempt({ argv: ["/nowhere/tool"], reads: "text" }))
      assert.include(noCommand.message, "command was not found")
      const noDir = yield* Effect.flip(attempt({ argv: ["true"], reads: "text", cwd: "/nowhere" }))
      assert.include(noDir.message, "working directory")
    })
  )
  it.effect("a NUL in an argument is refused before anything starts", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(attempt({ argv: ["echo", "{{prompt}}"], reads: "text" }, "a\0b"))
      assert.strictEqual(error.code, "invalid_input")
    })
  )
})

describe("its end", () => {
  it.effect("a grandchild that holds stdout open is ended with it", () =>
    Effect.gen(function* () {
      const { gone, port } = yield* lifelines(2)
      const spec = scripted({ exitCode: 3, fault: "grandchild-holds-stdout", port })
      assert.strictEqual((yield* Effect.flip(attempt(spec))).code, "unknown")
      yield* gone
    })
  )

  for (const fault of ["hang", "ignore-sigterm"]) {
    it.live(`interruption ends the whole group (${fault})`, () =>
      Effect.gen(function* () {
        const { all, gone, port } = yield* lifelines(1)
        const script = base64(JSON.stringify({ fault, port }))
        // A shell that ignores SIGTERM stands between us and the tool: the group must go, not only the child.
        const shell = ["/bin/sh", "-c", `trap '' TERM; "$@" & wait; wait`, "sh"]
        const spec: CommandSpec = { argv: [...shell, process.execPath, tool, script], reads: "text" }
        const fiber = yield* Effect.forkChild(attempt(spec))
        yield* all
        yield* Fiber.interrupt(fiber)
        yield* gone
      })
    )
  }

  it.effect("its own time limit is a timeout, known before the kill", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(attempt(scripted({ fault: "hang" }, { timeLimitMs: 200 })))
      assert.deepStrictEqual([error.code, error.retryable], ["timeout", true])
    })
  )
  it("it acts, and is not free", () => {
    const adapter = makeCommandAdapter({
      id: "command:tool",
      spec: scripted({}),
      secrets: [Redacted.make("x")]
    })
    assert.deepStrictEqual([adapter.hasSideEffects, adapter.free], [true, false])
  })
  it.effect("many at once do not mix their outputs", () =>
    Effect.gen(function* () {
      const texts = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => `answer ${index}`),
        (text) =>
          Effect.map(
            attempt(scripted({ stdout: base64(text), exitCode: 0 })),
            (answer) => answer.text === text
          ),
        { concurrency: 6 }
      )
      assert.isTrue(texts.every(Boolean))
    })
  )
})
