// How near the worst case that is held for an attempt comes to what it costs, over 30 call shapes, and whether a cap of
// 1.5 times the true total finishes every run. Prints aim beside figure; exits 1 if one is missed.
// Run: npm run bench:budget
import { Effect } from "effect"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import type { Binding, Price } from "../../src/adapters/registry/AdapterRegistry.ts"
import { costOf, reserveUsd, utf8Bytes } from "../../src/adapters/Pricing.ts"
import type { ModelRunInput } from "../../src/domain/ModelRun.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const adapter: Adapter = { id: "bench", free: false, hasSideEffects: false, attempt: () => Effect.never }

/** Prices of the usual kinds: small, middle with a tier, dear. US dollars a million tokens. */
const prices: ReadonlyArray<Price> = [
  { inputUsdPerMillion: 0.1, outputUsdPerMillion: 0.4, cachedInputUsdPerMillion: 0.025 },
  {
    inputUsdPerMillion: 3,
    outputUsdPerMillion: 15,
    cacheWriteUsdPerMillion: 3.75,
    tiers: [{ aboveInputTokens: 200_000, inputUsdPerMillion: 6, outputUsdPerMillion: 22.5 }]
  },
  { inputUsdPerMillion: 15, outputUsdPerMillion: 75 }
]

const schema = {
  type: "object",
  properties: { verdict: { type: "string" }, score: { type: "integer" }, why: { type: "string" } },
  required: ["verdict", "score", "why"]
}

interface Shape {
  readonly name: string
  readonly input: ModelRunInput
  /** Bytes of text a token, as tokenizers give: prose 4, code 3, languages of other scripts 2. */
  readonly bytesPerToken: number
  /** Share of the output bound that an answer uses. */
  readonly used: number
}

const shape = (
  name: string,
  bytes: number,
  maxOutputTokens: number,
  rest: Partial<Shape> & { readonly more?: Partial<ModelRunInput> } = {}
): Shape => ({
  name,
  input: { prompt: "x".repeat(bytes), model: "m", maxOutputTokens, ...rest.more },
  bytesPerToken: rest.bytesPerToken ?? 4,
  used: rest.used ?? 0.4
})

/** Ten shapes, each at three prices. */
const shapes: ReadonlyArray<Shape> = [
  shape("a question", 200, 100),
  shape("a question with a system prompt", 300, 200, { more: { system: "s".repeat(600) } }),
  shape("a kilobyte with a schema", 1_000, 300, { more: { schema } }),
  shape("a short yes or no with a schema", 400, 50, { more: { schema }, used: 0.5 }),
  shape("a page", 4_000, 500),
  shape("a source file", 12_000, 1_000, { bytesPerToken: 3 }),
  shape("a document", 60_000, 1_500),
  shape("a corpus", 400_000, 2_000),
  shape("another script", 6_000, 800, { bytesPerToken: 2 }),
  shape("an essay", 500, 4_000, { used: 0.6 })
]

const ratioOf = (price: Price, { bytesPerToken, input, used }: Shape): number => {
  const binding: Binding = { adapter, modelId: "m", price }
  const { maxOutputTokens = 0, prompt, schema: asked, system = "" } = input
  const bytes =
    utf8Bytes(prompt) + utf8Bytes(system) + (asked === undefined ? 0 : utf8Bytes(JSON.stringify(asked)))
  const usage = {
    inputTokens: Math.ceil(bytes / bytesPerToken) + 8,
    outputTokens: Math.ceil(maxOutputTokens * used)
  }
  return (reserveUsd(binding, input) ?? Infinity) / (costOf(binding, usage) ?? 1)
}

/** A run of `count` calls whose worst case is `ratio` times what each costs, under 1.5 times what all cost. */
const finishes = (count: number, concurrency: number, ratio: number) =>
  Effect.gen(function* () {
    const tokens = 1_000
    const paid = paidRegistry({
      price: { inputUsdPerMillion: 0, outputUsdPerMillion: 10 },
      answer: () =>
        Effect.as(Effect.yieldNow, {
          text: "x",
          finishReason: "stop",
          usage: { inputTokens: 1, outputTokens: Math.floor(tokens / ratio) }
        })
    })
    const each = (Math.floor(tokens / ratio) * 10) / 1e6
    const maxUsd = Math.max(1.5 * count * each, 0)
    const summary = yield* Alembic.runProgram(
      { program: `run-${count}-${concurrency}-${ratio}`, goal: "g", maxUsd, concurrency },
      Effect.gen(function* () {
        const h = yield* Hooks
        const calls = Array.from({ length: count }, (_, at) =>
          h.agent(`item ${at}`, { maxOutputTokens: tokens })
        )
        return (yield* h.parallel(calls)).filter((slot) => slot.ok).length
      })
    ).pipe(Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: { retry: { maxAttempts: 1 } } })))
    return { ok: summary.result === count, passed: (summary.costUsd ?? Infinity) <= maxUsd }
  })

const main = Effect.gen(function* () {
  const ratios = prices.flatMap((price) =>
    shapes.map((one) => ({ name: one.name, ratio: ratioOf(price, one) }))
  )
  const sorted = ratios.map(({ ratio }) => ratio).toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? Infinity
  for (const { name } of ratios.slice(0, shapes.length)) {
    const own = ratios.filter((one) => one.name === name).map(({ ratio }) => ratio.toFixed(1))
    yield* Effect.sync(() => process.stdout.write(`  ${name.padEnd(34)} ${own.join("  ")}\n`))
  }
  let missed = 0
  const row = (what: string, aim: string, figure: string, ok: boolean) =>
    Effect.sync(() => {
      if (!ok) missed++
      process.stdout.write(`${ok ? "ok    " : "MISSED"} ${what.padEnd(58)} aim ${aim.padEnd(10)} ${figure}\n`)
    })
  yield* row(`bound over actual, median of ${ratios.length} shapes`, "<= 10", median.toFixed(2), median <= 10)
  for (const concurrency of [1, 8, 32]) {
    for (const ratio of [2, 5, 10]) {
      const count = Math.max(2 * concurrency * (ratio - 1), 2 * ratio)
      const { ok, passed } = yield* finishes(count, concurrency, ratio)
      const what = `${count} calls, ${concurrency} at once, worst case ${ratio} x, cap 1.5 x`
      yield* row(what, "all made", ok ? (passed ? "all made" : "cap passed") : "some refused", ok && passed)
    }
  }
  if (missed > 0) process.exitCode = 1
})

await Effect.runPromise(main)
