// Addresses and keys on the command line and in a configuration: what may not be kept with a run is refused before
// anything is asked, made or shown, and is not in what is said.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const secret = "kq-7f3a91c2d4e5"
const env = { OWN_KEY: secret, OWN_HEADER: "hh-11223344" }
const provider = (more: object) => ({
  providers: {
    own: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "OWN_KEY", ...more }
  }
})

const refused: ReadonlyArray<
  readonly [what: string, config: object, flags: ReadonlyArray<string>, at: RegExp]
> = [
  [
    "a user in an address",
    provider({ baseUrl: "https://api.openai.com@evil.example/v1" }),
    [],
    /providers\.own\.baseUrl/
  ],
  [
    "a password in an address",
    provider({ baseUrl: `http://u:${secret}@h/v1` }),
    [],
    /providers\.own\.baseUrl/
  ],
  [
    "an own provider's key in its address",
    provider({ baseUrl: `http://h/${secret}/v1` }),
    [],
    /providers\.own\.baseUrl/
  ],
  [
    "an own provider's key in --base-url",
    provider({}),
    ["--base-url", `http://h/${secret}/v1`],
    /--base-url/
  ],
  [
    "an own header's value in --base-url",
    provider({ headersEnv: { "x-h": "OWN_HEADER" } }),
    ["--base-url", "http://h/hh-11223344"],
    /--base-url/
  ],
  [
    "a key's value in the configuration",
    { ...provider({}), commands: { c: { command: ["/bin/echo", secret] } } },
    [],
    /OWN_KEY/
  ]
]

describe("what may not be kept with a run", () => {
  for (const [what, config, flags, at] of refused) {
    it.live(`${what} is refused by run and by trust, and not shown`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({
          "GOAL.md": "# Goal\n",
          "alembic.plan.ts": "export const run = async (h) => 1",
          "alembic.json": JSON.stringify(config)
        })
        const commands = [
          ["run", "--yes", "--json", ...flags],
          ...(flags.length === 0 ? [["trust", "--json"]] : [])
        ]
        for (const args of commands) {
          const said = yield* alembic({ cwd, env }, ...args)
          assert.strictEqual(said.code, 2, said.out + said.err)
          assert.match(JSON.stringify(lastLine(said)), at)
          for (const hidden of [secret, "hh-11223344", "evil.example"])
            assert.notInclude(said.out + said.err, hidden)
        }
        assert.isFalse(existsSync(join(cwd, ".alembic", "runs")))
      })
    )
  }
})
