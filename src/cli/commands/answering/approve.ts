// `alembic approve RUN ITEM`: says yes to an item that waits for approval, such as a call in doubt.
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { defineCommand } from "../../defineCommand.ts"
import { runArgument } from "../../flags.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { giveAnswer } from "../../running/waitingItems.ts"

export default defineCommand({
  name: "approve",
  description: "Say yes to an item that waits for approval",
  config: {
    run: runArgument,
    item: Argument.String("item").pipe(
      Argument.withDescription("The item, as `alembic parked` names it, or the gate: publish")
    )
  },
  examples: [
    { command: "alembic approve @last publish", description: "Publish what a mission made, once resumed" },
    {
      command: "alembic approve @last approve-1",
      description: "Let a parked unit run, or a call in doubt again"
    }
  ],
  handler: Effect.fn("cli.approve")(
    ({ item, run }) =>
      giveAnswer(run, item, (question) => Effect.succeed(question?.choices?.[0] ?? "approve"), "approval"),
    onJournal
  )
})
