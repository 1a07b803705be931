// `alembic answer RUN ITEM ANSWER`: answers a question of a run. The answer is durable; `resume` goes on with it.
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument, toggle } from "../../flags.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { giveAnswer, readAnswer } from "../../running/waitingItems.ts"

export default defineCommand({
  name: "answer",
  description: "Answer a question of a run, which `alembic resume` then goes on with",
  config: {
    run: runArgument,
    item: Argument.String("item").pipe(Argument.withDescription("The item, as `alembic questions` names it")),
    answer: Argument.String("answer").pipe(
      Argument.withDescription("Text; or JSON where the question asks for more than text")
    ),
    change: toggle("change", "Instead of the answer that was given, while the run has not gone on with it")
  },
  examples: [
    { command: "alembic answer @last q-1 yes", description: "Answer, then alembic resume @last" },
    { command: "alembic answer @last q-1 no --change", description: "Think better of it, before resume" }
  ],
  handler: Effect.fn("cli.answer")(
    ({ answer, change, item, run }) =>
      giveAnswer(run, item, (question) => readAnswer(answer, question), change ? "change" : "answer"),
    onJournal
  )
})
