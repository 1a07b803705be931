// `alembic questions`: what runs wait for from a person, all runs or one.
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { defineCommand } from "../../defineCommand.ts"
import { Output } from "../../Output.ts"
import { itemText } from "../../render/run/itemText.ts"
import { pendingQuestions } from "../../running/waitingItems.ts"
import { onJournal } from "../../inputs/runReference.ts"

export default defineCommand({
  name: "questions",
  description: "What runs are waiting for from a person",
  config: {
    run: Argument.String("run").pipe(Argument.withDescription("Only this run's"), Argument.optional)
  },
  examples: [{ command: "alembic questions", description: "Every open question, with how to answer it" }],
  handler: Effect.fn("cli.questions")(function* ({ run }) {
    const output = yield* Output
    const items = yield* pendingQuestions(Option.getOrUndefined(run))
    for (const item of items) {
      yield* output.emit(item)
      yield* output.print(itemText(item, output.style))
    }
    yield* output.emit({ type: "QuestionsSummary", ok: true, count: items.length })
    if (items.length === 0) yield* output.print("nothing is asked")
  }, onJournal)
})
