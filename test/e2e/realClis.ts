// Opt-in: installs the real `claude` and `codex` into a temporary folder, points them at an aimock server on
// loopback and drives them through the command adapter. Prints a table; exits 1 where something is not as it must be.
// It needs the npm registry; nothing else leaves the machine. Not part of the tests: `node test/e2e/realClis.ts`.
import { NodeRuntime } from "@effect/platform-node"
import { LLMock } from "@copilotkit/aimock"
import { Console, Duration, Effect, Exit, Fiber, Result } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AttemptSuccess } from "../../src/adapters/Adapter.ts"
import { type CommandSpec, commandPresets, makeCommandAdapter } from "../../src/adapters/providers/command.ts"
import type { ModelError } from "../../src/domain/ModelError.ts"

const versions = { "@anthropic-ai/claude-code": "2.1.332", "@openai/codex": "0.171.0" }

class ScriptError extends Error {}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-clis-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const install = (dir: string) =>
  Effect.try({
    try: () => {
      const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
      const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", dir, ...packages], {
        encoding: "utf8"
      })
      if (npm.status !== 0) throw new ScriptError(npm.stderr)
    },
    catch: (cause) => new ScriptError(`npm install failed: ${String(cause)}`)
  })

const startMock = Effect.acquireRelease(
  Effect.promise(async () => {
    const mock = new LLMock({ port: 0, logLevel: "silent" })
    mock.prependFixture({
      match: { userMessage: "LIMITED" },
      response: {
        error: { message: "Slow down", type: "rate_limit_error", code: "rate_limit_exceeded" },
        status: 429,
        retryAfter: 7
      }
    })
    mock.prependFixture({
      match: { userMessage: "OUTAGE" },
      response: { error: { message: "Down", type: "api_error" }, status: 500 }
    })
    mock.onMessage(/CAPITAL/, { content: "Lisbon", usage: { input_tokens: 12, output_tokens: 5 } })
    mock.onMessage(/STRUCTURED/, { content: JSON.stringify({ city: "Lisbon" }) })
    mock.onMessage(/SLOW/, { content: "late" }, { latency: 15_000 })
    await mock.start()
    return mock
  }),
  // An answer that is still being delayed would hold the server open.
  (mock) => Effect.promise(() => mock.stop()).pipe(Effect.timeoutOption("2 seconds"))
)

interface Tool {
  readonly id: string
  readonly spec: CommandSpec
}

const tools = (dir: string, url: string): ReadonlyArray<Tool> => {
  const bin = (name: string) => join(dir, "node_modules", ".bin", name)
  const home = { HOME: dir, CLAUDE_CONFIG_DIR: join(dir, "claude"), CODEX_HOME: dir }
  return [
    {
      id: "command:claude",
      spec: {
        ...commandPresets.claude,
        argv: [bin("claude"), ...commandPresets.claude.argv.slice(1)],
        cwd: dir,
        env: {
          ...home,
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_API_KEY: "sk-ant-test-0123456789abcdef",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          CLAUDE_CODE_MAX_RETRIES: "0",
          DISABLE_AUTOUPDATER: "1"
        }
      }
    },
    {
      id: "command:codex",
      spec: {
        ...commandPresets.codex,
        argv: [
          bin("codex"),
          ...commandPresets.codex.argv.slice(1, -1),
          ...[
            'model_provider="mock"',
            'model_providers.mock.name="mock"',
            `model_providers.mock.base_url="${url}/v1"`,
            'model_providers.mock.wire_api="responses"',
            'model_providers.mock.env_key="MOCK_KEY"',
            "model_providers.mock.request_max_retries=0",
            "model_providers.mock.stream_max_retries=0"
          ].flatMap((setting) => ["-c", setting]),
          "-"
        ],
        cwd: dir,
        env: { ...home, MOCK_KEY: "sk-test-0123456789abcdef" }
      }
    }
  ]
}

