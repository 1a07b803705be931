// The verdict: one test for each numbered rule, and that nothing a member said is dropped from it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { debate } from "../../src/council/Debate.ts"
import { Verdict } from "../../src/council/Verdict.ts"
import { boardOf, except, failedWith, scripted, statement, succeeded, vote, voters } from "./script.ts"

const pack = { question: "Shall we?" }
const held = (others: Parameters<typeof except>[0] = {}, board = boardOf()) =>
  debate(board, pack, except(others))
const codes = ({ inconclusive }: Verdict) => inconclusive.map(({ code, detail }) => `${code} ${detail}`)
const Scores = Schema.Tuple(
  voters.map(() => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 10 }))))
)

describe("the verdict", () => {
  it.effect("1. fewer than three valid votes: NO_GO, not conclusive", () =>
    Effect.gen(function* () {
      const verdict = yield* held({
        "council/ballot/ana": failedWith("timeout"),
        "council/ballot/bo": succeeded({ abstain: true, reason: "not mine" })
      })
      assert.deepInclude(verdict, { decision: "NO_GO", conclusive: false })
      assert.include(codes(verdict), "too_few_votes 2 valid votes; it takes 3 to decide")
      assert.deepStrictEqual(verdict.abstentions, [{ member: "bo", reason: "not mine" }])
    })
  )

  it.effect("2. an objection that nobody answered blocks GO", () =>
    Effect.gen(function* () {
      const verdict = yield* debate(
        boardOf(),
        pack,
        scripted((label) => {
          const phase = label.split("/")[1]
          if (phase === "ballot") return succeeded(vote(9, ["o-1"]))
          return succeeded(statement("GO", phase === "contrarian" ? { objections: ["first", "second"] } : {}))
        })
      )
      assert.deepInclude(verdict, { decision: "PIVOT", blocked: "GO", conclusive: false })
      assert.deepStrictEqual(codes(verdict), ["unanswered_objection o-2"])
      assert.deepStrictEqual(
        verdict.dissents
          .filter(({ kind }) => kind === "objection")
          .map(({ answered, id, text }) => [id, text, answered]),
        [
          ["o-1", "first", true],
          ["o-2", "second", false]
        ]
      )
    })
  )

  it.effect(
    "2. who raised an objection does not answer it, and neither does an empty answer or an unknown id",
    () =>
      Effect.gen(function* () {
        const raised = {
          "council/critique/ana": succeeded(statement("PIVOT", { objections: ["mine"] })),
          "council/contrarian/con": succeeded(statement("NO_GO"))
        }
        const own = yield* held({
          ...raised,
          ...Object.fromEntries(
            voters.map((id) => [`council/ballot/${id}`, succeeded(vote(9, id === "ana" ? ["o-1"] : ["o-9"]))])
          )
        })
        assert.deepStrictEqual(codes(own), ["unanswered_objection o-1"])
        const blank = vote(9, [], { answers: [{ objection: "o-1", answer: "  ", stands: false }] })
        const empty = yield* held({
          ...raised,
          ...Object.fromEntries(voters.map((id) => [`council/ballot/${id}`, succeeded(blank)]))
        })
        assert.deepStrictEqual(codes(empty), ["unanswered_objection o-1"])
      })
  )

  it.effect("2. a contrarian that was not heard blocks GO", () =>
    Effect.gen(function* () {
      const verdict = yield* held({ "council/contrarian/con": failedWith("server_error") })
      assert.deepInclude(verdict, { decision: "PIVOT", blocked: "GO", conclusive: false })
      assert.include(codes(verdict), "contrarian_not_heard the contrarian gave no statement")
    })
  )

  it.effect("2. what is not GO is not changed by an open objection", () =>
    Effect.gen(function* () {
      const verdict = yield* held(
        Object.fromEntries(voters.map((id) => [`council/ballot/${id}`, succeeded(vote(3))]))
      )
      assert.strictEqual(verdict.decision, "NO_GO")
      assert.notProperty(verdict, "blocked")
    })
  )

  it.effect("3. a verdict that rests on a missing answer says which", () =>
    Effect.gen(function* () {
      const verdict = yield* held({ "council/critique/cy": failedWith("rate_limited") })
      assert.deepInclude(verdict, { decision: "GO", conclusive: false })
      assert.deepStrictEqual(codes(verdict), ["member_failed cy in critique: failed"])
    })
  )

  it.effect.prop(
    "4. every objection and every vote against the decision is a dissent, in full",
    [Scores, Schema.Array(Schema.String).pipe(Schema.check(Schema.isMaxLength(5)))],
    ([scores, texts]) =>
      Effect.gen(function* () {
        const objections = texts.map((text) => text.toWellFormed())
        const verdict = yield* held({
          "council/contrarian/con": succeeded(statement("NO_GO", { objections })),
          ...Object.fromEntries(
            voters.map((id, n) => [`council/ballot/${id}`, succeeded(vote(scores[n] ?? 0, ["o-1"]))])
          )
        })
        const said = objections.filter((text) => text.trim() !== "")
        assert.deepStrictEqual(
          verdict.dissents.filter(({ kind }) => kind === "objection").map(({ text }) => text),
          said
        )
        const against = verdict.scores.rows
          .filter(({ decision }) => decision !== verdict.decision)
          .map(({ member }) => member)
        assert.deepStrictEqual(
          verdict.dissents.filter(({ kind }) => kind === "vote").map(({ member }) => member),
          against
        )
        for (const { member, text } of verdict.dissents.filter(({ kind }) => kind === "vote")) {
          assert.include(text, `a ${scores[voters.findIndex((id) => id === member)]}`)
        }
      })
  )

  it.effect("answers say whether the objection stands", () =>
    Effect.gen(function* () {
      const stands = vote(8, [], { answers: [{ objection: "o-1", answer: "it is right", stands: true }] })
      const { dissents } = yield* held({ "council/ballot/ana": succeeded(stands) })
      assert.deepInclude(dissents[0]?.answers[0], { member: "ana", answer: "it is right", stands: true })
    })
  )

  it.effect("claims carry the verifier's finding, whatever their prose says", () =>
    Effect.gen(function* () {
      const claim = (args: string) => ({
        statement: "beyond doubt",
        oracle: "numeric",
        args,
        evidence: "p95"
      })
      const claims = [
        claim('{"op":"lt","value":500,"unit":"ms"}'),
        claim('{"op":"lt","value":300,"unit":"ms"}'),
        claim("not json"),
        { ...claim("{}"), evidence: "none" }
      ]
      const verdict = yield* debate(
        boardOf(),
        { ...pack, evidence: [{ kind: "number", id: "p95", value: 412, unit: "ms" }] },
        except({ "council/opening/ana": succeeded(statement("GO", { claims })) })
      )
      assert.deepStrictEqual(
        verdict.claims.map(({ claim: { id }, finding: { finding } }) => [id, finding]),
        [
          ["ana/opening/1", "proven"],
          ["ana/opening/2", "refuted"],
          ["ana/opening/3", "unproven"],
          ["ana/opening/4", "unproven"]
        ]
      )
    })
  )

  it.effect("changes of mind and conformity are counted against the phase before", () =>
    Effect.gen(function* () {
      const stance = (phase: string, id: string, to: "GO" | "NO_GO") => ({
        [`council/${phase}/${id}`]: succeeded(statement(to))
      })
      const verdict = yield* held({
        ...stance("opening", "di", "NO_GO"),
        ...stance("critique", "cy", "NO_GO")
      })
      assert.deepStrictEqual(
        verdict.changes.map(({ from, member, to, toMajority }) => [member, from, to, toMajority]),
        [
          ["cy", "opening", "critique", false],
          ["di", "opening", "critique", true],
          ["cy", "critique", "revision", true]
        ]
      )
      assert.deepStrictEqual(verdict.conformity, { toMajority: 2, of: 3 })
      assert.deepStrictEqual(verdict.agreement, { agree: 4, of: 4 })
    })
  )

  it.effect("cost is the sum of its calls, and absent when one is not known", () =>
    Effect.gen(function* () {
      const verdict = yield* held()
      assert.deepInclude(verdict, { calls: 17, costUsd: 4.25, unpricedCalls: 0 })
      assert.deepStrictEqual(verdict.usage, { inputTokens: 170, outputTokens: 34 })
      const { costUsd: _cost, ...unpriced } = succeeded(vote(8, ["o-1"]))
      const some = yield* held({ "council/ballot/bo": unpriced })
      assert.notProperty(some, "costUsd")
      assert.strictEqual(some.unpricedCalls, 1)
    })
  )

  it.effect("ranked options are part of it", () =>
    Effect.gen(function* () {
      const ranked = (ranking: ReadonlyArray<string>) => succeeded(vote(8, ["o-1"], { ranking }))
      const verdict = yield* debate(
        boardOf(),
        {
          ...pack,
          options: [
            { id: "a", text: "A" },
            { id: "b", text: "B" }
          ]
        },
        except({ "council/ballot/ana": ranked(["b", "a"]), "council/ballot/bo": ranked(["b"]) })
      )
      assert.deepStrictEqual(
        verdict.ranking?.order.map(({ option }) => option),
        ["b", "a"]
      )
      assert.strictEqual(verdict.ranking?.votes, 2)
    })
  )

  it.effect("it is exact as JSON: what is written is what is read back", () =>
    Effect.gen(function* () {
      const verdict = yield* held(
        { "council/critique/cy": failedWith("timeout") },
        boardOf({ permutations: 1, id: "b" })
      )
      const back = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Verdict))(
        JSON.stringify(verdict),
        { onExcessProperty: "error" }
      )
      assert.deepStrictEqual(back, verdict)
    })
  )
})
