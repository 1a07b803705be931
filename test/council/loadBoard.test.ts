// Boards: every rule of the order of speaking, each by its code, at its place in the file.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { RegistryError, type AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { plannedCalls } from "../../src/council/Board.ts"
import { checkModels, decodeBoard, loadBoard } from "../../src/council/loadBoard.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { boardOf, boardValue, voters } from "./script.ts"

const problems = (value: unknown): ReadonlyArray<string> =>
  Result.match(decodeBoard(value), {
    onFailure: (error) => error.problems.map(({ code, path }) => `${code} ${path}`),
    onSuccess: () => []
  })
const contrarian = { id: "con", role: "contrarian" }
const members = voters.map((id) => ({ id, role: "engineer" }))
const of = (rest: Readonly<Record<string, Json>>) => problems(boardValue(rest))

describe("a board loads or says why not", () => {
  it("the shipped boards load, and their contrarian speaks last", () => {
    for (const name of ["technical-decision.yaml", "code-review.yaml", "research.json"]) {
      const text = readFileSync(new URL(`../examples/boards/${name}`, import.meta.url), "utf8")
      const board = Result.getOrThrow(loadBoard(text))
      assert.strictEqual(board.phases.at(-2)?.phase, "contrarian")
      assert.strictEqual(board.phases.at(-1)?.phase, "ballot")
    }
  })

  it("defaults: the five phases, the five axes, thresholds 7 and 5", () => {
    const board = Result.getOrThrow(decodeBoard({ members: [...members, contrarian] }))
    assert.deepStrictEqual(
      board.phases.map(({ phase }) => phase),
      ["opening", "critique", "revision", "contrarian", "ballot"]
    )
    assert.deepStrictEqual(
      board.axes.map(({ id, weight }) => [id, weight]),
      [
        ["feasibility", 0.25],
        ["revenue", 0.25],
        ["cx", 0.2],
        ["ttm", 0.15],
        ["risk", 0.15]
      ]
    )
    assert.deepStrictEqual(board.thresholds, { go: 7, pivot: 5 })
    assert.deepStrictEqual(plannedCalls(board), { debate: 17, eachPermutation: 13 })
  })

  it("contrarian_not_last: before a speaker, absent, after the ballot, or heard elsewhere", () => {
    assert.deepStrictEqual(of({ phases: ["opening", "contrarian", "critique", "ballot"] }), [
      "contrarian_not_last $.phases[1]"
    ])
    assert.deepStrictEqual(of({ phases: ["opening", "critique", "ballot"] }), [
      "contrarian_not_last $.phases"
    ])
    assert.include(of({ phases: ["opening", "ballot", "contrarian"] }), "ballot_not_last $.phases[1]")
    assert.deepStrictEqual(
      of({ phases: [{ phase: "opening", members: ["ana", "con"] }, "contrarian", "ballot"] }),
      ["contrarian_not_last $.phases[0].members[1]"]
    )
  })

  it("contrarian_not_alone", () => {
    assert.deepStrictEqual(
      of({ phases: ["opening", { phase: "contrarian", members: ["con", "bo"] }, "ballot"] }),
      ["contrarian_not_alone $.phases[1].members[1]"]
    )
  })

  it("no_contrarian and many_contrarians", () => {
    assert.include(of({ members }), "no_contrarian $.members")
    assert.include(
      of({ members: [...members, contrarian, { id: "con2", role: "contrarian" }] }),
      "many_contrarians $.members[5].role"
    )
  })

  it("duplicate_member, too_few_members, too_many_members", () => {
    assert.deepStrictEqual(of({ members: [...members, { id: "bo", role: "x" }, contrarian] }), [
      "duplicate_member $.members[4].id"
    ])
    assert.deepStrictEqual(of({ members: [...members.slice(0, 2), contrarian] }), [
      "too_few_members $.members"
    ])
    assert.deepStrictEqual(of({ members: [...members.slice(0, 2), contrarian], contrarianVotes: true }), [])
    assert.include(
      of({ members: [...Array.from({ length: 24 }, (_, n) => ({ id: `m${n}`, role: "x" })), contrarian] }),
      "too_many_members $.members"
    )
  })

  it("unknown_phase, duplicate_phase, no_opening, no_ballot, ballot_not_last", () => {
    assert.deepStrictEqual(of({ phases: ["opening", "rebuttal", "contrarian", "ballot"] }), [
      "unknown_phase $.phases[1]"
    ])
    assert.deepStrictEqual(of({ phases: ["opening", { phase: "vote" }] }), [
      "unknown_phase $.phases[1].phase"
    ])
    assert.deepStrictEqual(of({ phases: ["opening", "critique", "critique", "contrarian", "ballot"] }), [
      "duplicate_phase $.phases[2]"
    ])
    assert.deepStrictEqual(of({ phases: ["critique", "contrarian", "ballot"] }), ["no_opening $.phases"])
    assert.deepStrictEqual(of({ phases: ["opening", "contrarian"] }), ["no_ballot $.phases"])
  })

  it("unknown_member and empty_phase", () => {
    assert.deepStrictEqual(
      of({ phases: [{ phase: "opening", members: ["eve", "ana"] }, "contrarian", "ballot"] }),
      ["unknown_member $.phases[0].members[0]"]
    )
    assert.deepStrictEqual(of({ phases: [{ phase: "opening", members: [] }, "contrarian", "ballot"] }), [
      "empty_phase $.phases[0].members"
    ])
    assert.deepStrictEqual(
      of({ phases: ["opening", "contrarian", { phase: "ballot", members: ["con", "ana", "bo", "cy"] }] }),
      ["unknown_member $.phases[2].members[0]"]
    )
  })

  it("bad_weights of axes and members, bad_thresholds, duplicate_axis", () => {
    assert.deepStrictEqual(
      of({
        axes: [
          { id: "a", weight: -1 },
          { id: "b", weight: 2 }
        ]
      }),
      ["bad_weights $.axes[0].weight"]
    )
    assert.deepStrictEqual(of({ axes: [{ id: "a", weight: 0 }] }), ["bad_weights $.axes"])
    assert.deepStrictEqual(of({ axes: [] }), ["bad_weights $.axes"])
    assert.deepStrictEqual(of({ axes: [{ id: "a", weight: 0.123456789 }] }), ["bad_weights $.axes[0].weight"])
    assert.deepStrictEqual(of({ members: [{ id: "zo", role: "x", weight: 0 }, ...members, contrarian] }), [
      "bad_weights $.members[0].weight"
    ])
    assert.deepStrictEqual(of({ thresholds: { go: 5, pivot: 7 } }), ["bad_thresholds $.thresholds"])
    assert.deepStrictEqual(of({ thresholds: { go: 11, pivot: 7 } }), ["bad_thresholds $.thresholds"])
    assert.deepStrictEqual(
      of({
        axes: [
          { id: "a", weight: 1 },
          { id: "a", weight: 1 }
        ]
      }),
      ["duplicate_axis $.axes[1].id"]
    )
    assert.deepStrictEqual(
      problems({ ...boardValue(), axes: [{ id: "a", weight: Number.NaN }] }),
      ["bad_weights $.axes[0].weight"].concat("bad_weights $.axes")
    )
  })

  it("over_budget counts the permutations too", () => {
    assert.deepStrictEqual(of({ budget: { calls: 17 } }), [])
    assert.deepStrictEqual(of({ budget: { calls: 16 } }), ["over_budget $.budget.calls"])
    assert.deepStrictEqual(of({ budget: { calls: 17 }, permutations: 1 }), ["over_budget $.budget.calls"])
  })

  it("over_budget counts no call of a person", () => {
    const firstBy = (model: string) => [
      ...members.map((member, index) => (index === 0 ? { ...member, model } : member)),
      contrarian
    ]
    assert.deepStrictEqual(of({ budget: { calls: 16 }, members: firstBy("human") }), [])
    assert.deepStrictEqual(of({ budget: { calls: 16 }, members: firstBy("human | anthropic:x") }), [])
    assert.deepStrictEqual(of({ budget: { calls: 16 }, members: firstBy("anthropic:x|human") }), [
      "over_budget $.budget.calls"
    ])
  })

  it("bad_shape names every place, unknown keys too", () => {
    assert.deepStrictEqual(problems({ members: [{ id: 5, role: "x" }] }), ["bad_shape $.members[0].id"])
    assert.include(of({ thresolds: { go: 1, pivot: 1 } })[0], "bad_shape $.thresolds")
    assert.deepStrictEqual(problems(null), ["bad_shape $"])
  })

  it("reports all problems at once", () => {
    assert.isAtLeast(
      of({
        members: [
          { id: "a", role: "x" },
          { id: "a", role: "x" }
        ],
        axes: [{ id: "a", weight: -1 }]
      }).length,
      4
    )
  })
})

