// effectHooks: the verbs as Effects, on top of a HookBridge. Shared by plans in the VM and programs in process, so
// it knows neither. The plan's clock and randomness are planServices.ts's.
import { Context, Effect, Schema } from "effect"
import type { AgentOptions } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError } from "../../domain/ModelError.ts"
import { ModelRunResult, type ModelRunFailure } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import type { HookBridge } from "./HookBridge.ts"
import type {
  AgentCallOptions,
  DecodedResult,
  EffectHooks,
  FanOutOptions,
  PlanFailure,
  SchemaOptions,
  Slot,
  Slots,
  Task,
  TaskContext
} from "./Hooks.ts"
import type { PlanCall } from "../host/PlanProtocol.ts"
import { thrownBy, type Thrown } from "../host/thrown.ts"

/** The phase of the body that is running, if one is. Wins over the phase named last. */
const BodyPhase = Context.Reference<string | undefined>("alembic/plan/BodyPhase", {
  defaultValue: () => undefined
})

const decodeResult = Schema.decodeUnknownEffect(ModelRunResult)
const decodeVerbAnswer = Schema.decodeUnknownEffect(
  Schema.StructWithRest(Schema.Struct({ ok: Schema.Boolean }), [Schema.Record(Schema.String, Schema.Json)])
)
const decodeCouncilAnswer = Schema.decodeUnknownEffect(
  Schema.StructWithRest(
    Schema.Struct({
      ok: Schema.Boolean,
      decision: Schema.optionalKey(Schema.Literals(["GO", "PIVOT", "NO_GO"]))
    }),
    [Schema.Record(Schema.String, Schema.Json)]
  )
)

/** What a slot holds when the plan's own code threw in it. */
export const planFailure = (message: string): PlanFailure => ({
  ok: false,
  status: "failed",
  error: { code: "plan_error", message, retryable: false }
})

const slotOf = ({ message, tag, value }: Thrown): PlanFailure => {
  const { error, ...slot } = planFailure(message)
  return {
    ...slot,
    error: { ...error, ...defined({ tag, value }) }
  }
}

const lostStatuses: ReadonlySet<unknown> = new Set(["failed", "skipped", "parked", "cancelled"])

/** A `ModelRunFailure` or a `PlanFailure`, whoever made it. */
export const isLost = (slot: unknown): boolean => {
  if (typeof slot !== "object" || slot === null) return false
  if (!("ok" in slot && slot.ok === false && "status" in slot && lostStatuses.has(slot.status))) return false
  return "error" in slot && typeof slot.error === "object" && slot.error !== null && "code" in slot.error
}

/** A slot never fails: what a task fails or dies with is its value. Interruption of the whole is not caught. */
const settleSlot = <A, E, R>(task: Effect.Effect<A, E, R>): Effect.Effect<Slot<A>, never, R> =>
  Effect.catchCause<A, E, R, Slot<A>, never, never>(task, (cause) => Effect.succeed(slotOf(thrownBy(cause))))

const start = <A, E, R>(task: Task<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(task) ? task : Effect.suspend(task)

const notFinite = JSON.stringify(["Infinity", "-Infinity", "NaN"])

/** A number is a number: Effect's document also admits the names of those that JSON has no form for. */
const plainNumbers = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(plainNumbers)
  if (typeof node !== "object" || node === null) return node
  if ("anyOf" in node && Array.isArray(node.anyOf) && node.anyOf.length === 2) {
    const [number, names]: ReadonlyArray<unknown> = node.anyOf
    const isNames = typeof names === "object" && names !== null && "enum" in names
    if (isNames && JSON.stringify(names.enum) === notFinite) return plainNumbers(number)
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plainNumbers(value)]))
}

/** JSON Schema of an Effect Schema, definitions included. */
const jsonSchemaOf = (schema: Schema.Constraint): unknown => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema)
  return plainNumbers(Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions })
}

const undecodable = (result: ModelRunResult, error: Schema.SchemaError): ModelRunFailure => {
  const { message, code, retryable } = makeError(
    "invalid_response",
    `the answer does not decode: ${error.message}`
  )
  return {
    ok: false,
    status: "failed",
    adapterId: result.adapterId,
    modelId: result.modelId,
    requestId: result.requestId,
    durationMs: result.durationMs,
    attempts: result.attempts,
    error: { code, message, retryable },
    ...defined({ usage: result.usage, costUsd: result.costUsd })
  }
}

const decodeOutput =
  (schema: Schema.Decoder<unknown>) =>
  (result: ModelRunResult): Effect.Effect<DecodedResult<unknown>> =>
    result.ok
      ? Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(result.output).pipe(
          Effect.map((output): DecodedResult<unknown> => ({ ...result, output })),
          Effect.catchTag("SchemaError", (error) => Effect.succeed(undecodable(result, error)))
        )
      : Effect.succeed(result)

