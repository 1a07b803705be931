// `alembic trust`: what a configuration, a contract or a run would run or reach, and the hash that `--trust` takes.
// It shows, and agrees to nothing.
import { Effect, Option } from "effect"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { readConfigText, readContract } from "../../inputs/runInputs.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { trustText } from "../../render/trustText.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { checkAddresses } from "../../settings/addresses.ts"
import { storedRun } from "../../settings/storedRun.ts"
import { originOf, requirementsOfRun } from "../../trust/origin.ts"
import { hashOf, needsNothing, requirementsOf } from "../../trust/requirements.ts"

const config = {
  run: flags.optionalText("run", "<run>", "A run, instead of files"),
  plan: flags.textOr("plan", "<file>", "The plan that alembic.json lies beside", "alembic.plan.ts"),
  contract: flags.optionalText("contract", "<file>", "The contract of the run"),
  config: flags.configFlag
}

/** Of a run, when it is gone on with and nothing is given anew. */
const ofRun = Effect.fnUntraced(function* (run: string) {
  const stored = yield* onJournal(storedRun(run))
  const { contract, hermetic } = stored
  yield* checkAddresses(Option.none(), stored.config, "the run's configuration")
  const given = { config: undefined, fixtures: undefined, kept: {} }
  return requirementsOfRun({
    origin: yield* onJournal(originOf(stored.runId)),
    contract,
    stored,
    given,
    hermetic
  })
})

export default defineCommand({
  name: "trust",
  description:
    "Show the commands and addresses that a run would use by the word of a file, and the hash that --trust takes. Nothing is agreed to.",
  config,
  examples: [
    { command: "alembic trust --contract contract.json", description: "What a run of this folder would use" },
    { command: "alembic trust --run @last", description: "What going on with a run would use" }
  ],
  handler: Effect.fn("cli.trust")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const text = Option.isSome(input.run) ? undefined : yield* readConfigText(input.config, input.plan)
    yield* checkAddresses(
      Option.none(),
      text,
      Option.getOrElse(input.config, () => "alembic.json")
    )
    const requirements = Option.isSome(input.run)
      ? yield* ofRun(input.run.value)
      : requirementsOf({
          config: text,
          contract: Option.isSome(input.contract) ? yield* readContract(input.contract.value) : undefined
        })
    const hash = hashOf(requirements)
    const nothing = needsNothing(requirements)
    const trusted = nothing || (yield* host.trust.isTrusted(hash))
    yield* output.emit({ type: "Trust", ok: true, hash, trusted, ...requirements })
    if (nothing) return yield* output.print("nothing needs trust")
    yield* output.print(trustText(requirements, hash, output.style))
    yield* output.print(
      trusted ? output.style.green("trusted") : cureText(`--trust ${hash}, with run or resume`, output.style)
    )
  })
})