describe("a board's text", () => {
  const place = (text: string) =>
    Result.match(loadBoard(text), {
      onFailure: ({ problems: [{ code, column, line, path }] }) => `${code} ${path} ${line}:${column}`,
      onSuccess: () => "ok"
    })

  it("YAML and JSON mean the same", () => {
    const yaml = `members:\n${[...voters, "con"].map((id) => `  - { id: ${id}, role: ${id === "con" ? "contrarian" : "engineer"} }`).join("\n")}\n`
    assert.deepStrictEqual(loadBoard(yaml), loadBoard(JSON.stringify({ members: [...members, contrarian] })))
  })

  it("a problem has its line and column", () => {
    const yaml =
      "members:\n  - {id: a, role: x}\n  - {id: b, role: x}\n  - {id: c, role: x}\n  - {id: d, role: contrarian}\nphases:\n  - opening\n  - contrarian\n  - critique\n  - ballot\n"
    assert.strictEqual(place(yaml), "contrarian_not_last $.phases[1] 8:5")
  })

  it("unparsable: bad syntax, a key that stands twice, a bomb of aliases, too much", () => {
    assert.match(place("members: [\n"), /^unparsable \$ /)
    assert.match(place("title: a\ntitle: b\n"), /^unparsable \$ 2:1/)
    assert.match(
      place(
        "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*b,*b,*b,*b,*b]\n"
      ),
      /^unparsable/
    )
    assert.match(place(`title: ${"x".repeat(300_000)}`), /^unparsable/)
    assert.match(place(""), /^bad_shape \$/)
  })
})

describe("checkModels", () => {
  const registry: AdapterRegistry["Service"] = {
    identity: null,
    resolve: ({ model, prompt }) =>
      Effect.succeed({ verb: "agent", prompt, ...(model === undefined ? {} : { model }) }),
    bind: (reference) =>
      Effect.fail(
        new RegistryError({
          reference,
          code: reference.endsWith(":bo") ? "unknown_model" : "auth",
          message: `no ${reference}`,
          cure: "name another"
        })
      )
  }

  it.effect("unknown_model names the member; a missing key does not keep a board from loading", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(checkModels(boardOf(), registry))
      assert.deepStrictEqual(
        error.problems.map(({ code, path }) => `${code} ${path}`),
        ["unknown_model $.members[1].model"]
      )
    })
  )
})
