// The example that `npm start` runs: a reviewer and a sceptic for each file, what stands ranked, and a coverage that
// says which part of the files the answer rests on.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { alembic, lastLine } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const example = (name: string) => readFileSync(new URL(`review/${name}`, import.meta.url), "utf8")

const review = (severity: number, line: number) => ({
  summary: "s",
  problems: [{ line, severity, problem: `problem of severity ${severity}` }]
})

const rule = (includes: string, answer: object) => ({ match: { includes }, answer })

const files = (rules: ReadonlyArray<object>) => ({
  "GOAL.md": example("GOAL.md"),
  "alembic.plan.ts": example("alembic.plan.ts"),
  "src/a.ts": "one\ntwo\n",
  "src/b.ts": "one\n",
  "src/c.ts": "one\n",
  "f.json": JSON.stringify({ rules })
})

const args = ["run", "--attach", "src/*", "--offline-fixtures", "f.json", "--json"]

const sound = [
  rule("this of src/c.ts", { object: { stands: [false], why: "refuted" } }),
  rule("Try to refute", { object: { stands: [true], why: "it does" } }),
  rule("File src/a.ts", { object: review(2, 99) }),
  rule("File src/b.ts", { object: review(5, 1) }),
  rule("File src/c.ts", { object: review(4, 1) }),
  rule("Summarise", { text: "three files, two problems" })
]

describe("the review of source files", () => {
  it.live("ranks what stands by severity, drops what was refuted, and covers all files", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files(sound))
      const said = yield* alembic({ cwd }, ...args)
      assert.strictEqual(said.code, 0, said.out)
      assert.deepStrictEqual(lastLine(said)["result"], {
        coverage: "3 of 3",
        problems: 2,
        worst: ["5 src/b.ts:1 problem of severity 5", "2 src/a.ts:3 problem of severity 2"],
        summary: "three files, two problems"
      })
      assert.deepNestedInclude(lastLine(said), { "calls.live": 7, "coverage.done": 3, "coverage.of": 3 })
    })
  )

  it.live("says 2 of 3 and ends incomplete when a file's review is lost, or its check", () =>
    Effect.gen(function* () {
      for (const lost of ["File src/b.ts", "this of src/b.ts"]) {
        const failure = { failure: { code: "content_filtered", message: "no" } }
        const cwd = yield* planFolder(files([rule(lost, failure), ...sound]))
        const said = yield* alembic({ cwd }, ...args)
        assert.strictEqual(said.code, 1)
        assert.deepNestedInclude(lastLine(said), {
          status: "incomplete",
          "result.coverage": "2 of 3",
          "coverage.done": 2,
          "coverage.of": 3
        })
      }
    })
  )

  it.live("without files says what to attach", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files(sound))
      const said = yield* alembic({ cwd }, "run", "--json")
      assert.strictEqual(said.code, 1)
      assert.match(JSON.stringify(lastLine(said)["error"]), /--attach/)
    })
  )
})
