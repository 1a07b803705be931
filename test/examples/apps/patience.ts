// An app that waits: it asks again every hour until a model says that it is done, and gives up after a day.
import { Effect, Schedule } from "effect"
import { Alembic, Hooks } from "alembic"

const untilDone = Effect.gen(function* () {
  const h = yield* Hooks
  const once = Effect.flatMap(h.agent("Is the release out?"), (slot) =>
    slot.ok && slot.text === "yes" ? Effect.succeed("out") : Effect.fail("not yet")
  )
  return yield* once.pipe(
    Effect.retry({ schedule: Schedule.spaced("1 hour"), times: 24 }),
    Effect.catch(() => Effect.succeed("gave up"))
  )
})

export const waitForRelease = Effect.flatMap(Alembic, (alembic) =>
  alembic.runProgram(
    { program: "wait-for-release-1", goal: "Know when it is out", hermetic: true },
    untilDone
  )
)
