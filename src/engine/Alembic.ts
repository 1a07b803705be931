// Alembic.runProgram: an Effect program as a plan, in process, on the same journal, with resume and replay. For
// authors of Effect apps; a plan in a file is runPlanFile.ts's.
import { Effect } from "effect"
import { AdapterRegistry } from "../adapters/AdapterRegistry.ts"
import type { Contract } from "../domain/Contract.ts"
import type { Json } from "../domain/canonicalJson.ts"
import type { RunSpec } from "../domain/RunSpec.ts"
import { JournalError } from "../journal/JournalError.ts"
import { describeRun } from "../journal/RunMeta.ts"
import type { Hooks } from "../plan/Hooks.ts"
import type { HowToRun } from "./Engine.ts"
import { EngineVersions } from "./EngineVersions.ts"
import { executeRun } from "./executeRun.ts"
import { journalFailure } from "./journalFailure.ts"
import { runOptions } from "./howToRun.ts"
import { boardsPart, contractJson } from "./planSpec.ts"
import { programDriver } from "./ProgramDriver.ts"
import { replayJournal } from "./replayRun.ts"
import { keptLender, openLender } from "./reuse/lending.ts"

/** What makes a program's run what it is. `program`: a name you change when you change what the program does. */
export interface ProgramSpec extends HowToRun {
  readonly program: string
  readonly goal: string
  readonly args?: Json
  readonly contract?: Contract
  readonly hermetic?: boolean
  /** Another run of the same spec. */
  readonly nonce?: number
  /** Answers of this run's calls are taken for the same calls of this one. */
  readonly reuse?: string
}

const specOf = (given: ProgramSpec, models: Json): RunSpec => ({
  goal: given.goal,
  plan: [],
  program: given.program,
  ...(given.contract === undefined ? {} : { contract: contractJson(given.contract) }),
  ...(given.args === undefined ? {} : { args: given.args }),
  ...boardsPart(given.boards),
  models,
  ...(given.hermetic === true ? { hermetic: true } : {}),
  ...(given.nonce === undefined ? {} : { nonce: given.nonce })
})

/**
 * Runs `program`, which may use the `Hooks` service, as the run that `spec` describes: a new one, or the same one
 * again where it stopped. Never fails: how it ended is in the summary.
 */
const runProgram = Effect.fn("Alembic.runProgram")(
  function* <A, E, R>(given: ProgramSpec, program: Effect.Effect<A, E, R>) {
    const { identity } = yield* AdapterRegistry
    const versions = yield* EngineVersions
    const context = yield* Effect.context<Exclude<R, Hooks>>()
    const spec = specOf(given, identity)
    const lender = given.reuse === undefined ? undefined : yield* openLender(given.reuse)
    return yield* executeRun({
      spec,
      describe: Effect.mapError(
        Effect.fromResult(describeRun({ spec, versions, extra: keptLender(given.reuse) })),
        ({ message }) => new JournalError({ code: "not_canonical", path: "spec", problem: message })
      ),
      launch: programDriver(program, context, given.goal),
      options: runOptions(given, given.contract, lender)
    })
  },
  Effect.scoped,
  Effect.catchTag("JournalError", (error) => Effect.succeed(journalFailure(error)))
)

/** Runs `program` again on the journal of its run alone. Nothing is executed and nothing written. */
const replayProgram = Effect.fn("Alembic.replayProgram")(function* <A, E, R>(
  given: ProgramSpec,
  program: Effect.Effect<A, E, R>
) {
  const { identity } = yield* AdapterRegistry
  const context = yield* Effect.context<Exclude<R, Hooks>>()
  return yield* replayJournal(specOf(given, identity), programDriver(program, context, given.goal))
})

export const Alembic = { runProgram, replayProgram }
