// The invariants of Spending and of admission, by number, over random schedules: calls in two parts of a run and outside
// them, retries, repairs and links, ends of known and unknown cost, processes that die, calls that are made again.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { admission, type Scope } from "../../../src/domain/budget/admission.ts"
import { ceilNanos } from "../../../src/domain/budget/nanos.ts"
import { committedOf, nothing, Spending, type Amount } from "../../../src/domain/budget/Spending.ts"
import type { Budget } from "../../../src/domain/Contract.ts"
import { dice, type Dice } from "../../support/dice.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))
const more = { arbitrary: { runs: 2_000 }, timeout: 120_000 }

const caps: Budget = { usd: 3, outputTokens: 600, tokens: 1_500, calls: 30 }
const partCaps: Readonly<Record<string, Budget>> = { board: { usd: 1 }, funnel: { usd: 0.4, calls: 4 } }
const scopes = ["none", "none", "board", "funnel"]

const partNamed = (name: string) => (name === "none" ? undefined : name)

const amountOf = (random: Dice): Amount => ({
  usd: ceilNanos(random.below(600) / 1_000 + random.next() / 1e6),
  outputTokens: random.below(100),
  tokens: 100 + random.below(100)
})

interface Open {
  readonly id: string
  readonly scope: string | undefined
  flying: Amount | undefined
}

interface World {
  readonly spending: Spending
  readonly sums: () => ReadonlyArray<readonly [scope: string | undefined, sums: ReturnType<Spending["of"]>]>
}

/** What an attempt at or below its reserve came to. */
const partOf = (random: Dice, amount: Amount) => {
  const part = random.next()
  const outputTokens = Math.floor(amount.outputTokens * part)
  return {
    costUsd: (amount.usd ?? 0) * part,
    usage: { outputTokens, inputTokens: Math.floor((amount.tokens - amount.outputTokens) * part) }
  }
}

const play = (seed: number, visit: (world: World, step: string) => void) => {
  const random = dice(seed)
  const spending = new Spending()
  const world: World = {
    spending,
    sums: () => [undefined, ...Object.keys(partCaps)].map((scope) => [scope, spending.of(scope)] as const)
  }
  let open: Array<Open> = []
  const pathOf = (scope: string | undefined): ReadonlyArray<Scope> => {
    const held = (of: string | undefined): Amount =>
      open.reduce(
        (sum, one) =>
          one.flying === undefined || (of !== undefined && one.scope !== of)
            ? sum
            : {
                usd: (sum.usd ?? 0) + (one.flying.usd ?? 0),
                outputTokens: sum.outputTokens + one.flying.outputTokens,
                tokens: sum.tokens + one.flying.tokens
              },
        nothing
      )
    const run: Scope = { name: "budget", caps, sums: spending.of(), inFlight: held(undefined) }
    return scope === undefined
      ? [run]
      : [run, { name: scope, caps: partCaps[scope] ?? {}, sums: spending.of(scope), inFlight: held(scope) }]
  }
  // Calls of which the dispatch before was lost with its process.
  const doubtful: Array<Open> = []
  let made = 0
  for (let step = 0; step < 60; step++) {
    const choice = random.below(10)
    const one = open.length === 0 ? undefined : random.pick(open)
    if (one === undefined || choice < 3) {
      const again = doubtful.length > 0 && random.below(2) === 0 ? doubtful.pop() : undefined
      const id = again?.id ?? `call-${made++}`
      const scope = again === undefined ? partNamed(random.pick(scopes)) : again.scope
      const need = random.below(8) === 0 ? undefined : amountOf(random)
      if (admission(pathOf(scope), need, true)._tag !== "admitted") continue
      spending.dispatched(id, need, scope)
      open.push({ id, scope, flying: need })
      visit(world, "dispatched")
    } else if (choice < 6) {
      if (one.flying !== undefined) {
        const settled = random.below(4) === 0 ? { costUsd: undefined } : partOf(random, one.flying)
        spending.attemptEnded(one.id, settled)
        one.flying = undefined
        visit(world, "attemptEnded")
      }
      const need = random.below(6) === 0 ? undefined : amountOf(random)
      if (admission(pathOf(one.scope), need, !spending.isCounted(one.id))._tag !== "admitted") continue
      spending.attemptStarted(one.id, need)
      one.flying = need
      visit(world, "attemptStarted")
    } else if (choice < 9) {
      open = open.filter((other) => other !== one)
      const known = random.below(5) > 0
      // What a whole call cost is what was told of its attempts and what the last came to.
      if (!known) spending.ended(one.id, { costUsd: undefined })
      else {
        if (one.flying !== undefined) spending.attemptEnded(one.id, partOf(random, one.flying))
        spending.ended(one.id, { costUsd: spending.settledFor(one.id) })
      }
      visit(world, "ended")
    } else {
      doubtful.push(...open)
      open = []
      visit(world, "crashed")
    }
  }
}

const close = (left: number, right: number) => Math.abs(left - right) < 1e-8

