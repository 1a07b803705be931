// What a subprocess agent is given of the host's environment, read by real children, and that no key of the host
// comes back through it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  childEnvironment,
  type Environment,
  keysIn,
  secretsIn
} from "../../../src/adapters/providers/commandEnvironment.ts"
import { type CommandSpec, makeCommandAdapter } from "../../../src/adapters/providers/command.ts"

const host: Environment = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/me",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  LC_ALL: "C",
  TERM: "xterm",
  https_proxy: "http://proxy.test:3128",
  ANTHROPIC_API_KEY: "anthropic-key-1",
  ANTHROPIC_BASE_URL: "https://gateway.test",
  OPENAI_API_KEY: "openai-key-22",
  GEMINI_API_KEY: "gemini-key-333",
  GOOGLE_GENERATIVE_AI_API_KEY: "google-key-4444",
  AWS_SECRET_ACCESS_KEY: "aws-key-55555",
  GITHUB_TOKEN: "github-token-6",
  DATABASE_URL: "postgres://u:p@db.test/x",
  SSH_AUTH_SOCK: "/tmp/agent.sock",
  GIT_AUTHOR_NAME: "Somebody Somewhere",
  UNSET: undefined
}
const ordinary = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TERM", "https_proxy"]

/** The variables of this process for the life of a test. */
const withVariables = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = { ...process.env }
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const name of Object.keys(variables)) {
          const value = before[name]
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

const attempt = (spec: CommandSpec) =>
  makeCommandAdapter({ id: "command:tool", spec }).attempt({ prompt: "hi", model: "tool" })
const shell = (script: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  argv: ["/bin/sh", "-c", script],
  reads: "text",
  ...more
})

describe("what a command is given", () => {
  it("is what any program needs, and the keys of the tool it is", () => {
    const tools = [
      ["text", []],
      ["claude", ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]],
      ["codex", ["OPENAI_API_KEY"]],
      ["gemini", ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"]]
    ] as const
    for (const [reads, own] of tools) {
      assert.sameMembers(Object.keys(childEnvironment(host, { reads })), [...ordinary, ...own])
    }
  })

  it("is what its configuration passes on and adds", () => {
    const given = childEnvironment(host, {
      reads: "text",
      passEnv: ["GITHUB_TOKEN"],
      env: { MODE: "x", LANG: "de" }
    })
    assert.sameMembers(Object.keys(given), [...ordinary, "GITHUB_TOKEN", "MODE"])
    assert.deepInclude(given, { GITHUB_TOKEN: "github-token-6", LANG: "de" })
  })

  it.effect("holds no provider's key in a real child", () =>
    Effect.gen(function* () {
      const planted = { OPENAI_API_KEY: "planted-openai-key", AWS_SECRET_ACCESS_KEY: "planted-aws-key" }
      yield* withVariables({ ...planted, PASSED: "on" })
      const script =
        'printf %s "${OPENAI_API_KEY-none} ${AWS_SECRET_ACCESS_KEY-none} ${PASSED-none} ${HOME:+home}"'
      assert.strictEqual((yield* attempt(shell(script))).text, "none none none home")
      assert.strictEqual((yield* attempt(shell(script, { passEnv: ["PASSED"] }))).text, "none none on home")
    })
  )
})

describe("keys of the host", () => {
  it("are known by their names, also short ones of providers", () => {
    assert.sameMembers(
      [
        ...new Set(
          keysIn({
            ...host,
            OPENAI_COMPATIBLE_API_KEY: "k3y9",
            CACHE_KEY: "2024",
            ANTHROPIC_AUTH_TOKEN: "abc"
          })
        )
      ],
      [
        "anthropic-key-1",
        "openai-key-22",
        "gemini-key-333",
        "google-key-4444",
        "aws-key-55555",
        "github-token-6",
        "k3y9"
      ]
    )
    assert.include(secretsIn(host), "/tmp/agent.sock")
  })

  it.effect("do not come back in an answer or a failure, whether the command was given them or not", () =>
    Effect.gen(function* () {
      const keys = {
        OPENAI_API_KEY: "planted-openai-key",
        OPENAI_COMPATIBLE_API_KEY: "k3y9",
        GITHUB_TOKEN: "planted-github"
      }
      yield* withVariables(keys)
      const encoded = Buffer.from(keys.OPENAI_API_KEY).toString("base64")
      const said = `it is ${Object.values(keys).join(" and ")} or ${encoded}, by Somebody`
      const answer = yield* attempt(shell(`printf %s '${said}'`))
      assert.strictEqual(
        answer.text,
        "it is [redacted] and [redacted] and [redacted] or [redacted], by Somebody"
      )
      const error = yield* Effect.flip(attempt(shell(`echo '${said}'; echo '${said}' >&2; exit 3`)))
      const shown = JSON.stringify([error.message, error.detail])
      for (const key of [...Object.values(keys), encoded]) assert.notInclude(shown, key)
    })
  )

  it.effect("values added by the configuration are not passed on in an answer either", () =>
    Effect.gen(function* () {
      const spec = shell('printf %s "$MY_API_KEY $MODE"', {
        env: { MY_API_KEY: "configured-key", MODE: "plain-mode" }
      })
      assert.strictEqual((yield* attempt(spec)).text, "[redacted] plain-mode")
    })
  )
})
