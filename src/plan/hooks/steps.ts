// Alembic.step: an effect of a program in process that is done once. Its exit is journaled before the program goes on;
// a run that goes on, and a replay, get it back. Plan modules do not have it: what they do besides calls is nothing.
//
// Invariants:
// T1  A step is its name, its key and which of the like it is, in the order they were begun: nothing else of it counts.
// T2  Two steps of one name and key are never in flight together: nothing could tell which is which.
// T3  The program goes on with what the journal holds, decoded: the same now and whenever the run goes on.
// T4  A step runs outside the run: on the host's clock and random numbers, without hooks and without steps.
import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Logger,
  Option,
  Random,
  Schema,
  type Tracer
} from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { Hooks, type EffectHooks } from "./Hooks.ts"
import { encodedBy, thrownBy } from "../host/thrown.ts"

/**
 * In a step: a key that is the same whenever this step of this run is made again, as after a crash in the midst of it.
 * Give it to whoever shall do the thing once. Outside a step it is empty.
 */
export const IdempotencyKey = Context.Reference<string>("alembic/plan/IdempotencyKey", {
  defaultValue: () => ""
})

/** Two steps of one name and key were begun together. */
export class StepCollisionError extends Schema.TaggedError<StepCollisionError>()("StepCollisionError", {
  step: Schema.String,
  key: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.key === undefined
      ? `two steps named ${JSON.stringify(this.step)} are in flight together: give each a key of its own`
      : `two steps named ${JSON.stringify(this.step)} with the key ${JSON.stringify(this.key)} are in flight together`
  }
}

/** A step that cannot be, or whose exit cannot be kept or read back. */
export class StepError extends Schema.TaggedError<StepError>()("StepError", {
  step: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `step ${JSON.stringify(this.step)}: ${this.problem}`
  }
}

/** What a step is told: to begin, since it is in the journal that it began, or what it came to before. */
export type StepWord =
  | { readonly _tag: "begin"; readonly idempotencyKey: string; readonly span: Tracer.AnySpan | undefined }
  | { readonly _tag: "answer"; readonly answer: Json }

export interface BegunStep {
  readonly told: Effect.Effect<StepWord>
  /** The exit, on its way to the journal. */
  readonly ended: (exit: Json) => Effect.Effect<void>
  readonly giveUp: Effect.Effect<void>
}

/** Where the steps of a program go. Throws a `StepCollisionError`. */
export interface StepPort {
  readonly begin: (name: string, key: string | undefined) => BegunStep
  /** The host's services, which the program has others of. */
  readonly host: Context.Context<never>
}

export const CurrentSteps = Context.Reference<StepPort | { readonly inside: string } | undefined>(
  "alembic/plan/CurrentSteps",
  { defaultValue: () => undefined }
)

/** An exit as the journal holds it. `died`: of a defect, which a mended program makes anew. */
const KeptExit = Schema.Union([
  Schema.Struct({ ok: Schema.Literal(true), value: Schema.optionalKey(Schema.Json) }),
  Schema.Struct({
    ok: Schema.Literal(false),
    error: Schema.Struct({
      code: Schema.Literals(["step_failed", "step_died"]),
      message: Schema.String,
      tag: Schema.optionalKey(Schema.String),
      value: Schema.optionalKey(Schema.Json)
    })
  })
])
type KeptExit = typeof KeptExit.Type

const decodeKept = Schema.decodeUnknownOption(KeptExit)

export interface StepOptions<A, E> {
  readonly success: Schema.Codec<A, unknown>
  /** Errors that it does not encode are defects. */
  readonly error?: Schema.Codec<E, unknown>
  /** Tells apart steps of one name. */
  readonly key?: string
}

const keep = <A, E>(name: string, exit: Exit.Exit<A, E>, { error, success }: StepOptions<A, E>): KeptExit => {
  const died = (message: string, more: { readonly tag?: string } = {}): KeptExit => ({
    ok: false,
    error: { code: "step_died", message, ...more }
  })
  if (Exit.isSuccess(exit)) {
    const value = encodedBy(success, exit.value)
    if (value !== undefined) return { ok: true, value }
    return exit.value === undefined
      ? { ok: true }
      : died(`step ${JSON.stringify(name)}: its value is not what its schema says`)
  }
  const { value: _, ...thrown } = thrownBy(exit.cause)
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure === undefined || error === undefined) return died(thrown.message, thrown)
  const value = encodedBy(error, failure.error)
  return value === undefined
    ? died(`step ${JSON.stringify(name)}: its error is not what its schema says: ${thrown.message}`)
    : { ok: false, error: { code: "step_failed", ...thrown, value } }
}

