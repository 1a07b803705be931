// Divergence explained: a plan is mutated in one place and replayed on the journal of the original. The first call
// that differs is named, with the line that made it and what differs at which pointer. Nothing is executed.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ReplaySummary } from "../../src/engine/Engine.ts"
import { replayRun } from "../../src/engine/replay/replayRun.ts"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const original = `export const run = async (h, input) => {
  h.phase("read")
  const first = await h.agent("read the goal", { system: "You read.", maxOutputTokens: 100 })
  h.log("has read", { text: first.text })
  const slots = await h.parallel([
    () => h.agent("judge a"),
    () => h.agent("judge b", { temperature: 0 }),
    () => h.agent("judge c", { schema: { type: "object" } })
  ])
  h.phase("tell")
  const lines = await h.pipeline(
    ["x", "y"],
    (item) => h.agent("draft " + item),
    (draft, item) => h.agent("polish " + item + ": " + draft.text)
  )
  if (first.ok) {
    await h.agent("close the book")
  }
  return { first: first.text, judged: slots.length, lines: lines.map((line) => line.text) }
}
`

interface Mutation {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly kind: NonNullable<ReplaySummary["divergence"]>["kind"]
  /** Number of the first call that differs, from 1. */
  readonly n?: number
  readonly line?: number
  readonly pointer?: string
}

const edit = (
  name: string,
  from: string,
  to: string,
  rest: Omit<Mutation, "name" | "from" | "to">
): Mutation => ({
  name,
  from,
  to,
  ...rest
})
const call = (n: number, line: number, pointer: string) =>
  ({ kind: "call_differs", n, line, pointer }) as const

const mutations: ReadonlyArray<Mutation> = [
  edit(
    "first call removed, what is logged of it differs too",
    'await h.agent("read the goal", { system: "You read.", maxOutputTokens: 100 })',
    '{ ok: true, text: "known" }',
    { kind: "missing_call", n: 1 }
  ),
  edit("first prompt", "read the goal", "read the aim", call(1, 3, "/prompt")),
  edit("first prompt, one letter", "read the goal", "read the goals", call(1, 3, "/prompt")),
  edit("first prompt, case", "read the goal", "Read the goal", call(1, 3, "/prompt")),
  edit("first prompt, a space", '"read the goal"', '"read the goal "', call(1, 3, "/prompt")),
  edit("system", "You read.", "You write.", call(1, 3, "/system")),
  edit("system gone", 'system: "You read.", ', "", call(1, 3, "/system")),
  edit("output bound", "maxOutputTokens: 100", "maxOutputTokens: 101", call(1, 3, "/maxOutputTokens")),
  edit("output bound gone", ", maxOutputTokens: 100", "", call(1, 3, "/maxOutputTokens")),
  edit(
    "model named",
    'system: "You read."',
    'system: "You read.", model: "paid:other"',
    call(1, 3, "/model")
  ),
  edit(
    "temperature added",
    'system: "You read."',
    'system: "You read.", temperature: 1',
    call(1, 3, "/temperature")
  ),
  edit("branch a", "judge a", "judge A", call(2, 6, "/prompt")),
  edit("branch b", "judge b", "judge B", call(3, 7, "/prompt")),
  edit("branch c", "judge c", "judge C", call(4, 8, "/prompt")),
  edit("temperature changed", "temperature: 0", "temperature: 0.5", call(3, 7, "/temperature")),
  edit("temperature gone", ", { temperature: 0 }", "", call(3, 7, "/temperature")),
  edit("schema changed", '{ type: "object" }', '{ type: "array" }', call(4, 8, "/schema/type")),
  edit("schema gone", ', { schema: { type: "object" } }', "", call(4, 8, "/schema")),
  edit(
    "schema grown",
    '{ type: "object" }',
    '{ type: "object", required: ["a"] }',
    call(4, 8, "/schema/required")
  ),
  edit(
    "branches swapped",
    'h.agent("judge a")',
    'h.agent("judge b", { temperature: 0 })',
    call(2, 6, "/prompt")
  ),
  edit("branch removed", '    () => h.agent("judge a"),\n', "", call(2, 6, "/prompt")),
  edit(
    "branch doubled",
    '    () => h.agent("judge a"),\n',
    '    () => h.agent("judge a"),\n    () => h.agent("judge a"),\n',
    call(3, 7, "/prompt")
  ),
  edit(
    "last branch removed",
    ',\n    () => h.agent("judge c", { schema: { type: "object" } })',
    "",
    call(4, 12, "/prompt")
  ),
  edit("pipeline item", '"x", "y"', '"z", "y"', call(5, 13, "/prompt")),
  edit("pipeline second item", '"x", "y"', '"x", "w"', call(6, 13, "/prompt")),
  edit("pipeline items swapped", '"x", "y"', '"y", "x"', call(5, 13, "/prompt")),
  edit("pipeline item gone", '"x", "y"', '"x"', call(6, 14, "/prompt")),
  edit("pipeline item more", '"x", "y"', '"x", "y", "z"', call(7, 13, "/prompt")),
  edit("first stage", '"draft "', '"sketch "', call(5, 13, "/prompt")),
  edit("second stage", '"polish "', '"shine "', call(7, 14, "/prompt")),
  edit("second stage uses less", '": " + draft.text', '":"', call(7, 14, "/prompt")),
  edit("last prompt", "close the book", "open the book", call(9, 17, "/prompt")),
  edit(
    "last prompt interpolates",
    '"close the book"',
    '"close the book" + slots.length',
    call(9, 17, "/prompt")
  ),
  edit(
    "a call before all",
    '  h.phase("read")\n',
    '  h.phase("read")\n  await h.agent("warm up")\n',
    call(1, 3, "/prompt")
  ),
  edit("condition turned", "if (first.ok)", "if (!first.ok)", { kind: "missing_call", n: 9, line: 17 }),
  edit("last call removed", '    await h.agent("close the book")\n', "", {
    kind: "missing_call",
    n: 9,
    line: 17
  }),
  edit(
    "a call more at the end",
    '    await h.agent("close the book")\n',
    '    await h.agent("close the book")\n    await h.agent("one more")\n',
    { kind: "extra_call", n: 10, line: 18 }
  ),
  edit(
    "a call made twice",
    '    await h.agent("close the book")\n',
    '    await h.agent("close the book")\n    await h.agent("close the book")\n',
    { kind: "extra_call", n: 10, line: 18 }
  ),
  edit("phase renamed", '"tell"', '"say"', { kind: "note_differs", pointer: "/title" }),
  edit("phase removed", '  h.phase("tell")\n', "", call(5, 12, "/phase")),
  edit("log changed", '"has read"', '"had read"', { kind: "note_differs", pointer: "/message" }),
  edit("log data changed", "{ text: first.text }", "{ text: first.text, n: 1 }", {
    kind: "note_differs",
    pointer: "/data/n"
  }),
  edit("log added", '  h.phase("tell")\n', '  h.phase("tell")\n  h.log("telling")\n', {
    kind: "note_differs"
  }),
  edit("result changed", "judged: slots.length", "judged: 0", { kind: "result_differs", pointer: "/judged" }),
  edit("result member gone", "first: first.text, ", "", { kind: "result_differs", pointer: "/first" }),
  edit("result nested", "line.text)", "line.text.length)", { kind: "result_differs", pointer: "/lines/0" }),
  edit("label added", 'system: "You read."', 'label: "reader", system: "You read."', call(1, 3, "/label")),
  edit(
    "slots without the verb",
    "  const slots = await h.parallel([",
    "  const together = (thunks) => Promise.all(thunks.map((thunk) => thunk()))\n  const slots = await together([",
    { kind: "end_differs" }
  ),
  edit("throws at the end", "  return {", '  throw new Error("no")\n  return {', { kind: "end_differs" })
]

