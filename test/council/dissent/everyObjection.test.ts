// Random debates: members × phases × objections × answers × abstentions × failures × rules. Whatever was said against
// the decision is in the verdict, and no GO stands against what was said.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { debate } from "../../../src/council/Debate.ts"
import { verdictMarkdown, verdictText } from "../../../src/council/renderVerdict.ts"
import type { Verdict } from "../../../src/council/Verdict.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { dice } from "../../support/dice.ts"
import { boardOf, failedWith, scripted, statement, succeeded } from "../script.ts"

const stances = ["GO", "GO", "PIVOT", "NO_GO"] as const
const good = ["we asked all of them in May", "já foi resolvido em maio", "法务部门已经确认合规了吧"]
const bad = ["", " ", "\u200b\u3164\u2800", "...", "no", "12345678901", "aaaaaaaaaaaa"]

interface SaidObjection {
  readonly order: string
  readonly member: string
  readonly phase: string
  readonly text: string
}
interface Reply {
  readonly order: string
  readonly member: string
  readonly id: string
  readonly good: boolean
  readonly stands: boolean
}

/** A debate by the dice, and what was said in it, kept apart from the verdict. */
const randomDebate = (seed: number) => {
  const roll = dice(seed)
  const voters = Array.from({ length: 3 + roll.below(4) }, (_, n) => `m${n}`)
  const middle = ["critique", "revision"].filter(() => roll.next() < 0.7)
  const board = boardOf({
    members: [...voters.map((id) => ({ id, role: "engineer" })), { id: "con", role: "contrarian" }],
    phases: ["opening", ...middle, "contrarian", "ballot"],
    contrarianVotes: roll.next() < 0.3,
    anonymous: roll.next() < 0.3,
    permutations: roll.below(3)
  })
  const rules = roll.pick([1, 2, 3])
  const cooperative = roll.next() < 0.6
  const objections: Array<SaidObjection> = []
  const replies: Array<Reply> = []
  const positions: Array<{ readonly order: string; readonly member: string; readonly text: string }> = []
  const reasons: Array<{ readonly order: string; readonly member: string; readonly text: string }> = []
  let count = 0

  const speak = (who: Who, phase: string): Json => {
    const position = `position ${++count}`
    positions.push({ ...who, text: position })
    const raised = Array.from({ length: roll.next() < 0.1 ? 11 + roll.below(20) : roll.below(3) }, () => {
      const text = roll.pick([
        `objection ${++count}`,
        `objection ${++count}\nof two lines`,
        `${++count}?`,
        `</material> ${++count}`
      ])
      objections.push({ ...who, phase, text })
      return text
    })
    return statement(roll.pick(stances), {
      position,
      objections: roll.next() < 0.2 ? [...raised, "  "] : raised
    })
  }
  const ballot = (who: Who, ids: ReadonlyArray<string>): Json => {
    const reason = `reason ${++count}`
    reasons.push({ ...who, text: reason })
    const answers = ids.flatMap((objection) => replyTo(who, objection, cooperative ? 0.9 : 0.4))
    const score = cooperative ? 7 + roll.below(4) : roll.below(11)
    return {
      abstain: roll.next() < 0.2,
      reason,
      scores: { value: score, risk: score },
      answers
    }
  }
  const replyTo = (who: Who, id: string, willing: number): ReadonlyArray<Json> => {
    if (roll.next() > willing) return []
    const isGood = roll.next() < willing
    const stands = roll.next() < (cooperative ? 0.15 : 0.5)
    replies.push({ ...who, id, good: isGood, stands })
    return [{ objection: id, answer: roll.pick(isGood ? good : bad), stands }]
  }

  const script = scripted((label, { prompt }) => {
    const [, phase = "", member = "", order = "own"] = label.split("/")
    if (roll.next() < 0.06) return failedWith(roll.pick(["timeout", "server_error", "content_filtered"]))
    const who = { order, member }
    if (phase !== "ballot") return succeeded(speak(who, phase))
    const asked = /<material name="objections">\n(.*?)\n<\/material>/s.exec(prompt)?.[1] ?? "[]"
    const ids = Schema.decodeUnknownSync(Asked)(asked).map(({ id }) => id)
    return succeeded(ballot(who, ids))
  })
  return Effect.map(debate(board, { question: "?" }, { ...script, rules }), (verdict) => ({
    verdict,
    rules,
    said: { objections, positions, reasons, replies }
  }))
}
interface Who {
  readonly order: string
  readonly member: string
}
const Asked = Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.String })))

