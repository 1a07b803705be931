// runProgram: an Effect program as a plan, in process, on the same journal, with resume and replay. The service that
// apps use is Alembic.ts; a plan in a file is runPlanFile.ts's.
import { Effect, Result, Schema, type Context } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { RunSpec } from "../../domain/run/RunSpec.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { JournalError } from "../../journal/JournalError.ts"
import { describeRun } from "../../journal/store/RunMeta.ts"
import type { Hooks } from "../../plan/hooks/Hooks.ts"
import type { RunOptions } from "../Engine.ts"
import { EngineVersions } from "../EngineVersions.ts"
import { executeRun } from "../run/executeRun.ts"
import { journalFailure } from "../run/journalFailure.ts"
import { runOptions } from "../run/RunOptions.ts"
import { boardsPart, contractJson } from "../launch/planSpec.ts"
import { programDriver, type EndSchemas } from "./ProgramDriver.ts"
import { replayJournal } from "../replay/replayRun.ts"
import { keptLender, openLender } from "../reuse/lending.ts"

/** What makes a program's run what it is. `program`: a name you change when you change what the program does. */
export interface ProgramSpec extends RunOptions {
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

/** A program whose result and error are kept by Schemas, so that they keep their types. */
export interface TypedProgram<A, E> extends ProgramSpec {
  readonly success: Schema.Codec<A, unknown>
  readonly error?: Schema.Codec<E, unknown>
}

/** A summary with the result that the program returned; `failure` is its own error, where one ended the run. */
export type ProgramSummary<A, E = never> = Omit<RunSummary, "ok" | "result"> &
  (
    | { readonly ok: true; readonly result: A }
    | { readonly ok: false; readonly result?: A; readonly failure?: E }
  )

export const specOfProgram = (given: ProgramSpec, models: Json): RunSpec => ({
  goal: given.goal,
  plan: [],
  program: given.program,
  ...(given.contract === undefined ? {} : { contract: contractJson(given.contract) }),
  ...defined({ args: given.args }),
  ...boardsPart(given.boards),
  models,
  ...(given.hermetic === true ? { hermetic: true } : {}),
  ...defined({ nonce: given.nonce })
})

/** Runs `program`, in `context` and with hooks, as the run that `given` describes. Never fails. */
export const runProgram = Effect.fn("Alembic.runProgram")(
  function* <A, E, R>(
    given: ProgramSpec & EndSchemas,
    program: Effect.Effect<A, E, R>,
    context: Context.Context<Exclude<R, Hooks>>
  ) {
    const { identity } = yield* AdapterRegistry
    const versions = yield* EngineVersions
    const spec = specOfProgram(given, identity)
    const lender = given.reuse === undefined ? undefined : yield* openLender(given.reuse)
    return yield* executeRun({
      spec,
      describe: Effect.mapError(
        Effect.fromResult(describeRun({ spec, versions, extra: keptLender(given.reuse) })),
        ({ message }) => new JournalError({ code: "not_canonical", path: "spec", problem: message })
      ),
      launch: programDriver(program, context, given.goal, given),
      options: runOptions(given, given.contract, lender)
    })
  },
  Effect.scoped,
  Effect.catchTag("JournalError", (error) => Effect.succeed(journalFailure(error)))
)

/** Runs `program` again on the journal of its run alone. Nothing is dispatched and nothing written. */
export const replayProgram = Effect.fn("Alembic.replayProgram")(function* <A, E, R>(
  given: ProgramSpec & EndSchemas,
  program: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Hooks>>
) {
  const { identity } = yield* AdapterRegistry
  return yield* replayJournal(
    specOfProgram(given, identity),
    programDriver(program, context, given.goal, given)
  )
})

const refused = (what: "result" | "error", problem: string): RunErrorInfo => ({
  code: what === "result" ? "result_refused" : "error_refused",
  message: `the journaled ${what} is not what its schema says: ${problem}`,
  cure: "give the schema that the run was made with; the run keeps what it ended with"
})

const decode = <A>(schema: Schema.Codec<A, unknown>, value: Json | undefined) =>
  Schema.decodeUnknownResult(Schema.toCodecJson(schema))(value ?? null)

/** The summary with result and error as the program's own types. What does not decode is a failure of this call alone. */
export const typedSummary = <A, E>(
  { error, success }: Pick<TypedProgram<A, E>, "success" | "error">,
  summary: RunSummary
): ProgramSummary<A, E> => {
  const { ok, result, ...rest } = summary
  const hasEnded = ok || summary.status === "incomplete"
  const decoded = hasEnded || result !== undefined ? decode(success, result) : undefined
  if (decoded !== undefined && Result.isFailure(decoded)) {
    return { ...rest, ok: false, status: "failed", error: refused("result", decoded.failure.message) }
  }
  if (decoded !== undefined && ok) return { ...rest, ok, result: decoded.success }
  const failure =
    error === undefined || rest.error?.value === undefined ? undefined : decode(error, rest.error.value)
  return {
    ...rest,
    ok: false,
    ...(decoded === undefined ? {} : { result: decoded.success }),
    ...(failure === undefined || Result.isFailure(failure) ? {} : { failure: failure.success })
  }
}