describe("divergence", () => {
  it("has at least 40 mutations, each of which changes the plan", () => {
    assert.isAtLeast(mutations.length, 40)
    for (const { from, name } of mutations) assert.include(original, from, name)
  })

  it.live(
    "is named, placed and pointed at, for every mutation; nothing is executed",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const plan = yield* writeFiles(folder, { "alembic.plan.js": original })
        const paid = paidRegistry({
          answer: (input) =>
            Effect.succeed({
              text: input.schema === undefined ? `<${input.prompt}>` : "{}",
              finishReason: "stop"
            })
        })
        const layer = liveEngine(`${folder}/.alembic`, paid.layer)
        const inputs = { goal: "g", attachments: [] }
        const first = yield* runPlanFile({ plan, inputs }).pipe(Effect.provide(layer))
        assert.strictEqual(first.status, "completed", JSON.stringify(first))
        const runId = first.runId ?? ""
        const made = paid.made.length
        const same = yield* replayRun(runId, { plan }).pipe(Effect.provide(layer))
        assert.isTrue(same.identical, JSON.stringify(same))
        for (const [index, { from, kind, line, n, name, pointer, to }] of mutations.entries()) {
          const mutated = yield* writeFiles(folder, {
            [`m${index}/alembic.plan.js`]: original.replace(from, to)
          })
          const replay = yield* replayRun(runId, { plan: mutated }).pipe(Effect.provide(layer))
          const told = `${name}: ${JSON.stringify(replay)}`
          assert.isFalse(replay.identical, told)
          assert.strictEqual(replay.divergence?.kind, kind, told)
          if (n !== undefined) assert.strictEqual(replay.divergence?.n, n, told)
          if (line !== undefined) assert.strictEqual(replay.divergence?.site?.line, line, told)
          if (pointer !== undefined) assert.strictEqual(replay.divergence?.pointer, pointer, told)
        }
        assert.strictEqual(paid.made.length, made, "a replay makes no call")
      }),
    60_000
  )
})
