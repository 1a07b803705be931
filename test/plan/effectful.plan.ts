// A plan in Effect style that uses what such plans use; run in the VM and in process by effectPlans.test.ts.
import { Clock, Effect, Random, Schedule, Schema, Stream } from "effect"
import { Hooks } from "alembic/plan"

const Rating = Schema.Struct({ score: Schema.Number })

const fanOut = Effect.gen(function* () {
  const h = yield* Hooks
  const slots = yield* h.parallel([
    h.agent("a"),
    () => h.agent("fail b"),
    Effect.fail("no"),
    Effect.succeed(4)
  ])
  return slots.map((slot) => (typeof slot === "number" ? slot : "text" in slot ? slot.text : slot.error.code))
})

const stages = Effect.gen(function* () {
  const h = yield* Hooks
  const slots = yield* h.pipeline(
    ["x", "fail y"],
    (item) => h.agent(item),
    (previous, item, index) => h.agent(`${index} ${item} ${previous.ok ? previous.text : ""}`),
    { accept: "loss" }
  )
  return slots.map((slot) => slot.ok)
})

const race = Effect.gen(function* () {
  const h = yield* Hooks
  const winner = yield* Effect.raceFirst(
    h.agent("slow").pipe(Effect.as("agent")),
    Effect.sleep("3 seconds").pipe(Effect.as("sleep"))
  )
  const late = yield* h.agent("too slow").pipe(Effect.timeoutOption("5 seconds"))
  return [winner, late._tag]
})

const retried = Effect.gen(function* () {
  const h = yield* Hooks
  let tries = 0
  return yield* Effect.suspend(() => h.agent(`fail ${++tries}`)).pipe(
    Effect.flatMap((answer) => (answer.ok || tries === 3 ? Effect.succeed(tries) : Effect.fail("again"))),
    Effect.retry(Schedule.exponential("100 millis"))
  )
})

const streamed = Effect.gen(function* () {
  const h = yield* Hooks
  return yield* Stream.range(1, 6).pipe(
    Stream.mapEffect((n) => h.agent(`s${n}`), { concurrency: 2 }),
    Stream.map((answer) => (answer.ok ? answer.text : "")),
    Stream.runCollect
  )
})

export const run = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("first")
  yield* Effect.log("starting")
  const rated = yield* h.agent("rate", { schema: Rating })
  const inner = yield* h.phase("second", Effect.all([fanOut, stages], { concurrency: "unbounded" }))
  const raced = yield* race
  const tries = yield* retried
  const stream = yield* streamed
  yield* h.log("done", { tries })
  return {
    score: rated.ok ? rated.output.score : rated.error.code,
    inner,
    raced,
    tries,
    stream: [...stream],
    at: yield* Clock.currentTimeMillis,
    random: yield* Random.nextIntBetween(0, 1_000_000)
  }
})
