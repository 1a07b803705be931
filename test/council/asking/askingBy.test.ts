// How members are asked, by the rules of the run: an old run's members exactly as they were, so that their journaled
// answers answer; a new run's about every objection of every phase.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { debate } from "../../../src/council/Debate.ts"
import { fingerprint } from "../../../src/domain/fingerprint.ts"
import { agreeable, boardOf, scripted, statement, succeeded } from "../script.ts"

const pack = {
  question: "Q?",
  context: "C",
  options: [{ id: "a", text: "A" }],
  evidence: [{ kind: "number" as const, id: "p95", value: 412, unit: "ms" }]
}

/** Everybody objects in every phase, and the votes answer the first objection. */
const held = (rules?: number) => {
  const script = scripted((label) =>
    label.includes("/ballot/")
      ? agreeable(label)
      : succeeded(statement("GO", { objections: [`an objection of ${label}`] }))
  )
  const board = boardOf({ permutations: 1, anonymous: false })
  return Effect.map(
    debate(board, pack, { ...script, ...(rules === undefined ? {} : { rules }) }),
    (verdict) => ({ verdict, asked: script.asked })
  )
}

describe("a council", () => {
  it.effect("under the first rules asks what it asked before there were others, letter by letter", () =>
    Effect.gen(function* () {
      const { asked } = yield* held(1)
      assert.strictEqual(
        Result.getOrThrow(fingerprint(asked.map((call) => ({ ...call })))),
        "08c2c816e3b8b6841ce4e479feca2897d502a4febe048f853c1ff075d0e52bb3"
      )
    })
  )

  it.effect("under the second rules asks what it asked under them, letter by letter", () =>
    Effect.gen(function* () {
      const { asked } = yield* held(2)
      assert.strictEqual(
        Result.getOrThrow(fingerprint(asked.map((call) => ({ ...call })))),
        "57f8bc41d447c1ada4c4870e3ec1db1f3ffe341a1de1c40fffbc92afa0176292"
      )
    })
  )

  it.effect("limits objections only under the rules that did", () =>
    Effect.gen(function* () {
      for (const [rules, limits] of [
        [1, true],
        [2, true],
        [3, false]
      ] as const) {
        const { asked } = yield* held(rules)
        const opening = asked.find(({ label }) => label?.startsWith("council/opening/"))
        assert.strictEqual(JSON.stringify(opening?.schema).includes('"maxItems":10'), limits)
      }
    })
  )

  it.effect("under the first rules keeps what its ballot did not ask about: no GO without an answer", () =>
    Effect.gen(function* () {
      const { verdict } = yield* held(1)
      for (const later of ["rules", "positions", "otherOrders"]) assert.notProperty(verdict, later)
      const texts = verdict.dissents.filter(({ kind }) => kind === "objection").map(({ text }) => text)
      assert.include(texts, "an objection of council/opening/ana")
      assert.include(texts, "an objection of council/revision/di")
      assert.deepInclude(verdict, { decision: "PIVOT", blocked: "GO", conclusive: false })
    })
  )

  it.effect("asks every voter about every objection of every phase, and shows ids while it debates", () =>
    Effect.gen(function* () {
      const { asked, verdict } = yield* held()
      assert.strictEqual(verdict.rules, 3)
      const prompt = (label: string) => asked.find((call) => call.label === label)?.prompt ?? ""
      for (const raised of ["opening/ana", "critique/bo", "revision/cy", "contrarian/con"])
        assert.include(prompt("council/ballot/di"), `an objection of council/${raised}`)
      assert.match(
        prompt("council/critique/bo"),
        /"id": "o-1",\s*"text": "an objection of council\/opening\/ana"/
      )
      const ballot = asked.find(({ label }) => label === "council/ballot/di")
      assert.include(JSON.stringify(ballot?.schema), '"o-13"')
    })
  )

  it.effect("an objection of an opening has one id in every order of the openings", () =>
    Effect.gen(function* () {
      const { verdict } = yield* held()
      const idsOf = (dissents: typeof verdict.dissents) =>
        dissents.filter(({ phase }) => phase === "opening").map(({ id, text }) => `${id} ${text}`)
      assert.strictEqual(verdict.otherOrders?.length, 1)
      for (const order of verdict.otherOrders ?? [])
        assert.deepStrictEqual(idsOf(order.dissents), idsOf(verdict.dissents))
    })
  )
})