const noHooks = (name: string): EffectHooks => {
  const refuse = () =>
    Effect.die(new StepError({ step: name, problem: "it makes a call; calls are made outside of steps" }))
  return {
    phase: refuse,
    agent: refuse,
    parallel: refuse,
    pipeline: refuse,
    mission: refuse,
    swarm: refuse,
    council: refuse,
    log: refuse
  }
}

/** The host's part of a context: what a program is given others of. */
export const hostServices = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const loggers = yield* Logger.CurrentLoggers
  return Context.make(Clock.Clock, clock).pipe(
    Context.add(Random.Random, random),
    Context.add(Logger.CurrentLoggers, loggers)
  )
})

const decodeBy = <A>(name: string, what: string, schema: Schema.Codec<A, unknown>, value: Json | undefined) =>
  Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(value ?? null).pipe(
    Effect.mapError(
      (error) =>
        new StepError({ step: name, problem: `its journaled ${what} does not decode: ${error.message}` })
    ),
    Effect.orDie
  )

/** What the journal holds, as the program gets it. */
const asExit = Effect.fnUntraced(function* <A, E>(name: string, json: Json, options: StepOptions<A, E>) {
  const kept = Option.getOrUndefined(decodeKept(json))
  if (kept === undefined) {
    return yield* Effect.die(new StepError({ step: name, problem: "the run is over in this process" }))
  }
  if (kept.ok) return yield* decodeBy(name, "value", options.success, kept.value)
  if (kept.error.code === "step_died" || options.error === undefined) {
    return yield* Effect.die(new StepError({ step: name, problem: kept.error.message }))
  }
  return yield* Effect.flatMap(decodeBy(name, "error", options.error, kept.error.value), Effect.fail)
})

/**
 * A step of a program: `effect` is run once, and its exit journaled before the program goes on. Given back, and not
 * run, when the run goes on or is replayed; run again if the process died in the midst of it (`IdempotencyKey`).
 */
export const step = Effect.fnUntraced(function* <A, E = never, R = never>(
  name: string,
  options: StepOptions<A, E>,
  effect: Effect.Effect<NoInfer<A>, NoInfer<E>, R>
): Effect.fn.Return<A, E, R | Hooks> {
  const steps = yield* CurrentSteps
  yield* Hooks
  if (steps === undefined || "inside" in steps) {
    const problem =
      steps === undefined
        ? "only a program in process has steps, a plan module has none"
        : `it is begun inside of step ${JSON.stringify(steps.inside)}`
    return yield* Effect.die(new StepError({ step: name, problem }))
  }
  const begun = yield* Effect.sync(() => steps.begin(name, options.key))
  const run = Effect.gen(function* () {
    const word = yield* begun.told
    if (word._tag === "answer") return yield* asExit(name, word.answer, options)
    const exit = yield* Effect.exit(
      (word.span === undefined ? effect : Effect.withParentSpan(effect, word.span)).pipe(
        Effect.provideService(IdempotencyKey, word.idempotencyKey),
        Effect.provideService(CurrentSteps, { inside: name }),
        Effect.provideService(Hooks, noHooks(name)),
        Effect.provideContext(steps.host)
      )
    )
    yield* begun.ended(keep(name, exit, options))
    const after = yield* begun.told
    if (after._tag === "answer") return yield* asExit(name, after.answer, options)
    return yield* Effect.die(new StepError({ step: name, problem: "it was begun twice" }))
  })
  return yield* Effect.onInterrupt(run, () => begun.giveUp)
})

/** What a driver makes a step of: words come in, the exit goes out. */
export const makeBegunStep = (giveUp: () => void) => {
  const first = Deferred.makeUnsafe<StepWord>()
  const second = Deferred.makeUnsafe<StepWord>()
  const exit = Deferred.makeUnsafe<Json>()
  const tell = (word: StepWord): void => {
    if (!Deferred.doneUnsafe(first, Exit.succeed(word))) Deferred.doneUnsafe(second, Exit.succeed(word))
  }
  let asked = 0
  const begun: BegunStep = {
    told: Effect.suspend(() => Deferred.await(asked++ === 0 ? first : second)),
    ended: (json) => Effect.asVoid(Deferred.succeed(exit, json)),
    giveUp: Effect.sync(giveUp)
  }
  return {
    begun,
    answered: (answer: Json) => tell({ _tag: "answer", answer }),
    /** Says that it may begin, below `span` if it has one, and waits for its exit. */
    toItsExit: (idempotencyKey: string, span?: Tracer.AnySpan) =>
      Effect.suspend(() => {
        tell({ _tag: "begin", idempotencyKey, span })
        return Deferred.await(exit)
      })
  }
}
