// The difference of two runs: its invariants D1 to D3, and words of prompts and answers.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { CallDetail } from "../../../src/engine/inspect/callDetails.ts"
import { diffRuns, type ComparedRun } from "../../../src/engine/inspect/diffRuns.ts"
import { wordDiff } from "../../../src/engine/inspect/wordDiff.ts"
import { dice, type Dice } from "../../support/dice.ts"

const call = (number: number, key: string, label: string | undefined, answer: string): CallDetail => ({
  key,
  occurrence: 1,
  number,
  name: label ?? key,
  ...(label === undefined ? {} : { label }),
  status: "completed",
  attempts: 1,
  tries: [],
  scheduledAt: 0,
  seq: number,
  call: { verb: "agent", prompt: `prompt ${key}` },
  result: { text: answer },
  usedIn: [],
  made: []
})

const run = (calls: ReadonlyArray<CallDetail>): ComparedRun => ({
  runId: "run-0",
  status: "completed",
  calls,
  durationMs: 1
})

const keys = ["a", "b", "c", "d", "e", "f"]

/** A run of up to six calls, drawn. */
const drawn = ({ below, pick }: Dice): ComparedRun => {
  const chosen = keys.filter(() => below(2) === 0)
  return run(
    chosen.map((key, at) => call(at + 1, key, [undefined, "x", "y"][below(3)], pick(["one", "two"])))
  )
}

describe("diffRuns", () => {
  it.prop("D1: puts every call of either run in exactly one pair", [Schema.Int], ([seed]) => {
    const draw = dice(seed)
    const [a, b] = [drawn(draw), drawn(draw)]
    const { pairs } = diffRuns(a, b)
    const left = pairs.flatMap((pair) => (pair.a === undefined ? [] : [pair.a]))
    const right = pairs.flatMap((pair) => (pair.b === undefined ? [] : [pair.b]))
    const numbers = ({ calls }: ComparedRun) => calls.map(({ number }) => number)
    assert.deepStrictEqual(left.toSorted(), numbers(a))
    assert.deepStrictEqual(right.toSorted(), numbers(b))
  })

  it("D2: pairs what is the same first, then by label, then by place", () => {
    const a = run([call(1, "a", "x", "one"), call(2, "b", undefined, "one"), call(3, "c", "y", "one")])
    const b = run([call(1, "c", "y", "one"), call(2, "d", "x", "one"), call(3, "e", undefined, "one")])
    assert.deepStrictEqual(
      diffRuns(a, b).pairs.map((pair) => [pair.by, pair.a, pair.b]),
      [
        ["label", 1, 2],
        ["position", 2, 3],
        ["identity", 3, 1]
      ]
    )
  })

  it.prop("D3: finds no difference in a run and itself", [Schema.Int], ([seed]) => {
    const a = drawn(dice(seed))
    const diff = diffRuns(a, a)
    assert.isUndefined(diff.first)
    assert.isUndefined(diff.result)
    assert.strictEqual(diff.same, a.calls.length)
  })
})

describe("wordDiff", () => {
  it.prop("gives both texts back", [Schema.Int], ([seed]) => {
    const { below, pick } = dice(seed)
    const text = () =>
      Array.from({ length: below(12) }, () => pick(["a", "b ", "\n", "é", "語", "."])).join("")
    const [before, after] = [text(), text()]
    const edits = wordDiff(before, after)
    const side = (kind: "added" | "removed") =>
      edits.flatMap((edit) => (edit.kind === "same" || edit.kind === kind ? [edit.text] : [])).join("")
    assert.strictEqual(side("removed"), before)
    assert.strictEqual(side("added"), after)
  })

  it("changes words, not letters", () => {
    assert.deepStrictEqual(wordDiff("rate the part", "judge the part"), [
      { kind: "removed", text: "rate" },
      { kind: "added", text: "judge" },
      { kind: "same", text: " the part" }
    ])
  })
})
