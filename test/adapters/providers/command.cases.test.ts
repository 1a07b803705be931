// The shared process cases, each played by a real child process and read by the real command adapter.
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type CommandSpec, makeCommandAdapter } from "../../../src/adapters/providers/command.ts"
import type { CliFormat } from "../../../src/adapters/classify/readCli.ts"
import {
  assertOutcome,
  bytesOf,
  type ProviderCase,
  readProviderCases,
  sharedCases
} from "../../support/providerCases.ts"

const tool = fileURLToPath(new URL("../../support/fakeTool.mjs", import.meta.url))

const formatOf = (cli: string | undefined): CliFormat =>
  cli === undefined
    ? "text"
    : cli.startsWith("claude")
      ? "claude"
      : cli.startsWith("codex")
        ? "codex"
        : cli.startsWith("gemini")
          ? "gemini"
          : "text"

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

const scripted = (process_: NonNullable<ProviderCase["process"]>, reads: CliFormat): CommandSpec => {
  const killed = process_.killedBy === "deadline"
  const script = {
    stdout: base64(bytesOf(process_.stdout, process_.stdoutEncoding)),
    stderr: base64(bytesOf(process_.stderr, undefined)),
    exitCode: process_.exitCode ?? 0,
    ...(process_.signal !== null && !killed && { signal: process_.signal }),
    ...(killed && { fault: "hang" }),
    ...(process_.killedBy === "output-cap" && { fault: "flood" }),
    ...(process_.fault !== undefined && { fault: process_.fault })
  }
  return {
    argv: [process.execPath, tool, base64(Buffer.from(JSON.stringify(script)))],
    reads,
    ...(killed && { timeLimitMs: 400 }),
    ...(process_.killedBy === "output-cap" && { maxOutputBytes: 100_000 })
  }
}

/** A command whose start fails as the case says, for real. */
const unstartable = (code: string, dir: string): { readonly spec: CommandSpec; readonly prompt: string } => {
  const argv = ["true", "{{prompt}}"]
  switch (code) {
    case "ENOENT":
      return { spec: { argv: [join(dir, "nope")], reads: "text" }, prompt: "hi" }
    case "EACCES": {
      const file = join(dir, "tool")
      writeFileSync(file, "#!/bin/sh\n")
      chmodSync(file, 0o644)
      return { spec: { argv: [file], reads: "text" }, prompt: "hi" }
    }
    case "E2BIG":
      return { spec: { argv, reads: "text" }, prompt: "x".repeat(3_000_000) }
    default:
      return { spec: { argv, reads: "text" }, prompt: "a\0b" }
  }
}

const run = ({ cli, process: process_ }: ProviderCase) =>
  Effect.gen(function* () {
    const dir = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const { prompt, spec } =
      process_?.spawnError !== undefined
        ? unstartable(process_.spawnError.code, dir)
        : {
            spec: scripted(process_ ?? { exitCode: 0, signal: null, stdout: "", stderr: "" }, formatOf(cli)),
            prompt: "hi"
          }
    return yield* Effect.result(
      makeCommandAdapter({ id: "command:tool", spec }).attempt({ prompt, model: "tool" })
    )
  })

describe("the shared process cases", () => {
  for (const { it: test, name } of readProviderCases(sharedCases)) {
    if (test.process === undefined) continue
    it.effect(name, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse(test.expect.clock ?? "2026-01-01T00:00:00Z"))
        assertOutcome(yield* run(test), test.expect)
      })
    )
  }
})
