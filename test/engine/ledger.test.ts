// The ledger's invariants, by number.
import { assert, describe, it } from "@effect/vitest"
import { HashMap, Schema } from "effect"
import { admit, emptyLedger, release, settle, type Amount, type Ledger } from "../../src/engine/ledger.ts"
import { dice, type Dice } from "../support/dice.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

const amountOf = (random: Dice): Amount => ({
  usd: random.below(1_000) / 1_000,
  outputTokens: random.below(100),
  tokens: 100 + random.below(100)
})

const capped = { usd: 3, outputTokens: 500, tokens: 900, calls: 12 }

/** A random schedule: calls are admitted, settle at or below their reserve, or are given up. */
const schedule = (seed: number, visit: (ledger: Ledger) => void) => {
  const random = dice(seed)
  let ledger = emptyLedger(capped)
  const flying = new Map<string, Amount>()
  for (let step = 0; step < 40; step++) {
    const [id, amount] =
      flying.size > 0 && random.below(3) > 0
        ? random.pick([...flying.entries()])
        : ([`call-${step}`, amountOf(random)] as const)
    if (!flying.has(id)) {
      const admission = admit(ledger, id, amount, false)
      if (admission.t === "admitted") {
        ledger = admission.ledger
        flying.set(id, amount)
      }
    } else if (random.below(5) === 0) {
      ledger = settle(ledger, id, {})
      flying.delete(id)
    } else {
      const part = random.next()
      ledger = settle(ledger, id, {
        usd: (amount.usd ?? 0) * part,
        usage: { inputTokens: 1, outputTokens: Math.floor(amount.outputTokens * part) }
      })
      flying.delete(id)
    }
    visit(ledger)
  }
}

const committed = (ledger: Ledger) => {
  const sum = { ...ledger.settled }
  for (const amount of HashMap.values(ledger.outstanding)) {
    sum.usd += amount.usd ?? 0
    sum.outputTokens += amount.outputTokens
    sum.tokens += amount.tokens
    sum.calls += 1
  }
  return sum
}

describe("the ledger", () => {
  it.prop(
    "L1: settled and outstanding together never pass a cap, over 10,000 schedules",
    [Seed],
    ([seed]) => {
      schedule(seed, (ledger) => {
        const sum = committed(ledger)
        const within =
          sum.usd <= capped.usd + 1e-6 &&
          sum.outputTokens <= capped.outputTokens &&
          sum.tokens <= capped.tokens &&
          sum.calls <= capped.calls
        if (!within) assert.fail(JSON.stringify(sum))
      })
    },
    { arbitrary: { runs: 10_000 }, timeout: 120_000 }
  )

  it("L2: what does not fit waits while anything is outstanding, and is refused when nothing is", () => {
    const big: Amount = { usd: 2, outputTokens: 0, tokens: 0 }
    const first = admit(emptyLedger({ usd: 3 }), "a", big, false)
    assert.strictEqual(first.t, "admitted")
    if (first.t !== "admitted") return
    assert.strictEqual(admit(first.ledger, "b", big, false).t, "wait")
    const dear = settle(first.ledger, "a", { usd: 2 })
    assert.strictEqual(admit(dear, "b", big, false).t, "refused")
    const cheap = settle(first.ledger, "a", { usd: 0.5 })
    assert.strictEqual(admit(cheap, "b", big, false).t, "admitted")
    assert.strictEqual(admit(release(first.ledger, "a"), "b", big, false).t, "admitted")
  })

  it("L3: a bound of zero or less admits only what is free", () => {
    for (const usd of [0, -1]) {
      const ledger = emptyLedger({ usd })
      assert.strictEqual(admit(ledger, "a", { usd: 0.01, outputTokens: 1, tokens: 1 }, false).t, "refused")
      assert.strictEqual(admit(ledger, "a", { usd: 0, outputTokens: 1, tokens: 1 }, true).t, "admitted")
    }
  })

  it("L4: without a known price, refused under a cost bound, whatever is left", () => {
    const unpriced: Amount = { usd: undefined, outputTokens: 1, tokens: 1 }
    assert.strictEqual(admit(emptyLedger({ usd: 1_000_000 }), "a", unpriced, false).t, "refused")
    assert.strictEqual(admit(emptyLedger({ calls: 5 }), "a", unpriced, false).t, "admitted")
  })

  it.prop("L6: what is promised is the sum of what is outstanding", [Seed], ([seed]) => {
    schedule(seed, (ledger) => {
      const nanos = (usd: number) => Math.ceil(usd * 1e9 - 1e-6)
      const sum = { usd: 0, outputTokens: 0, tokens: 0, calls: 0 }
      for (const amount of HashMap.values(ledger.outstanding)) {
        sum.usd += nanos(amount.usd ?? 0)
        sum.outputTokens += amount.outputTokens
        sum.tokens += amount.tokens
        sum.calls += 1
      }
      assert.deepStrictEqual(ledger.promised, sum)
    })
  })

  it("L5: settling twice counts once, and a free call never", () => {
    const first = admit(emptyLedger({ usd: 3 }), "a", { usd: 1, outputTokens: 1, tokens: 1 }, false)
    if (first.t !== "admitted") return assert.fail("not admitted")
    const once = settle(first.ledger, "a", { usd: 1 })
    assert.deepStrictEqual(settle(once, "a", { usd: 1 }), once)
    const free = admit(once, "b", { usd: 0, outputTokens: 1, tokens: 1 }, true)
    assert.deepStrictEqual(
      free.t === "admitted" && settle(free.ledger, "b", { usd: 0 }).settled,
      once.settled
    )
  })
})