describe("spending and admission", () => {
  it.prop(
    "A1: known cost and what is held never pass a cap, in any scope, over crashes, retries and links",
    [Seed],
    ([seed]) => {
      play(seed, ({ sums }, step) => {
        for (const [scope, one] of sums()) {
          const {
            usd = Infinity,
            calls = Infinity,
            outputTokens = Infinity,
            tokens = Infinity
          } = scope === undefined ? caps : (partCaps[scope] ?? {})
          const within =
            committedOf(one) <= usd + 1e-9 &&
            one.calls <= calls &&
            one.outputTokens <= outputTokens &&
            one.tokens <= tokens
          if (!within) assert.fail(`${step} ${scope ?? "run"}: ${JSON.stringify(one)}`)
        }
      })
    },
    more
  )

  it.prop(
    "S2, S3: only what is sent raises what is committed, by no more than its reserve",
    [Seed],
    ([seed]) => {
      let before = 0
      play(seed, ({ spending }, step) => {
        const now = committedOf(spending.of())
        if (step === "ended" || step === "attemptEnded" || step === "crashed")
          assert.isAtMost(now, before + 1e-8)
        before = now
      })
    }
  )

  it.prop("S6: the run's sums are at least those of each scope in it", [Seed], ([seed]) => {
    play(seed, ({ spending, sums }) => {
      for (const [, one] of sums()) assert.isAtLeast(committedOf(spending.of()) + 1e-9, committedOf(one))
    })
  })

  it("S4: the end of a call counts what was told of its attempts once", () => {
    const spending = new Spending()
    const reserve = { usd: 1, outputTokens: 10, tokens: 20 }
    spending.dispatched("a", reserve, "board")
    spending.attemptEnded("a", { costUsd: 0.25 })
    spending.attemptStarted("a", reserve)
    assert.deepInclude(spending.of(), { spentUsd: 0.25, heldUsd: 1, heldCalls: 1, calls: 1 })
    spending.ended("a", { costUsd: 0.75 })
    for (const scope of [undefined, "board"])
      assert.deepInclude(spending.of(scope), { spentUsd: 0.75, heldUsd: 0, unknownCalls: 0, calls: 1 })
  })

  it("S4: one attempt of unknown cost makes one call of it, at most at its reserve", () => {
    const spending = new Spending()
    const reserve = { usd: 1, outputTokens: 10, tokens: 20 }
    spending.dispatched("a", reserve)
    spending.attemptEnded("a", { costUsd: undefined })
    spending.attemptStarted("a", reserve)
    spending.attemptEnded("a", { costUsd: 0.25 })
    spending.ended("a", { costUsd: undefined })
    assert.deepInclude(spending.of(), {
      spentUsd: 0.25,
      unknownUsd: 1,
      unknownCalls: 1,
      unboundedCalls: 0,
      heldUsd: 0
    })
  })

  it("S5: a dispatch in doubt that is made again stays counted at what was held", () => {
    const spending = new Spending()
    const reserve = { usd: 1, outputTokens: 10, tokens: 20 }
    spending.dispatched("a", reserve)
    spending.dispatched("a", reserve)
    assert.deepInclude(spending.of(), { unknownUsd: 1, unknownCalls: 1, heldUsd: 1, calls: 2, tokens: 40 })
    spending.ended("a", { costUsd: 0.5, usage: { inputTokens: 1, outputTokens: 1 } })
    assert.deepInclude(spending.of(), { unknownUsd: 1, spentUsd: 0.5, heldUsd: 0, tokens: 22 })
  })

  const sumsOf = (spentUsd: number, heldUsd: number) => {
    const spending = new Spending()
    spending.ended("spent", { costUsd: spentUsd })
    if (heldUsd > 0) spending.dispatched("held", { usd: heldUsd, outputTokens: 0, tokens: 0 })
    return spending.of()
  }
  const usd = (amount: number): Amount => ({ usd: amount, outputTokens: 0, tokens: 0 })

  it("A2: it waits exactly where what is in flight may free enough", () => {
    const at = (spent: number, held: number, inFlight: number, need: number) =>
      admission(
        [{ name: "budget", caps: { usd: 3 }, sums: sumsOf(spent, held), inFlight: usd(inFlight) }],
        usd(need),
        true
      )._tag
    assert.strictEqual(at(1, 1, 1, 1), "admitted")
    assert.strictEqual(at(1, 2, 2, 1), "wait")
    // What is held for a call in doubt comes back to nobody.
    assert.strictEqual(at(1, 2, 0, 1), "refused")
    assert.strictEqual(at(2.5, 0.5, 0.5, 1), "refused")
    assert.isTrue(close(sumsOf(1, 2).heldUsd, 2))
  })

  it("A2: it waits for the scope that is full, and a full run comes first", () => {
    const scope = (name: string, held: number) => ({
      name,
      caps: { usd: 1 },
      sums: sumsOf(0, held),
      inFlight: usd(held)
    })
    const at = (run: number, part: number) =>
      admission([scope("run", run), scope("part", part)], usd(0.5), true)
    assert.deepStrictEqual(at(0.1, 0.9), { _tag: "wait", at: 1 })
    assert.deepStrictEqual(at(0.9, 0.1), { _tag: "wait", at: 0 })
    assert.deepStrictEqual(at(0.9, 0.9), { _tag: "wait", at: 0 })
  })

  it("A3, A4, A5: a bound of zero admits what is free; no price, no dollars; what is free always goes", () => {
    const path = (budget: Budget): ReadonlyArray<Scope> => [
      { name: "budget", caps: budget, sums: sumsOf(0, 0), inFlight: nothing }
    ]
    for (const cap of [0, -1]) {
      assert.strictEqual(admission(path({ usd: cap }), usd(0.01), true)._tag, "refused")
      assert.strictEqual(admission(path({ usd: cap }), undefined, true)._tag, "admitted")
      assert.strictEqual(admission(path({ calls: cap }), usd(0.01), true)._tag, "refused")
    }
    const unpriced: Amount = { usd: undefined, outputTokens: 1, tokens: 1 }
    assert.strictEqual(admission(path({ usd: 1e6 }), unpriced, true)._tag, "refused")
    assert.strictEqual(admission(path({ calls: 5 }), unpriced, true)._tag, "admitted")
  })
})
