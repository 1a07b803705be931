// Where providers are reached: what the environment says, what a run has kept of it, and the vendors' own habits.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { baseUrlProblem, readEndpoints } from "../../../src/adapters/registry/Endpoints.ts"

const urls = (
  env: Readonly<Record<string, string>>,
  given?: string,
  kept?: Readonly<Record<string, string>>
) =>
  readEndpoints(
    { providers: { mine: { kind: "anthropic", baseUrl: "http://gateway" } } },
    given,
    new Set(["anthropic", "openai"]),
    kept
  ).pipe(
    Effect.map((endpoints) => (id: string) => endpoints.get(id)?.baseUrl),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )

describe("a base URL", () => {
  it("that holds what looks like a key in its path is refused, and one that only has such words is not", () => {
    for (const url of [
      "http://h/sk-live-abcdefghij/v1",
      "http://h/v1;key=abc",
      "http://h/%73k-live-abcdefghij/v1",
      "http://h/ghp_abcdefghijkl/v1"
    ])
      assert.match(baseUrlProblem(url)?.[0] ?? "", /looks like a key/, url)
    for (const url of [
      "http://h/v1",
      "http://h/skills-and-more-stuff/v1",
      "https://sk-gateway.example-company.com/v1"
    ])
      assert.isUndefined(baseUrlProblem(url), url)
  })

  it.effect("of Anthropic's without a path is that of its API; of others it is as it was given", () =>
    Effect.gen(function* () {
      for (const [given, wanted] of [
        ["https://api.anthropic.com", "https://api.anthropic.com/v1"],
        ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"],
        ["http://h/v1", "http://h/v1"],
        ["http://h/anthropic", "http://h/anthropic"]
      ] as const) {
        const of = yield* urls({ ANTHROPIC_BASE_URL: given, OPENAI_BASE_URL: given })
        assert.strictEqual(of("anthropic"), wanted)
        assert.strictEqual(of("openai"), given)
        assert.strictEqual((yield* urls({}, given))("anthropic"), wanted)
      }
      assert.strictEqual((yield* urls({}))("mine"), "http://gateway/v1")
      assert.isUndefined((yield* urls({}))("anthropic"))
    })
  )

  it.effect("that a run has kept holds where the environment says nothing, and the flag before both", () =>
    Effect.gen(function* () {
      const kept = { openai: "http://kept/v1" }
      assert.strictEqual((yield* urls({}, undefined, kept))("openai"), "http://kept/v1")
      assert.strictEqual(
        (yield* urls({ OPENAI_BASE_URL: "http://now/v1" }, undefined, kept))("openai"),
        "http://now/v1"
      )
      assert.strictEqual(
        (yield* urls({ OPENAI_BASE_URL: "http://now/v1" }, "http://flag/v1", kept))("openai"),
        "http://flag/v1"
      )
    })
  )
})
