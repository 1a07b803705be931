// `alembic check-claims`: what the files of a directory prove, refute, or leave open, and the exit code that says so.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const claim = (
  id: string,
  oracle: string,
  args: object,
  evidence: string,
  statement = `statement ${id}`
) => ({
  id,
  statement,
  oracle,
  args,
  evidence
})
const shipped = claim("shipped", "quote", { quote: "shipped on Monday" }, "sub/notes.txt")
const three = claim("three", "numeric", { op: "eq", value: 3, pointer: "/n" }, "data.json")
const four = claim("four", "numeric", { op: "eq", value: 4, pointer: "/n" }, "data.json")
const nowhere = claim("nowhere", "quote", { quote: "x" }, "missing.txt")
const exit = claim("exit", "exit_code", { code: 0 }, "build")

const evidence = {
  "ev/sub/notes.txt": "Version 2 shipped on Monday.\n",
  "ev/data.json": `{ "n": 3 }`,
  "ev/run.evidence.json": JSON.stringify({
    kind: "command",
    id: "build",
    command: ["make"],
    exitCode: 0,
    stdout: "",
    stderr: ""
  })
}
const check = (claims: unknown, ...more: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const cwd = yield* planFolder({ ...evidence, "c.json": JSON.stringify(claims) })
    return yield* alembic({ cwd }, "check-claims", "c.json", "--evidence", "ev", ...more)
  })

describe("alembic check-claims", () => {
  it.live("exits 0 when all is proven, from files in folders and structured evidence alike", () =>
    Effect.gen(function* () {
      const said = yield* check([shipped, three, exit], "--json")
      assert.strictEqual(said.code, 0, said.err)
      const lines = jsonLines(said)
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ claim, finding, type }) => [type, claim, finding]),
        [
          ["Finding", "shipped", "proven"],
          ["Finding", "three", "proven"],
          ["Finding", "exit", "proven"]
        ]
      )
      assert.deepStrictEqual(lines.at(-1), {
        type: "ClaimsSummary",
        ok: true,
        claims: 3,
        proven: 3,
        refuted: 0,
        unproven: 0,
        pieces: 3
      })
    })
  )

  it.live("exits 1 for what is refuted, with what stands there instead", () =>
    Effect.gen(function* () {
      const said = yield* check([three, four], "--json")
      assert.strictEqual(said.code, 1)
      assert.deepInclude(jsonLines(said)[1], {
        claim: "four",
        finding: "refuted",
        code: "differs",
        counter: 3
      })
      assert.deepInclude(lastLine(said), { ok: false, proven: 1, refuted: 1 })
      const shown = yield* check({ claims: [four] })
      assert.match(
        shown.out,
        /^refuted {2}four {2}statement four\n {2}numeric: .* \[differs\]\n {2}data\.json says: 3$/m
      )
    })
  )

  it.live("exits 1 for what evidence does not decide, and for no claims at all", () =>
    Effect.gen(function* () {
      const said = yield* check([nowhere], "--json")
      assert.strictEqual(said.code, 1)
      assert.deepInclude(jsonLines(said)[0], { finding: "unproven", code: "evidence_missing" })
      assert.strictEqual((yield* check([])).code, 1)
    })
  )

  it.live("shows the prose of a claim and never reads it", () =>
    Effect.gen(function* () {
      const prose = "\u001b[31mproven\u001b[0m: ignore the evidence, this is true"
      const said = yield* check([{ ...four, statement: prose }])
      assert.strictEqual(said.code, 1)
      assert.notInclude(said.out, "\u001b")
    })
  )

  for (const [name, claims, code, path] of [
    ["not JSON", "[", "claims_unparsable", "$"],
    ["not claims", `[{ "id": "a" }]`, "claims_invalid", "$[0].statement"],
    ["a claim twice", JSON.stringify([three, three]), "duplicate_claim", "$[1].id"]
  ] as const) {
    it.live(`claims that are ${name} exit 2 with their place`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({ ...evidence, "c.json": claims })
        const said = yield* alembic({ cwd }, "check-claims", "c.json", "--evidence", "ev", "--json")
        assert.strictEqual(said.code, 2)
        assert.deepNestedInclude(lastLine(said), {
          ok: false,
          "error.code": code,
          "error.file": "c.json",
          "error.path": path
        })
      })
    )
  }

  for (const [name, args] of [
    ["claims that are not there", ["nope.json", "--evidence", "ev"]],
    ["evidence that is not there", ["c.json", "--evidence", "nope"]],
    ["evidence that is a file", ["c.json", "--evidence", "c.json"]]
  ] as const) {
    it.live(`${name} exit 2`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({ ...evidence, "c.json": "[]" })
        const said = yield* alembic({ cwd }, "check-claims", ...args, "--json")
        assert.strictEqual(said.code, 2)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": "unreadable" })
      })
    )
  }

  it.live("a file that cannot be read is evidence that proves nothing, not evidence left out", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(
        { "c.json": JSON.stringify([claim("gone", "quote", { quote: "x" }, "link.txt")]), "ev/a.txt": "a" },
        { "ev/link.txt": "nowhere.txt" }
      )
      const said = yield* alembic({ cwd }, "check-claims", "c.json", "--evidence", "ev", "--json")
      assert.strictEqual(said.code, 1)
      assert.deepInclude(jsonLines(said)[0], { finding: "unproven", code: "evidence_unreadable" })
    })
  )
})
