// Random programs, random orders of completion, a crash at a random step: the same calls, the same result, no answer
// paid twice, and no cap passed.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Alembic } from "../../src/engine/Alembic.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { dice, type Dice } from "../support/dice.ts"
import { engineOn } from "../support/engineLayer.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

/** A program, nested at random: calls, sequences, fan-outs, races, pipelines. Its text is its result. */
const programOf = (random: Dice, depth: number): Effect.Effect<string, never, Hooks> => {
  const parts = () => Array.from({ length: 1 + random.below(3) }, () => programOf(random, depth - 1))
  const name = `call ${random.below(6)}`
  const shape = depth === 0 ? 0 : random.below(5)
  const inner = shape === 0 ? [] : parts()
  return Effect.gen(function* () {
    const h = yield* Hooks
    switch (shape) {
      case 1: {
        const said: Array<string> = []
        for (const part of inner) said.push(yield* part)
        return said.join("+")
      }
      case 2: {
        const slots = yield* h.parallel(inner)
        return `(${slots.map(String).join("|")})`
      }
      case 3:
        return yield* Effect.raceAll(inner)
      case 4: {
        const slots = yield* h.pipeline(
          ["x", "y"],
          (item) => Effect.map(h.agent(`${name} ${item}`), (answer) => (answer.ok ? answer.text : "lost")),
          (text) => Effect.map(h.agent(`again ${text}`), (answer) => (answer.ok ? answer.text : "lost"))
        )
        return slots.map(String).join("/")
      }
      default: {
        const answer = yield* h.agent(name)
        return answer.ok ? answer.text : "lost"
      }
    }
  })
}

/** Answers after a random number of turns of the event loop, so that completions come in any order. */
const shuffled = (random: Dice) =>
  paidRegistry({
    answer: (input) =>
      Effect.yieldNow.pipe(Effect.repeat({ times: random.below(6) }), Effect.as(said(`<${input.prompt}>`)))
  })

/** Of seeds that once failed: answers that were journaled and given up on, in a program that ends right then. */
const seeds = [858835212]

describe("any program, any order, any crash", () => {
  const crashed = Effect.fnUntraced(function* (seed: number) {
    const random = dice(seed)
    const shape = random.below(2 ** 30)
    const program = () => programOf(dice(shape), 3)
    const spec = { program: "random", goal: "g", concurrency: 1 + random.below(4) }
    const paid = shuffled(dice(seed + 1))
    const disk = MemoryDisk.make().crashAfterStep(70 + random.below(120))
    yield* Effect.exit(Alembic.runProgram(spec, program()).pipe(Effect.provide(engineOn(disk, paid.layer))))
    const left = disk.afterCrash(random.pick(["process", "power"] as const))
    const made = paid.made.length
    const resumed = yield* Alembic.runProgram(spec, program()).pipe(
      Effect.provide(engineOn(left, paid.layer, { pid: 2 }))
    )
    assert.strictEqual(resumed.status, "completed", JSON.stringify(resumed))
    assert.strictEqual(paid.made.length - made, resumed.calls.live, "calls made are calls counted")
    const again = yield* Alembic.runProgram(spec, program()).pipe(
      Effect.provide(engineOn(left, paid.layer, { pid: 3 }))
    )
    assert.deepStrictEqual(again.result, resumed.result)
    const replay = yield* Alembic.replayProgram(spec, program()).pipe(
      Effect.provide(engineOn(left, paid.layer, { pid: 4 }))
    )
    assert.isTrue(replay.identical, JSON.stringify(replay))
  })

  it.effect.prop(
    "a crashed run goes on as its journal says, and replays identical",
    [Seed],
    ([seed]) => crashed(seed),
    { arbitrary: { runs: 60 }, timeout: 60_000 }
  )

  it.effect("and so do those that once did not", () => Effect.forEach(seeds, crashed))

  it.effect.prop(
    "spending never passes the cap, whatever fails and wherever it crashes",
    [Seed],
    ([seed]) =>
      Effect.gen(function* () {
        const random = dice(seed)
        const cap = 2 + random.below(4)
        // A call costs at most one dollar: 1,000 output tokens at 1,000 dollars a million.
        let billed = 0
        const answers = dice(seed + 1)
        const paid = paidRegistry({
          price: { inputUsdPerMillion: 0, outputUsdPerMillion: 1000 },
          answer: () =>
            Effect.suspend(() => {
              const outputTokens = answers.below(1001)
              billed += outputTokens / 1000
              const usage = { inputTokens: 1, outputTokens }
              return answers.below(4) === 0
                ? Effect.fail(makeError("invalid_response", "no", { usage }))
                : Effect.succeed({ text: "yes", finishReason: "stop", usage })
            }).pipe(Effect.delay(0))
        })
        const spec = { program: "spend", goal: "g", concurrency: 1 + random.below(5), maxUsd: cap }
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const slots = yield* h.parallel(
            Array.from({ length: 12 }, (_, index) => h.agent(`${index}`, { maxOutputTokens: 1000 }))
          )
          return slots.length
        })
        let disk = MemoryDisk.make()
        for (let life = 1; life <= 4; life++) {
          disk.crashAfterStep(60 + random.below(60))
          yield* Effect.exit(
            Alembic.runProgram(spec, program).pipe(
              Effect.provide(engineOn(disk, paid.layer, { pid: life, guards: { retry: { maxAttempts: 1 } } }))
            )
          )
          disk = disk.afterCrash(random.pick(["process", "power"] as const))
        }
        assert.isAtMost(billed, cap + 1e-9, `billed ${billed} of ${cap}`)
      }),
    { arbitrary: { runs: 60 }, timeout: 60_000 }
  )
})