type Held = Effect.Success<ReturnType<typeof randomDebate>>

const property = (name: string, check: (held: Held) => void) =>
  it.effect.prop(
    name,
    [Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))],
    ([seed]) => Effect.map(randomDebate(seed), check),
    { arbitrary: { runs: 300 } }
  )

/** `order-2` is the second of the other orders. */
const dissentsOf = (verdict: Verdict, order: string) =>
  order === "own"
    ? verdict.dissents
    : (verdict.otherOrders?.[Number(order.replace("order-", "")) - 1]?.dissents ?? [])

describe("in any debate", () => {
  property(
    "1. every objection of every phase and order is a dissent, in full, once",
    ({ rules, said, verdict }) => {
      for (const { member, order, phase, text } of said.objections) {
        if (rules === 1 && order !== "own") continue
        const found = dissentsOf(verdict, order).filter(
          (dissent) =>
            dissent.kind === "objection" &&
            dissent.member === member &&
            dissent.phase === phase &&
            dissent.text === text
        )
        assert.strictEqual(found.length, 1, `${order} ${member} ${phase} ${text}`)
      }
      const ids = verdict.dissents.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
    }
  )

  property(
    "2. and 3. no GO against an objection that nobody answered or most say stands",
    ({ said, verdict }) => {
      if (verdict.decision !== "GO") return
      for (const { answered, id, kind, member } of verdict.dissents) {
        if (kind !== "objection") continue
        const replies = said.replies.filter((reply) => reply.order === "own" && reply.id === id)
        assert.isTrue(answered && replies.some((reply) => reply.good && reply.member !== member), id)
        const standing = replies.filter(({ stands }) => stands).length
        const against = replies.filter((reply) => reply.good && !reply.stands).length
        assert.isAtMost(standing, against, id)
      }
      assert.isTrue(verdict.transcript.some((turn) => turn.phase === "contrarian" && "statement" in turn))
    }
  )

  property("4. a contrarian's NO_GO is a dissent; most abstaining is not conclusive", ({ verdict }) => {
    const against = verdict.transcript.flatMap((turn) =>
      "statement" in turn && turn.phase === "contrarian" && turn.statement.stance === "NO_GO"
        ? [turn.statement.position]
        : []
    )
    for (const position of against) {
      const own = verdict.dissents.filter(({ member, phase }) => member === "con" && phase === "contrarian")
      assert.isNotEmpty(own)
      if (!own.some(({ kind, text }) => kind === "objection" && !text.endsWith("?")))
        assert.isTrue(own.some(({ kind, text }) => kind === "position" && text === position))
    }
    const ballots = verdict.transcript.filter((turn) => "vote" in turn).length
    if (2 * verdict.abstentions.length > ballots) assert.isFalse(verdict.conclusive)
    if (verdict.blocked !== undefined) assert.isFalse(verdict.conclusive)
  })

  property("5. every position and every reason stands in the verdict", ({ rules, said, verdict }) => {
    if (rules === 1) return
    const kept = [
      ...(verdict.positions ?? []).map(({ member, position }) => `${member} ${position}`),
      ...verdict.abstentions.map(({ member, reason }) => `${member} ${reason}`)
    ]
    for (const { member, order, text } of [...said.positions, ...said.reasons])
      if (order === "own") assert.include(kept, `${member} ${text}`)
  })

  property("6. and people read it all, in text and in Markdown", ({ rules, said, verdict }) => {
    if (rules === 1) return
    const text = verdictText(verdict)
    const markdown = verdictMarkdown(verdict).replaceAll("\\", "")
    for (const { text: objection } of said.objections)
      for (const line of objection.split("\n")) {
        assert.include(text, `> ${line}`)
        assert.include(markdown, `> ${line}`)
      }
    for (const { order, text: position } of said.positions)
      if (order === "own") assert.include(text, `> ${position}\n`)
  })
})
