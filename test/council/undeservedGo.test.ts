// Debates by somebody who wants a GO that is not deserved: what the board said against it is somewhere in the debate,
// and the scores alone say GO. Each is one of a kind.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { debate } from "../../src/council/Debate.ts"
import type { Verdict } from "../../src/council/Verdict.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { ModelRunResult } from "../../src/domain/ModelRun.ts"
import { boardOf, failedWith, scripted, statement, succeeded, vote, voters } from "./script.ts"

const illegal = "It is illegal: the law forbids to keep these data."
const answer = (text: string, stands = false, objection = "o-1"): Json => ({
  objection,
  answer: text,
  stands
})
const votes = (answers: ReadonlyArray<Json>, rest: Readonly<Record<string, Json>> = {}) =>
  Object.fromEntries(
    voters.map((id) => [`council/ballot/${id}`, succeeded(vote(9, [], { answers, ...rest }))])
  )
const raised = (phase: string, member: string, text = illegal) => ({
  [`council/${phase}/${member}`]: succeeded(statement("NO_GO", { objections: [text] }))
})
const real = "Counsel has cleared it, see the memo of May."
const abstains = (id: string) => ({
  [`council/ballot/${id}`]: succeeded({
    abstain: true,
    reason: "not my field",
    scores: {},
    answers: [answer(real)]
  })
})

interface Attempt {
  readonly kind: string
  readonly said: Readonly<Record<string, ModelRunResult>>
  readonly board?: Readonly<Record<string, Json>>
  /** What it may not end with: a GO at all, or a conclusive one. */
  readonly never: "GO" | "conclusive"
  readonly codes: ReadonlyArray<string>
}

