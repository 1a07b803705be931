// Waiting items: a run that asks a person suspends with exit 4, is answered from outside, and goes on.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const plan = `export const run = async (h) => {
  const colour = await h.agent("Which colour?", { model: "human" })
  const count = await h.agent("How many?", { model: "human", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } })
  return { colour: colour.text, count: count.output }
}`
const files = { "GOAL.md": "# Goal\n", "alembic.plan.ts": plan }

describe("a run that asks a person", () => {
  it.live("suspends, is asked about, answered and resumed until it is done", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const first = yield* alembic({ cwd }, "run", "--json")
      assert.strictEqual(first.code, 4)
      const runId = String(lastLine(first)["runId"])
      assert.deepNestedInclude(lastLine(first), {
        status: "suspended",
        ok: false,
        "suspended.reason": "question",
        "suspended.items": ["q-1"]
      })
      assert.match(first.err, new RegExp(`alembic answer ${runId} q-1`))

      const [question, summary] = jsonLines(yield* alembic({ cwd }, "questions", "--json"))
      assert.deepInclude(question, { runId, item: "q-1", kind: "question", text: "Which colour?" })
      assert.deepStrictEqual(summary, { type: "QuestionsSummary", ok: true, count: 1 })
      assert.deepInclude(jsonLines(yield* alembic({ cwd }, "parked", "--json"))[0], {
        runId,
        reason: "question",
        items: ["q-1"]
      })

      const answered = yield* alembic({ cwd }, "answer", "@last", "q-1", "blue", "--json")
      assert.deepStrictEqual(lastLine(answered), {
        type: "AnswerSummary",
        ok: true,
        runId,
        item: "q-1",
        answer: "blue",
        left: 0
      })
      assert.strictEqual((yield* alembic({ cwd }, "resume", runId)).code, 4)
      assert.include((yield* alembic({ cwd }, "questions")).out, 'takes: JSON { "n": integer }')

      assert.strictEqual((yield* alembic({ cwd }, "answer", "@last", "q-2", `{"n": 3}`)).code, 0)
      const done = yield* alembic({ cwd }, "resume", "@last", "--json")
      assert.strictEqual(done.code, 0, done.err)
      assert.deepInclude(lastLine(done), { status: "completed", result: { colour: "blue", count: { n: 3 } } })
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "replay", "@last", "--json")), { identical: true })
    })
  )

  for (const [name, item, answer, code] of [
    ["an item that is not asked", "q-9", "x", "unknown_item"],
    ["an answer that does not fit the schema", "q-1", `{"n":"three"}`, "bad_answer"],
    ["text where the schema asks for more", "q-1", "three", "bad_answer"]
  ] as const) {
    it.live(`refuses ${name} with exit 2, and writes nothing`, () =>
      Effect.gen(function* () {
        const asks = `export const run = async (h) => (await h.agent("How many?", { model: "human", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } })).output`
        const cwd = yield* planFolder({ ...files, "alembic.plan.ts": asks })
        yield* alembic({ cwd }, "run")
        const said = yield* alembic({ cwd }, "answer", "@last", item, answer, "--json")
        assert.strictEqual(said.code, 2, said.out)
        assert.deepNestedInclude(lastLine(said), { ok: false, "error.code": code })
        assert.strictEqual(jsonLines(yield* alembic({ cwd }, "questions", "--json")).length, 2)
      })
    )
  }

  it.live("takes one answer: a second is refused", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      yield* alembic({ cwd }, "run")
      assert.strictEqual((yield* alembic({ cwd }, "answer", "@last", "q-1", "blue")).code, 0)
      const second = yield* alembic({ cwd }, "answer", "@last", "q-1", "red", "--json")
      assert.strictEqual(second.code, 2)
      assert.deepNestedInclude(lastLine(second), { "error.code": "already_answered" })
    })
  )
})
