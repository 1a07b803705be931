// Boards of a run: by name in alembic.json or by the path the contract gives; part of what the run is, kept in its
// directory, so that it goes on and replays with the board it began with.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const board = (more: object = {}) =>
  JSON.stringify({
    members: [
      { id: "ana", role: "engineer" },
      { id: "bo", role: "tester" },
      { id: "cy", role: "owner" },
      { id: "con", role: "contrarian" }
    ],
    phases: ["opening", "contrarian", "ballot"],
    axes: [{ id: "value", weight: 1 }],
    ...more
  })

/** Debates by name, then waits for a person, then debates again: the second debate is after a resume. */
const plan = `export const run = async (h) => {
  const first = await h.council({ board: "tech", question: "One?" })
  const said = await h.agent("Go on?", { model: "human" })
  const second = await h.council({ board: "tech", question: "Two?" })
  return { first: first.scores.thresholds, said: said.text, second: second.scores.thresholds }
}`
const files = {
  "GOAL.md": "Decide.\n",
  "alembic.plan.ts": plan,
  "alembic.json": JSON.stringify({ boards: { tech: "boards/tech.json" } }),
  "boards/tech.json": board({ thresholds: { go: 8, pivot: 4 } })
}
const thresholds = { go: 8, pivot: 4 }

describe("boards of a run", () => {
  it.live("are known by name; a run that is resumed, or replayed, has the board it began with", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const first = yield* alembic({ cwd }, "run", "--json")
      assert.strictEqual(first.code, 4, first.err)
      const runId = String(lastLine(first)["runId"])
      rmSync(join(cwd, "boards"), { recursive: true })
      rmSync(join(cwd, "alembic.json"))
      yield* alembic({ cwd }, "answer", runId, "q-1", "yes")
      const done = yield* alembic({ cwd }, "resume", runId, "--json")
      assert.strictEqual(done.code, 0, done.err)
      assert.deepInclude(lastLine(done), { result: { first: thresholds, said: "yes", second: thresholds } })
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", runId, "--json")), { identical: true })
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "verify", runId, "--json")), { ok: true })
    })
  )

  it.live("are part of what the run is: an edited board is another run, and --resume says what changed", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = String(lastLine(yield* alembic({ cwd }, "run", "--json"))["runId"])
      writeFileSync(join(cwd, "boards/tech.json"), board())
      const other = yield* alembic({ cwd }, "run", "--json")
      assert.notStrictEqual(lastLine(other)["runId"], runId)
      const refused = yield* alembic({ cwd }, "run", "--resume", runId, "--json")
      assert.strictEqual(refused.code, 5)
      assert.deepNestedInclude(lastLine(refused), { changed: ["boards"], "error.code": "spec_mismatch" })
    })
  )

  it.live("a board that no longer loads is refused before anything is begun", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...files,
        "boards/tech.json": board({ phases: ["opening", "ballot"] })
      })
      const said = yield* alembic({ cwd }, "run", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), {
        "error.code": "contrarian_not_last",
        "error.file": "boards/tech.json"
      })
      assert.notInclude(readdirSync(cwd), ".alembic")
    })
  )

  it.live("a name that nobody has given is a failure of the council, not a verdict", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        ...files,
        "alembic.plan.ts": `export const run = async (h) => h.council({ board: "nobody", question: "?" })`
      })
      const said = yield* alembic({ cwd }, "run", "--json")
      assert.deepNestedInclude(lastLine(said), {
        "result.ok": false,
        "result.error.code": "unknown_board"
      })
    })
  )

  it.live("the contract's council may name a file; what is neither name nor file is refused", () =>
    Effect.gen(function* () {
      const contract = (name: string) => JSON.stringify({ council: { board: name, question: "?" } })
      const cwd = yield* planFolder({
        "GOAL.md": "g",
        "alembic.plan.ts": "export const run = async () => 1",
        "b.json": board(),
        "file.json": contract("b.json"),
        "nothing.json": contract("nothing")
      })
      const good = yield* alembic({ cwd }, "run", "--contract", "file.json", "--json")
      // The plan does not fulfil the contract, so it fails; its run was made, with the board in it.
      assert.strictEqual(good.code, 1, good.err)
      const meta = readFileSync(join(String(lastLine(good)["dir"]), "meta.json"), "utf8")
      assert.isString(JSON.parse(meta).parts.boards)
      const bad = yield* alembic({ cwd }, "run", "--contract", "nothing.json", "--json")
      assert.strictEqual(bad.code, 2)
      assert.deepNestedInclude(lastLine(bad), {
        "error.code": "unknown_board",
        "error.path": "$.council.board"
      })
    })
  )

  it.live("a member's model without a key is refused before anybody is asked", () =>
    Effect.gen(function* () {
      const members = [
        { id: "ana", role: "engineer", model: "anthropic:claude-sonnet-4-5" },
        { id: "bo", role: "tester" },
        { id: "cy", role: "owner" },
        { id: "con", role: "contrarian" }
      ]
      const cwd = yield* planFolder({ ...files, "boards/tech.json": board({ members }) })
      const said = yield* alembic({ cwd }, "run", "--yes", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "auth" })
    })
  )
})
