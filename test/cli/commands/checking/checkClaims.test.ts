// `alembic check-claims`: what the files of a directory prove, refute, or leave open, and the exit code that says so.
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Host } from "../../../../src/cli/Host.ts"
import { alembic, jsonLines, lastLine, testHost } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"
import { rewriteLog } from "../../../support/rewriteLog.ts"

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
const p99 = claim("p99", "numeric", { op: "le", value: 412, unit: "ms" }, "p99")

const evidence = {
  "ev/sub/notes.txt": "Version 2 shipped on Monday.\n",
  "ev/data.json": `{ "n": 3 }`,
  "ev/run.evidence.json": JSON.stringify({ kind: "number", id: "p99", value: 412, unit: "ms" })
}
const check = (claims: unknown, ...more: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const cwd = yield* planFolder({ ...evidence, "c.json": JSON.stringify(claims) })
    return yield* alembic({ cwd }, "check-claims", "c.json", "--evidence", "ev", ...more)
  })

/** A folder whose run has run two proofs, one of which failed. */
const proofRun = Effect.gen(function* () {
  const contract = (exit: string) => ({
    proofs: [
      { id: "good", command: [process.execPath, "-e", "console.log(42)"] },
      { id: "bad", command: [process.execPath, "-e", exit] }
    ]
  })
  const cwd = yield* planFolder({
    "p.plan.mjs": "export const run = async () => 1",
    "GOAL.md": "g",
    "contract.json": JSON.stringify(contract("process.exit(3)")),
    "ev/a.txt": "a"
  })
  const args = ["run", "--plan", "p.plan.mjs", "--contract", "contract.json", "--yes", "--json"]
  const runId = String(lastLine(yield* alembic({ cwd }, ...args))["runId"])
  return { cwd, runId }
})

describe("claims on what the engine ran", () => {
  it.live("are decided by the run's own journal, by reference; nothing else says that a command ran", () =>
    Effect.gen(function* () {
      const { cwd, runId } = yield* proofRun
      const looksLike = (id: string) => ({
        kind: "command",
        id,
        command: ["x"],
        exitCode: 0,
        stdout: "42",
        stderr: ""
      })
      const claims = [
        claim("good", "exit_code", { code: 0 }, `run:${runId}/proof:good`),
        claim("out", "numeric", { op: "eq", value: 42 }, `run:${runId.slice(0, 12)}/proof:good`),
        claim("last", "exit_code", { code: 0 }, "run:@last/proof:good"),
        claim("bad", "exit_code", { code: 0 }, `run:${runId}/proof:bad`),
        claim("none", "exit_code", { code: 0 }, `run:${runId}/proof:nobody`),
        claim("no-run", "exit_code", { code: 0 }, "run:run-0123456789abcdef/proof:good"),
        claim("like", "exit_code", { code: 0 }, "tests"),
        claim("part", "all", { of: [{ oracle: "exit_code", args: { code: 0 }, evidence: "tests" }] }, "ev")
      ]
      writeFileSync(join(cwd, "c.json"), JSON.stringify(claims))
      writeFileSync(join(cwd, "ev/tests.evidence.json"), JSON.stringify(looksLike("tests")))
      const args = ["check-claims", "c.json", "--evidence", "ev", "--json"]
      const found = (said: Parameters<typeof jsonLines>[0]) =>
        jsonLines(said)
          .slice(0, -1)
          .map(({ claim: id, finding }) => `${String(id)} ${String(finding)}`)
      assert.deepStrictEqual(found(yield* alembic({ cwd }, ...args)), [
        "good proven",
        "out proven",
        "last proven",
        "bad refuted",
        "none unproven",
        "no-run unproven",
        "like unproven",
        "part unproven"
      ])

      // A run directory that somebody else wrote says nothing.
      const { trust } = yield* Host.pipe(Effect.provide(testHost({ cwd })))
      const elsewhere = { ...trust, originOf: () => Effect.succeed(undefined) }
      const foreign = yield* alembic({ cwd, host: { trust: elsewhere } }, ...args)
      assert.isTrue(found(foreign).every((line) => line.endsWith("unproven")))

      // Nor does a log of one's own in which somebody has changed how the proof ended.
      const dir = join(cwd, ".alembic", "runs", runId)
      rewriteLog(join(dir, "events.jsonl"), '"exitCode":3', '"exitCode":0')
      rmSync(join(dir, "checkpoint.json"))
      assert.strictEqual((yield* alembic({ cwd }, "verify", runId)).code, 0, "the chain is whole")
      const bent = yield* alembic({ cwd }, ...args)
      assert.isTrue(found(bent).every((line) => line.endsWith("unproven")))
    })
  )
})

describe("a claim on a proof of a run that waited for a person", () => {
  it.live("rests on it once the person has answered: an answer given here is no gap in what is known", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "p.plan.mjs": "export const run = async () => 1",
        "GOAL.md": "g",
        "ev/a.txt": "a",
        "contract.json": JSON.stringify({
          proofs: [{ id: "good", command: [process.execPath, "-e", "console.log(42)"] }],
          publish: true
        }),
        "c.json": JSON.stringify([claim("good", "exit_code", { code: 0 }, "run:@last/proof:good")])
      })
      const args = ["run", "--plan", "p.plan.mjs", "--contract", "contract.json", "--yes", "--json"]
      assert.strictEqual((yield* alembic({ cwd }, ...args)).code, 4)
      const proven = alembic({ cwd }, "check-claims", "c.json", "--evidence", "ev")
      assert.strictEqual((yield* proven).code, 0)
      assert.strictEqual((yield* alembic({ cwd }, "approve", "@last", "publish")).code, 0)
      assert.strictEqual((yield* proven).code, 0, "answered")
      assert.strictEqual((yield* alembic({ cwd }, "resume", "@last", "--yes")).code, 0)
      assert.strictEqual((yield* proven).code, 0, "gone on with")
    })
  )
})

describe("alembic check-claims", () => {
  it.live("exits 0 when all is proven, from files in folders and structured evidence alike", () =>
    Effect.gen(function* () {
      const said = yield* check([shipped, three, p99], "--json")
      assert.strictEqual(said.code, 0, said.err)
      const lines = jsonLines(said)
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ claim, finding, type }) => [type, claim, finding]),
        [
          ["Finding", "shipped", "proven"],
          ["Finding", "three", "proven"],
          ["Finding", "p99", "proven"]
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