const show = (outcome: Result.Result<AttemptSuccess, ModelError>): string =>
  Result.isSuccess(outcome)
    ? `"${outcome.success.text}" ${JSON.stringify(outcome.success.usage ?? {})}`
    : `${outcome.failure.code}${outcome.failure.retryable ? " (retryable)" : ""}${outcome.failure.retryAfterMs === undefined ? "" : ` after ${outcome.failure.retryAfterMs} ms`}: ${outcome.failure.message}`

/** Processes whose environment holds the folder: none may be left after an abort. */
const leftOver = (dir: string): ReadonlyArray<string> =>
  process.platform !== "linux"
    ? []
    : readdirSync("/proc").filter((pid) => {
        if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
        const environ = Result.try(() => readFileSync(`/proc/${pid}/environ`, "utf8"))
        return Result.isSuccess(environ) && environ.success.includes(dir)
      })

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const drive = Effect.fnUntraced(function* ({ id, spec }: Tool, mock: LLMock, dir: string) {
  const adapter = makeCommandAdapter({ id, spec })
  const failures: Array<string> = []
  const row = Effect.fnUntraced(function* (
    what: string,
    prompt: string,
    good: (outcome: Result.Result<AttemptSuccess, ModelError>) => boolean,
    more = {}
  ) {
    const outcome = yield* Effect.result(adapter.attempt({ prompt, model: id, ...more })).pipe(
      Effect.timeout("120 seconds")
    )
    const fine = good(outcome)
    if (!fine) failures.push(`${id}: ${what}`)
    yield* Console.log(`${fine ? "ok  " : "FAIL"} ${id} | ${what} | ${show(outcome)}`)
    if (!fine && Result.isFailure(outcome))
      yield* Console.log(JSON.stringify(outcome.failure.detail, undefined, 2))
  })
  const is =
    (...codes: ReadonlyArray<string>) =>
    (outcome: Result.Result<AttemptSuccess, ModelError>) =>
      Result.isFailure(outcome) && codes.includes(outcome.failure.code)
  yield* row(
    "success",
    "CAPITAL of Portugal, one word",
    (outcome) => Result.isSuccess(outcome) && outcome.success.text === "Lisbon"
  )
  yield* row(
    "structured",
    "STRUCTURED city",
    (outcome) => Result.isSuccess(outcome) && /"city": ?"Lisbon"/.test(outcome.success.text),
    { schema }
  )
  yield* row("429 with hint", "LIMITED", is("rate_limited"))
  yield* row("outage", "OUTAGE", is("server_error"))
  const before = mock.getRequests().length
  const fiber = yield* Effect.forkChild(adapter.attempt({ prompt: "SLOW", model: id }))
  while (mock.getRequests().length === before) yield* Effect.sleep(Duration.millis(50))
  yield* Fiber.interrupt(fiber)
  const left = leftOver(dir)
  yield* Console.log(`${left.length === 0 ? "ok  " : "FAIL"} ${id} | abort | ${left.length} processes left`)
  if (left.length > 0) failures.push(`${id}: abort`)
  return failures
})

const main = Effect.scoped(
  Effect.gen(function* () {
    const dir = yield* temporary
    yield* Console.log(
      `installing ${Object.entries(versions)
        .map(([name, version]) => `${name}@${version}`)
        .join(" ")}`
    )
    yield* install(dir)
    const mock = yield* startMock
    const failures = yield* Effect.forEach(tools(dir, mock.url), (tool) => drive(tool, mock, dir))
    if (failures.flat().length > 0) return yield* Effect.fail(new ScriptError(failures.flat().join("\n")))
  })
)

// The mock's delayed answers hold the process open.
NodeRuntime.runMain(main, {
  teardown: (exit, onExit) => (
    onExit(Exit.isSuccess(exit) ? 0 : 1),
    process.exit(Exit.isSuccess(exit) ? 0 : 1)
  )
})
