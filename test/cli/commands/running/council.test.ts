// `alembic council`: a debate is a run: its verdict is shown, its board is part of what it is, the same one is never
// paid twice; and what cannot be debated is refused before anything is begun, with its place.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"

const members = `members:
  - { id: ana, role: engineer }
  - { id: bo, role: tester }
  - { id: cy, role: owner }
  - { id: con, role: contrarian }
axes:
  - { id: value, weight: 1 }
`
const board = `${members}phases: [opening, contrarian, ballot]\n`

const says = (phase: string, object: object) => ({
  match: { includes: `Your task (${phase})` },
  answer: { object }
})
const ballot = (more: object = {}) =>
  says("ballot", {
    abstain: false,
    reason: "it is worth it",
    scores: { value: 9 },
    answers: [{ objection: "o-1", answer: "we asked them", stands: false }],
    ...more
  })
const spokenWith = (rest: object) => [
  says("opening", { position: "Do it.", stance: "GO", objections: [], ...rest }),
  says("contrarian", {
    position: "Wait.",
    stance: "PIVOT",
    objections: ["nobody has asked the users"],
    ...rest
  })
]
const spoken = spokenWith({})
const fixtures = { rules: [...spoken, ballot()] }

const files = { "b.yaml": board, "f.json": JSON.stringify(fixtures) }
const offline = ["--offline-fixtures", "f.json"]