const unanswered = ["unanswered_objection o-1"]
const attempts: ReadonlyArray<Attempt> = [
  ...["opening", "critique", "revision"].map((phase): Attempt => ({
    kind: `an objection of the ${phase} that nobody answers`,
    said: { ...raised(phase, "bo"), ...votes([]) },
    never: "GO",
    codes: unanswered
  })),
  {
    kind: "the contrarian's objection that nobody answers",
    said: { ...raised("contrarian", "con"), ...votes([]) },
    never: "GO",
    codes: unanswered
  },
  {
    kind: "an objection of an opening of somebody who has no vote",
    said: { ...raised("opening", "di"), ...votes([]) },
    board: { phases: ["opening", "contrarian", { phase: "ballot", members: ["ana", "bo", "cy"] }] },
    never: "GO",
    codes: unanswered
  },
  {
    kind: "only its maker answers",
    said: {
      ...raised("opening", "bo"),
      ...votes([]),
      "council/ballot/bo": succeeded(vote(9, [], { answers: [answer(real)] }))
    },
    never: "GO",
    codes: unanswered
  },
  ...(
    [
      ["nothing", ""],
      ["zero-width characters", "\u200b\u2060\ufeff".repeat(12)],
      ["Hangul fillers", "\u3164\uffa0".repeat(12)],
      ["punctuation", "?!... --- ..."],
      ["digits", "123456789"],
      ["a nod", "ok"],
      ["one letter", "aaaaaaaaaaaaaaaaa"],
      ["the objection itself", illegal],
      ["the objection in capitals", illegal.toUpperCase()],
      ["the objection in full-width letters", illegal.replaceAll("i", "ｉ")],
      ["the objection with characters that are not seen", illegal.split("").join("\u200b")],
      ["a part of the objection", "the law forbids to keep these data"],
      ["the objection and a nod", `"${illegal}" Noted.`]
    ] as const
  ).map(([what, text]): Attempt => ({
    kind: `everybody answers with ${what}`,
    said: { ...raised("critique", "bo"), ...votes([answer(text)]) },
    never: "GO",
    codes: unanswered
  })),
  {
    kind: "answers to another id, in another case, with a blank",
    said: {
      ...raised("critique", "bo"),
      ...votes([answer(real, false, "O-1"), answer(real, false, "o-1 "), answer(real, false, "o-2")])
    },
    never: "GO",
    codes: unanswered
  },
  {
    kind: "everybody answers, and says that it stands",
    said: { ...raised("critique", "bo"), ...votes([answer(real, true)]) },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "most say that it stands",
    said: {
      ...raised("critique", "bo"),
      ...votes([answer(real, true)]),
      "council/ballot/ana": succeeded(vote(9, [], { answers: [answer(real)] }))
    },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "the one who says anything to it says that it stands",
    said: {
      ...raised("critique", "bo"),
      ...votes([]),
      "council/ballot/ana": succeeded(vote(9, [], { answers: [answer(real, true)] }))
    },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "most say in one breath that it stands and that it does not",
    said: { ...raised("critique", "bo"), ...votes([answer(real, true), answer(real, false)]) },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "most say that it stands without a word, one answers",
    said: {
      ...raised("critique", "bo"),
      ...votes([answer("", true)]),
      "council/ballot/ana": succeeded(vote(9, [], { answers: [answer(real)] }))
    },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "one voter answers many times, two say that it stands",
    said: {
      ...raised("critique", "bo"),
      ...votes([]),
      "council/ballot/ana": succeeded(
        vote(9, [], { answers: Array.from({ length: 9 }, () => answer(real)) })
      ),
      "council/ballot/cy": succeeded(vote(9, [], { answers: [answer(real, true)] })),
      "council/ballot/di": succeeded(vote(9, [], { answers: [answer(real, true)] }))
    },
    never: "GO",
    codes: ["objection_stands o-1"]
  },
  {
    kind: "the contrarian is not heard",
    said: { ...votes([]), "council/contrarian/con": failedWith("timeout") },
    never: "GO",
    codes: [
      "contrarian_not_heard the contrarian gave no statement",
      "member_failed con in contrarian: timed_out"
    ]
  },
  ...["\u200b", "\u2800 \ufeff", "\u3164"].map((position): Attempt => ({
    kind: `the contrarian says what nobody can see: ${JSON.stringify(position)}`,
    said: { ...votes([]), "council/contrarian/con": succeeded(statement("GO", { position })) },
    never: "GO",
    codes: [
      "contrarian_not_heard the contrarian gave no statement",
      "member_failed con in contrarian: off_format"
    ]
  })),
  {
    kind: "each of two objections is answered with the other",
    said: {
      ...raised("opening", "ana", "The cost of it is not known."),
      ...raised("critique", "bo"),
      ...votes([answer(illegal), answer("The cost of it is not known.", false, "o-2")])
    },
    never: "GO",
    codes: ["unanswered_objection o-1", "unanswered_objection o-2"]
  },
  {
    kind: "most abstain, and three are left to decide",
    said: {
      ...Object.fromEntries(["e1", "e2", "e3", "e4"].flatMap((id) => Object.entries(abstains(id)))),
      ...votes([answer(real)])
    },
    board: {
      members: [
        ...["ana", "bo", "cy", "e1", "e2", "e3", "e4"].map((id) => ({ id, role: "engineer" })),
        { id: "con", role: "contrarian" }
      ]
    },
    never: "conclusive",
    codes: ["most_abstained 4 of 7 votes are abstentions"]
  },
  {
    kind: "a vote with two readings",
    said: {
      ...votes([answer(real)]),
      "council/ballot/ana": succeeded({
        rawText: JSON.stringify(vote(9)).replace('"value":9', '"value":1,"value":9')
      })
    },
    never: "conclusive",
    codes: ["member_failed ana in ballot: off_format"]
  }
]

const codesOf = ({ inconclusive }: Verdict) => inconclusive.map(({ code, detail }) => `${code} ${detail}`)
const quiet = (label: string): ModelRunResult =>
  label.includes("/ballot/") ? succeeded(vote(9)) : succeeded(statement("GO"))

