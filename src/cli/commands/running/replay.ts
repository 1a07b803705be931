// `alembic replay RUN`: the plan runs again on the journal alone. Identical, or the first place where it is not.
import { Effect, Option } from "effect"
import { defined } from "../../../domain/defined.ts"
import type { ReplaySummary } from "../../../engine/Engine.ts"
import { replayRun } from "../../../engine/replay/replayRun.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { errorInfo, type CommandError } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { namedFile, resolvePath } from "../../inputs/textFiles.ts"
import { Output } from "../../Output.ts"
import { withPlan } from "../../render/nextCommand.ts"
import { replayText } from "../../render/run/replayText.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { typedOf } from "../../settings/runSettings.ts"
import { settingsOf, storedRun } from "../../settings/storedRun.ts"

const failureLine = (error: CommandError): ReplaySummary => {
  const { code, cure, message } = errorInfo(error)
  return {
    type: "ReplaySummary",
    ok: false,
    runId: "",
    identical: false,
    events: 0,
    error: { code, message, ...defined({ cure }) }
  }
}

/** A divergence is 1; what kept the replay from taking place is what it is for any other command. */
const exitCodeOfReplay = ({ error, ok }: ReplaySummary): number => {
  if (ok) return 0
  if (error === undefined) return 1
  if (error.code === "non_deterministic") return 3
  return /^(?:plan_|no_run|bad_id|run_missing|prelude_)/.test(error.code) ? 2 : 5
}

export default defineCommand({
  name: "replay",
  description: "Run a plan again on its journal alone: nothing is asked, paid or written",
  config: {
    run: flags.runArgument,
    plan: flags.optionalText("plan", "<file>", "Another plan: where does it part from the run?")
  },
  examples: [
    {
      command: "alembic replay @last",
      description: "Prove that the last run is what its plan makes of its answers"
    },
    { command: "alembic replay run-3fa --plan edited.plan.ts", description: "See what an edit changes first" }
  ],
  failureLine,
  handler: Effect.fn("cli.replay")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const stored = yield* onJournal(storedRun(input.run))
    const baseDir = yield* baseDirectory
    if (Option.isSome(input.plan))
      yield* namedFile("plan", input.plan.value, "--plan FILE, or leave it out: the run has kept its own")
    const plan = Option.isSome(input.plan) ? { plan: yield* resolvePath(input.plan.value) } : {}
    const summary = yield* Effect.provide(
      replayRun(stored.runId, plan),
      host.engine({ ...settingsOf(stored), baseDir })
    )
    yield* output.emit(summary)
    const typed = typedOf(stored.kept)
    const words = Option.match(input.plan, { onNone: () => typed, onSome: (path) => withPlan(typed, path) })
    yield* output.print(replayText(summary, output.style, words))
    yield* output.exitWith(exitCodeOfReplay(summary))
  })
})
