// A person as an adapter: an attempt never waits; it brings the answer that is there or says that there is none.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Answers } from "../../../src/adapters/Answers.ts"
import { makeHumanAdapter } from "../../../src/adapters/providers/human.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"

const human = makeHumanAdapter()
const input = { prompt: "Ship it?", model: "human", idempotencyKey: "call-1" }

const answered = (answer: Json) =>
  Effect.provideService(Answers, {
    lookup: (key) => Effect.succeed(key === "call-1" ? Option.some(answer) : Option.none())
  })

describe("human", () => {
  it.effect("waits for an answer, without retrying by itself", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(human.attempt(input))
      assert.deepStrictEqual([error.code, error.retryable], ["awaiting_answer", false])
    })
  )
  it.effect("brings the answer of its own call only", () =>
    Effect.gen(function* () {
      const answer = yield* human.attempt(input).pipe(answered("yes"))
      assert.deepStrictEqual([answer.text, answer.costUsd], ["yes", 0])
      const other = yield* Effect.flip(
        human.attempt({ ...input, idempotencyKey: "call-2" }).pipe(answered("yes"))
      )
      assert.strictEqual(other.code, "awaiting_answer")
      const { idempotencyKey: _, ...keyless } = input
      assert.strictEqual(
        (yield* Effect.flip(human.attempt(keyless).pipe(answered("yes")))).code,
        "awaiting_answer"
      )
    })
  )
  it.effect("a structured answer is the output where a schema asks for one", () =>
    Effect.gen(function* () {
      const answer = yield* human
        .attempt({ ...input, schema: { type: "object" } })
        .pipe(answered({ ship: true }))
      assert.deepStrictEqual(answer.output, { ship: true })
      assert.strictEqual(answer.text, '{"ship":true}')
    })
  )
})