describe("no GO that is not deserved:", () => {
  for (const { board = {}, codes, kind, never, said } of attempts)
    it.effect(kind, () =>
      Effect.gen(function* () {
        const verdict = yield* debate(
          boardOf(board),
          { question: "Shall we?" },
          scripted((label) => said[label] ?? quiet(label))
        )
        assert.deepStrictEqual(codesOf(verdict), codes)
        assert.isFalse(verdict.conclusive)
        if (never === "GO") assert.deepInclude(verdict, { decision: "PIVOT", blocked: "GO" })
      })
    )

  it.effect("and one that is: every objection of every phase was answered", () =>
    Effect.gen(function* () {
      const said: Readonly<Record<string, ModelRunResult>> = {
        ...raised("opening", "ana"),
        ...raised("critique", "bo"),
        ...raised("revision", "cy"),
        ...raised("contrarian", "con"),
        ...votes(["o-1", "o-2", "o-3", "o-4"].map((id) => answer(real, false, id)))
      }
      const verdict = yield* debate(
        boardOf(),
        { question: "Shall we?" },
        scripted((label) => said[label] ?? quiet(label))
      )
      assert.deepInclude(verdict, { decision: "GO", conclusive: true })
      assert.deepStrictEqual(
        verdict.dissents.map(({ answered, id, phase }) => [id, phase, answered]),
        [
          ["o-1", "opening", true],
          ["o-2", "critique", true],
          ["o-3", "revision", true],
          ["o-4", "contrarian", true]
        ]
      )
    })
  )

  it.effect("a tie on whether it stands does not block; a NO_GO is as conclusive as it was", () =>
    Effect.gen(function* () {
      const split = {
        ...raised("critique", "bo"),
        ...votes([answer(real, true)]),
        "council/ballot/ana": succeeded(vote(9, [], { answers: [answer(real)] })),
        "council/ballot/cy": succeeded(vote(9, [], { answers: [answer(real)] }))
      }
      const held = (said: Readonly<Record<string, ModelRunResult>>) =>
        debate(
          boardOf(),
          { question: "Shall we?" },
          scripted((label) => said[label] ?? quiet(label))
        )
      assert.deepInclude(yield* held(split), { decision: "GO", conclusive: true })
      const low = { scores: { value: 1, risk: 1 } }
      const refused = yield* held({ ...raised("critique", "bo"), ...votes([answer(real, true)], low) })
      assert.deepInclude(refused, { decision: "NO_GO", conclusive: true })
      assert.isTrue(refused.dissents[0]?.stands)
    })
  )

  it.effect("a contrarian that says NO_GO, and a member without a vote that does, are dissents in full", () =>
    Effect.gen(function* () {
      const against = (position: string) => succeeded(statement("NO_GO", { position }))
      const said: Readonly<Record<string, ModelRunResult>> = {
        "council/contrarian/con": against("We will regret it.\nAll of us."),
        "council/revision/di": against("I have seen this fail."),
        "council/opening/bo": against("At first I was against it."),
        ...abstains("di")
      }
      const verdict = yield* debate(
        boardOf(),
        { question: "Shall we?" },
        scripted((label) => said[label] ?? quiet(label))
      )
      assert.strictEqual(verdict.decision, "GO")
      assert.deepStrictEqual(
        verdict.dissents.map(({ id, kind, member, stance, text }) => [id, kind, member, stance, text]),
        [
          ["p-1", "position", "di", "NO_GO", "I have seen this fail."],
          ["p-2", "position", "con", "NO_GO", "We will regret it.\nAll of us."]
        ]
      )
      assert.include(
        (verdict.positions ?? []).map(({ phase, position, stance }) => `${phase} ${stance} ${position}`),
        "opening NO_GO At first I was against it."
      )
      assert.deepInclude(verdict.changes, {
        member: "bo",
        from: "opening",
        to: "critique",
        was: "NO_GO",
        is: "GO",
        toMajority: true
      })
    })
  )
})
