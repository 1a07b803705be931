// Notices: whoever has gone away is told of an end or a wait, by their own command or by a file's that is trusted.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, type CommandOptions } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const asks = `export const run = async (h) => (await h.agent("Which?", { model: "human" })).text`
const answers = `export const run = async (h) => (await h.agent("Which?")).text`

const told = (cwd: string): string | undefined =>
  existsSync(join(cwd, "told")) ? readFileSync(join(cwd, "told"), "utf8") : undefined

const telling = (cwd: string): string =>
  `printf '%s %s\\n' "$ALEMBIC_STATUS" "$ALEMBIC_RUN" >> '${join(cwd, "told")}'`

const folder = (plan: string, more: Readonly<Record<string, string>> = {}) =>
  planFolder({ "GOAL.md": "g\n", "alembic.plan.ts": plan, ...more })

describe("a notice", () => {
  it.live("tells that a run waits, and that it has ended", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(asks)
      const waiting = yield* alembic({ cwd }, "run", "--notify", telling(cwd))
      assert.strictEqual(waiting.code, 4)
      assert.match(told(cwd) ?? "", /^suspended run-[0-9a-f]{16}\n$/)
      yield* alembic({ cwd }, "answer", "@last", "q-1", "this")
      assert.strictEqual((yield* alembic({ cwd }, "resume", "@last", "--notify", telling(cwd))).code, 0)
      assert.match(told(cwd) ?? "", /\ncompleted run-[0-9a-f]{16}\n$/)
    })
  )

  it.live("tells nothing where nothing was begun", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(answers)
      assert.strictEqual(
        (yield* alembic({ cwd }, "run", "--plan", "none.ts", "--notify", telling(cwd))).code,
        2
      )
      assert.isUndefined(told(cwd))
    })
  )

  it.live("that fails is told, and changes nothing of the run", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(answers)
      const { code, err, out } = yield* alembic(
        { cwd },
        "run",
        "--json",
        "--notify",
        "echo broken >&2; exit 7"
      )
      assert.strictEqual(code, 0)
      assert.match(err, /the notice "echo broken.*failed: exit code 7 broken/)
      for (const line of out.trim().split("\n")) JSON.parse(line)
    })
  )

  it.live("gets no key of the environment", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(answers)
      process.env["NOTICE_TEST_API_KEY"] = "sk-notice-secret"
      yield* alembic({ cwd }, "run", "--notify", `env > '${join(cwd, "told")}'`)
      delete process.env["NOTICE_TEST_API_KEY"]
      assert.include(told(cwd) ?? "", "ALEMBIC_RUN=run-")
      assert.notInclude(told(cwd) ?? "", "sk-notice-secret")
    })
  )

  it.live("is a bell where it says so", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(answers)
      let rung = 0
      const options: CommandOptions = { cwd, host: { bell: Effect.sync(() => void rung++) } }
      yield* alembic(options, "run", "--notify", "bell")
      assert.strictEqual(rung, 1)
    })
  )

  it.live("of a file does nothing before the file is trusted, also where the run has ended already", () =>
    Effect.gen(function* () {
      const cwd = yield* folder(answers)
      const config = JSON.stringify({ notify: telling(cwd) })
      const other = yield* folder(answers, { "alembic.json": config })
      const untrusted: Partial<NonNullable<CommandOptions["host"]>> = {
        trust: {
          isTrusted: () => Effect.succeed(false),
          trust: () => Effect.void,
          originOf: () => Effect.succeed({ own: true, foreignUntil: 0 }),
          claim: () => Effect.void,
          witness: Effect.undefined
        }
      }
      const refused = yield* alembic({ cwd: other, host: untrusted }, "run")
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.err, "notify, when a run ends or waits")
      assert.isUndefined(told(cwd))
      // Trusted by whoever made the run, and then looked at by somebody who does not.
      assert.strictEqual((yield* alembic({ cwd: other }, "run")).code, 0)
      assert.match(told(cwd) ?? "", /^completed/)
      const before = told(cwd)
      yield* alembic({ cwd: other, host: untrusted }, "run")
      assert.strictEqual(told(cwd), before)
    })
  )
})
