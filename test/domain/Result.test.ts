// Result at plain-TypeScript boundaries: nothing thrown or rejected gets past it, and folding loses nothing.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import {
  err,
  fromEffect,
  fromExit,
  isErr,
  isOk,
  mapResult,
  ok,
  toEffect,
  tryCatch,
  tryCatchAsync
} from "../../src/domain/Result.ts"

const boom = new Error("boom")
const throwing = (cause: unknown) => () => {
  throw cause
}

describe("Result", () => {
  it("is told apart by ok", () => {
    assert.deepStrictEqual(
      [isOk(ok(1)), isErr(ok(1)), isOk(err(1)), isErr(err(1))],
      [true, false, false, true]
    )
    assert.deepStrictEqual(
      mapResult(ok(1), (n) => n + 1),
      ok(2)
    )
    assert.deepStrictEqual(
      mapResult(err("e"), () => 1),
      err("e")
    )
  })

  it("tryCatch gives what is returned or an Error of what is thrown", () => {
    assert.deepStrictEqual(
      tryCatch(() => 1),
      ok(1)
    )
    assert.deepStrictEqual(tryCatch(throwing(boom)), err(boom))
    const odd = tryCatch(throwing("text"))
    assert.isTrue(!odd.ok && odd.error instanceof Error && odd.error.message === "text")
  })

  it("tryCatchAsync never rejects, and catches what is thrown before the promise", async () => {
    assert.deepStrictEqual(await tryCatchAsync(() => Promise.resolve(1)), ok(1))
    assert.deepStrictEqual(await tryCatchAsync(() => Promise.reject(boom)), err(boom))
    assert.deepStrictEqual(await tryCatchAsync(throwing(boom)), err(boom))
  })

  it.effect("folds from and to Effect", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fromEffect(Effect.succeed(1)), ok(1))
      assert.deepStrictEqual(yield* fromEffect(Effect.fail("e")), err("e"))
      assert.strictEqual(yield* toEffect(ok(1)), 1)
      assert.strictEqual(yield* Effect.flip(toEffect(err("e"))), "e")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fromEffect(Effect.die(boom)))))
      assert.deepStrictEqual(fromExit(Exit.succeed(1)), ok(1))
      assert.deepStrictEqual(fromExit(Exit.fail("e")), err("e"))
      assert.deepStrictEqual(fromExit(Exit.die(boom)), err(boom))
    })
  )
})