/** The `Hooks` service on `bridge`. One for each run: it remembers the phase named last. */
export const effectHooks = (bridge: HookBridge): EffectHooks => {
  let lastPhase: string | undefined

  const issue = (verb: PlanCall["verb"], options: unknown): Effect.Effect<Json> => {
    const mark = bridge.mark?.()
    return Effect.flatMap(BodyPhase, (bodyPhase) =>
      Effect.callback<Json>((resume) => {
        const settle = (answer: Json) => resume(Effect.succeed(answer))
        const n = bridge.call(verb, options, bodyPhase ?? lastPhase, settle, mark)
        return Effect.sync(() => bridge.cancel(n))
      })
    )
  }

  function phase(title: string): Effect.Effect<void>
  function phase<A, E, R>(title: string, body: Task<A, E, R>): Effect.Effect<A, E, R>
  function phase<A, E, R>(title: string, body?: Task<A, E, R>): Effect.Effect<A | void, E, R> {
    if (body === undefined) {
      return Effect.sync(() => {
        lastPhase = title
        bridge.phase(title)
      })
    }
    return Effect.suspend(() => {
      bridge.phase(title)
      return Effect.provideService(start(body), BodyPhase, title)
    })
  }

  function agent<A>(prompt: string, options: SchemaOptions<A>): Effect.Effect<DecodedResult<A>>
  function agent<A>(options: SchemaOptions<A> & { readonly prompt: string }): Effect.Effect<DecodedResult<A>>
  function agent(prompt: string, options?: AgentCallOptions): Effect.Effect<ModelRunResult>
  function agent(options: AgentOptions): Effect.Effect<ModelRunResult>
  function agent(
    prompt: string | { readonly prompt: string; readonly schema?: unknown },
    given?: { readonly schema?: unknown }
  ): Effect.Effect<DecodedResult<unknown> | ModelRunResult> {
    const options = typeof prompt === "string" ? { ...given, prompt } : prompt
    const { schema } = options
    if (!Schema.isSchema(schema))
      return issue("agent", options).pipe(Effect.flatMap(decodeResult), Effect.orDie)
    const decoder: Schema.Decoder<unknown> = Schema.make(schema.ast)
    return issue("agent", { ...options, schema: jsonSchemaOf(schema) }).pipe(
      Effect.flatMap(decodeResult),
      Effect.orDie,
      Effect.flatMap(decodeOutput(decoder))
    )
  }

  const fanOut = <A, E, R>(
    tasks: ReadonlyArray<Effect.Effect<A, E, R>>,
    options: FanOutOptions
  ): Effect.Effect<Array<Slot<A>>, never, R> =>
    Effect.forEach(tasks, settleSlot, { concurrency: options.concurrency ?? "unbounded" }).pipe(
      Effect.tap((slots) =>
        Effect.sync(() =>
          bridge.slots({
            done: slots.filter((slot) => !isLost(slot)).length,
            of: slots.length,
            accepted: options.accept === "loss"
          })
        )
      )
    )

  function parallel<const T extends ReadonlyArray<Task<unknown, unknown, unknown>>>(
    tasks: T,
    options?: FanOutOptions
  ): Effect.Effect<Slots<T>, never, TaskContext<T[number]>>
  function parallel(
    tasks: ReadonlyArray<Task<unknown, unknown, unknown>>,
    options: FanOutOptions = {}
  ): Effect.Effect<Array<unknown>, never, unknown> {
    return fanOut(tasks.map(start), options)
  }

  type AnyStage = (
    previous: unknown,
    item: unknown,
    index: number
  ) => Effect.Effect<unknown, unknown, unknown>
  const pipeline = (
    items: ReadonlyArray<unknown>,
    ...rest: ReadonlyArray<AnyStage | FanOutOptions | undefined>
  ) => {
    const stages = rest.filter((stage): stage is AnyStage => typeof stage === "function")
    const last = rest.at(-1)
    const options = typeof last === "object" ? last : {}
    const through = Effect.fnUntraced(function* (item: unknown, index: number) {
      let value = item
      for (const stage of stages) {
        value = yield* stage(value, item, index)
        if (isLost(value)) break
      }
      return value
    })
    return fanOut(
      items.map((item, index) => through(item, index)),
      options
    )
  }

  return {
    phase,
    agent,
    parallel,
    pipeline,
    mission: (spec) => issue("mission", spec).pipe(Effect.flatMap(decodeVerbAnswer), Effect.orDie),
    swarm: (spec) => issue("swarm", spec).pipe(Effect.flatMap(decodeVerbAnswer), Effect.orDie),
    council: (spec) => issue("council", spec).pipe(Effect.flatMap(decodeCouncilAnswer), Effect.orDie),
    log: (message, data) => Effect.sync(() => bridge.log(message, data))
  }
}
