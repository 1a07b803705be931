// memoryBudget: a budget of calls that are made outside a run, where nothing is journaled: Spending and admission, and
// those that wait for each other. Inside a run the engine bounds calls instead.
//
// 1. Spent and held together never pass a cap, whatever overlaps.
// 2. An attempt that does not fit waits while others in flight may free enough, the oldest call first; when nothing can,
//    or when nobody can say what it may cost, it is answered `budget_exceeded` and not sent.
// 3. A call whose cost stays unknown counts at its reserve.
import { Deferred, Effect, Exit } from "effect"
import { admission } from "../../domain/budget/admission.ts"
import { nothing, Spending, type Amount } from "../../domain/budget/Spending.ts"
import type { Budget } from "../../domain/Contract.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { ModelRunResult } from "../../domain/ModelRun.ts"
import type { AttemptPort } from "./AttemptPort.ts"
import { worstOfAttempt } from "../Pricing.ts"

interface Waiting {
  readonly id: string
  readonly age: number
  readonly need: Amount | undefined
  readonly reply: Deferred.Deferred<void, ModelError>
}

/** `name`: as a refusal calls it. */
export const makeMemoryBudget = (name: string, caps: Budget) => {
  const spending = new Spending()
  const inFlight = new Map<string, Amount>()
  let waiting: Array<Waiting> = []
  let calls = 0

  const held = (): Amount => {
    let sum = nothing
    for (const { outputTokens, tokens, usd } of inFlight.values())
      sum = {
        usd: (sum.usd ?? 0) + (usd ?? 0),
        outputTokens: sum.outputTokens + outputTokens,
        tokens: sum.tokens + tokens
      }
    return sum
  }

  /** Lets go on who can, in order: one that has to wait keeps back those after it. */
  const look = Effect.suspend(() => {
    const replies: Array<Effect.Effect<unknown>> = []
    const asking = waiting.toSorted((left, right) => left.age - right.age)
    waiting = []
    for (const [at, one] of asking.entries()) {
      const scope = { name, caps, sums: spending.of(), inFlight: held() }
      const decided = admission([scope], one.need, !spending.isCounted(one.id))
      if (decided._tag === "wait") {
        waiting = asking.slice(at)
        break
      }
      if (decided._tag === "refused") {
        replies.push(Deferred.fail(one.reply, makeError("budget_exceeded", decided.why)))
        continue
      }
      spending.attemptStarted(one.id, one.need)
      if (one.need !== undefined) inFlight.set(one.id, one.need)
      replies.push(Deferred.succeed(one.reply, undefined))
    }
    return Effect.all(replies, { discard: true })
  })

  /** Makes a call in the budget. `make` gives the port to the waist. */
  const within = <R>(
    make: (port: AttemptPort) => Effect.Effect<ModelRunResult, never, R>
  ): Effect.Effect<ModelRunResult, never, R> =>
    Effect.suspend(() => {
      const age = ++calls
      const id = String(age)
      const port: AttemptPort = {
        admit: (attempt) =>
          Effect.gen(function* () {
            const reply = yield* Deferred.make<void, ModelError>()
            waiting.push({ id, age, need: worstOfAttempt(attempt.binding, attempt.input), reply })
            yield* look
            return yield* Deferred.await(reply)
          }),
        ended: ({ costUsd, usage }) =>
          Effect.suspend(() => {
            inFlight.delete(id)
            spending.attemptEnded(id, { costUsd, usage })
            return look
          })
      }
      return make(port).pipe(
        Effect.onExit((exit) =>
          Effect.suspend(() => {
            inFlight.delete(id)
            waiting = waiting.filter((one) => one.id !== id)
            const told = Exit.isSuccess(exit)
              ? { costUsd: exit.value.costUsd, usage: exit.value.usage }
              : { costUsd: undefined }
            // An interrupted call that sent nothing holds nothing.
            if (Exit.isSuccess(exit) || spending.heldFor(id) !== undefined) spending.ended(id, told)
            return look
          })
        )
      )
    })

  return { within, sums: () => spending.of() }
}