describe("alembic council", () => {
  it.live("shows the verdict as text, with the objection and what answered it", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const said = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", ...offline)
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.out, /^GO: Shall we\?$/m)
      assert.match(said.out, /o-1 \(objection\) by con in contrarian\n {2}> nobody has asked the users/)
      assert.match(said.out, /answered by ana\n {2}> we asked them/)
      assert.match(said.out, /7 calls, \$0/)
    })
  )

  it.live("whose board was edited takes the answers of the one before with --reuse", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const first = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", ...offline, "--json")
      const { runId } = lastLine(first)
      writeFileSync(join(cwd, "b.yaml"), board.replace("weight: 1", "weight: 2"))
      const again = ["council", "b.yaml", "Shall we?", ...offline, "--json", "--reuse", String(runId)]
      assert.deepInclude(lastLine(yield* alembic({ cwd }, ...again)), {
        calls: { total: 7, live: 0, cached: 7, replayed: 0, failed: 0, inDoubt: 0 }
      })
    })
  )

  it.live("counts its calls alike when it ends, is gone on with and is told again", () =>
    Effect.gen(function* () {
      const plan = `export const run = async (h) => {
        const verdict = await h.council({ question: "Shall we?", board: "b" })
        const last = await h.agent("sum up", { model: "human", label: "last" })
        return last.ok && verdict.ok
      }`
      const cwd = yield* planFolder({
        ...files,
        "GOAL.md": "g",
        "p.mjs": plan,
        "alembic.json": JSON.stringify({ boards: { b: "b.yaml" } })
      })
      const run = ["run", "--plan", "p.mjs", ...offline, "--yes", "--json"]
      assert.strictEqual(lastLine(yield* alembic({ cwd }, ...run))["status"], "suspended")
      yield* alembic({ cwd }, "answer", "@last", "q-1", "so be it")
      const ended = lastLine(yield* alembic({ cwd }, "resume", "@last", "--yes", "--json"))
      assert.strictEqual(ended["status"], "completed")
      assert.deepInclude(ended["calls"], { total: 8, live: 1, replayed: 7, failed: 0 })
      const told = lastLine(yield* alembic({ cwd }, "resume", "@last", "--yes", "--json"))
      assert.deepInclude(told["calls"], { total: 8, live: 0, replayed: 8, failed: 0 })
      const inspected = yield* alembic({ cwd }, "inspect", "@last")
      assert.match(inspected.out, / 8 calls /)
      const { calls } = lastLine(yield* alembic({ cwd }, "inspect", "@last", "--json"))
      const rows: ReadonlyArray<object> = Array.isArray(calls) ? calls : []
      assert.deepStrictEqual(
        rows.filter((row) => "verb" in row && row.verb === "council").map((row) => "usage" in row),
        [false]
      )
    })
  )

  it.live("is a run: listed by its question, resumed, replayed and verified; its result is the verdict", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const said = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", ...offline, "--json")
      const lines = jsonLines(said)
      const summary = lastLine(said)
      assert.deepNestedInclude(summary, {
        type: "RunSummary",
        status: "completed",
        "result.decision": "GO",
        "result.conclusive": true,
        "result.calls": 7,
        "calls.live": 7
      })
      assert.strictEqual(lines[0]?.["type"], "RunStarted")
      const runId = String(summary["runId"])
      const listed = jsonLines(yield* alembic({ cwd }, "list", "--json"))[0]
      assert.deepInclude(listed, { runId, goal: "Shall we?", status: "completed" })
      // The board's file and the fixtures may be gone: the run has kept its own.
      rmSync(join(cwd, "b.yaml"))
      rmSync(join(cwd, "f.json"))
      const resumed = yield* alembic({ cwd }, "resume", runId)
      assert.match(resumed.out, /^GO: Shall we\?$/m)
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", runId, "--json")), { identical: true })
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "verify", runId, "--json")), { ok: true })
    })
  )

  it.live("held again is the same run and pays nothing; with --fresh, or another board, it is another", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const hold = (...more: ReadonlyArray<string>) =>
        Effect.map(
          alembic({ cwd }, "council", "b.yaml", "Shall we?", ...offline, "--json", ...more),
          lastLine
        )
      const first = yield* hold()
      const again = yield* hold()
      assert.strictEqual(again["runId"], first["runId"])
      assert.deepNestedInclude(again, { "calls.live": 0 })
      assert.notStrictEqual((yield* hold("--fresh"))["runId"], first["runId"])
      writeFileSync(join(cwd, "b.yaml"), `${board}thresholds: { go: 9.5, pivot: 5 }\n`)
      const other = yield* hold()
      assert.notStrictEqual(other["runId"], first["runId"])
      assert.deepNestedInclude(other, { "result.decision": "PIVOT" })
    })
  )

  it.live("takes a board by its name in alembic.json, beside which its path counts", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...files,
        "etc/alembic.json": JSON.stringify({ boards: { tech: "boards/t.yaml" } }),
        "etc/boards/t.yaml": board
      })
      const said = yield* alembic(
        { cwd },
        "council",
        "tech",
        "Shall we?",
        "--config",
        "etc/alembic.json",
        ...offline
      )
      assert.strictEqual(said.code, 0, said.err)
    })
  )

  it.live("gives attachments as evidence, on which the verifier decides what members claim", () =>
    Effect.gen(function* () {
      const claims = [
        { statement: "it says so", oracle: "quote", args: `{"quote":"costs nine"}`, evidence: "notes.txt" },
        {
          statement: "it says otherwise",
          oracle: "quote",
          args: `{"quote":"costs ten"}`,
          evidence: "notes.txt"
        }
      ]
      const rules = [...spokenWith({ claims }), ballot()]
      const cwd = yield* planFolder({
        ...files,
        "f.json": JSON.stringify({ rules }),
        "notes.txt": "It costs nine.\n"
      })
      const said = yield* alembic(
        { cwd },
        "council",
        "b.yaml",
        "Shall we?",
        "--attach",
        "notes.txt",
        ...offline,
        "--json"
      )
      const { result } = lastLine(said)
      assert.match(JSON.stringify(result), /"finding":"proven"/)
      assert.match(JSON.stringify(result), /"finding":"refuted"/)
    })
  )

  it.live("has options ranked", () =>
    Effect.gen(function* () {
      const rules = [...spoken, ballot({ ranking: ["b", "a"] })]
      const cwd = yield* planFolder({ ...files, "f.json": JSON.stringify({ rules }) })
      const said = yield* alembic(
        { cwd },
        "council",
        "b.yaml",
        "Which?",
        "--option",
        "a=keep it",
        "--option",
        "b=build it anew",
        ...offline
      )
      assert.match(said.out, /Ranking\n {2}1\. b: 3 points\n {2}2\. a: 0 points/)
    })
  )

  for (const [name, text, code, place] of [
    [
      "whose contrarian is not last",
      `${members}phases: [opening, contrarian, revision, ballot]\n`,
      "contrarian_not_last",
      { path: "$.phases[1]", line: 8, column: 19 }
    ],
    [
      "without a contrarian",
      board.replace("role: contrarian", "role: owner"),
      "no_contrarian",
      { path: "$.members" }
    ],
    [
      "with an unknown phase",
      `${members}phases: [opening, prayer, contrarian, ballot]\n`,
      "unknown_phase",
      { path: "$.phases[1]", line: 8 }
    ],
    [
      "with a member twice",
      board.replace("id: bo", "id: ana"),
      "duplicate_member",
      { path: "$.members[1].id", line: 3 }
    ],
    [
      "whose member has no such model",
      board.replace("role: tester", "role: tester, model: nonesuch:x"),
      "unknown_model",
      { path: "$.members[1].model", line: 3, column: 36 }
    ],
    ["that is not YAML", "members: [\n", "unparsable", { path: "$" }]
  ] as const) {
    it.live(`a board ${name} is refused with its code and place, and nothing is begun`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder({ ...files, "b.yaml": text })
        const said = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", "--json")
        assert.strictEqual(said.code, 2)
        const { error, status, type } = lastLine(said)
        assert.deepInclude({ status, type }, { status: "invalid", type: "RunSummary" })
        assert.deepInclude(error, { code, file: "b.yaml", ...place })
        assert.notInclude(readdirSync(cwd), ".alembic")
      })
    )
  }

  for (const [name, args, code] of [
    ["a board that is not there", ["nope.yaml", "q"], "unreadable"],
    ["an empty question", ["b.yaml", " "], "usage"],
    ["an option without a text", ["b.yaml", "q", "--option", "a"], "usage"],
    ["an option given twice", ["b.yaml", "q", "--option", "a=1", "--option", "a=2"], "usage"],
    ["a configuration that is none", ["b.yaml", "q", "--config", "b.yaml"], "invalid_config"]
  ] as const) {
    it.live(`${name} exits 2`, () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const said = yield* alembic({ cwd }, "council", ...args, "--json")
        assert.strictEqual(said.code, 2)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": code })
      })
    )
  }

  const paid = {
    ...files,
    "b.yaml": board.replace("role: tester", "role: tester, model: anthropic:claude-sonnet-4-5")
  }

  it.live("a member whose model has no key is refused before anybody is asked", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(paid)
      const said = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", "--yes", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "auth", "calls.total": 0 })
    })
  )

  it.live("a member that costs something is not asked before spending is agreed to", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(paid)
      const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1" }
      const said = yield* alembic({ cwd, env }, "council", "b.yaml", "Shall we?")
      assert.strictEqual(said.code, 2)
      assert.match(said.err, /anthropic:claude-sonnet-4-5 \$3 in/)
      assert.match(said.err, /alembic council b\.yaml 'Shall we\?' .*--yes/)
    })
  )

  it.live("forecasts a debate without holding one", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(paid)
      const said = yield* alembic({ cwd }, "council", "b.yaml", "Shall we?", "--dry", "--json")
      assert.strictEqual(said.code, 0, said.err)
      assert.deepInclude(jsonLines(said).at(-2), { type: "Forecast", total: true, calls: 7 })
      assert.notInclude(readdirSync(cwd), ".alembic")
    })
  )
})
