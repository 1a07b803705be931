// Hooks: the eight verbs a plan has, as promises (`PlanHooks`, what `run(h, input)` gets) and as Effects (`Hooks`, a
// service). Types only: the promises are made inside the plan's context (inside/), the Effects in effectHooks.ts,
// and what a call does is the engine's.
import { Context, type Effect, type Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { AgentOptions } from "../../domain/Call.ts"
import type { CouncilSpec, MissionSpec } from "./HookSpecs.ts"
import type {
  JsonSchemaDocument,
  ModelRunFailure,
  ModelRunResult,
  ModelRunSuccess
} from "../../domain/ModelRun.ts"
import type { SchemaResult } from "./SchemaOutput.ts"

/** Options of `agent` besides the prompt. Plain data: copied when the verb is called. Times in milliseconds. */
export type AgentCallOptions = Omit<AgentOptions, "prompt">

/** Options of a fan-out. Without `concurrency` all start at once (the engine still bounds what is in flight). */
export interface FanOutOptions {
  readonly concurrency?: number | undefined
  /** `"loss"`: lost slots do not make the run `incomplete`. */
  readonly accept?: "loss" | undefined
}

/** What a slot holds when the plan's own code threw in it. `tag`, `value`: of a typed error of an Effect. */
export interface PlanFailure {
  readonly ok: false
  readonly status: "failed"
  readonly error: {
    readonly code: "plan_error"
    readonly message: string
    readonly retryable: false
    readonly tag?: string
    readonly value?: Json
  }
}

/** A slot without an answer: the call failed, or the plan's code threw. */
export type LostSlot = ModelRunFailure | PlanFailure

/** A slot of a fan-out: the value itself, or why there is none. Told apart by `ok === false`. */
export type Slot<A> = A | LostSlot

/** What the next stage of a pipeline gets: a failure ends its item, so it is never seen here. */
export type Answered<A> = Exclude<A, LostSlot>

/** Many tasks of one kind. `promptTemplate` contains `{{item}}`; there are at least two items. */
export interface SwarmSpec {
  readonly promptTemplate: string
  readonly items: ReadonlyArray<Json>
  readonly accept?: "loss"
  readonly [option: string]: Json | undefined
}

/** The answer of `mission` and `swarm`: plain JSON, told apart by `ok`. A failure has the form of a `ModelRunFailure`. */
export interface VerbAnswer {
  readonly ok: boolean
  readonly [member: string]: Json | undefined
}

/** The answer of `council`. `decision` is absent only when `ok` is false. */
export interface CouncilAnswer extends VerbAnswer {
  readonly decision?: "GO" | "PIVOT" | "NO_GO"
}

/** The verbs as promises. No promise of a call is rejected because a model failed; bad arguments do reject. */
export interface PlanHooks {
  /** Names the group that following calls belong to. */
  phase(title: string): void
  /**
   * With a body, only the body's calls, and the promise of what it returns. The `h` given to the body keeps to the
   * phase even while other phases run.
   */
  phase<A>(title: string, body: (h: PlanHooks) => A): Promise<Awaited<A>>
  /** With a schema, `output` has the type that its literal says, and is just `Json` where that does not tell. */
  agent<const S extends JsonSchemaDocument>(
    prompt: string,
    options: AgentCallOptions & { readonly schema: S }
  ): Promise<SchemaResult<S>>
  agent<const S extends JsonSchemaDocument>(
    options: AgentOptions & { readonly schema: S }
  ): Promise<SchemaResult<S>>
  agent(prompt: string, options?: AgentCallOptions): Promise<ModelRunResult>
  agent(options: AgentOptions): Promise<ModelRunResult>
  /** Runs the thunks, waits for all, answers in their order. Lost slots hold why. */
  parallel<const T extends ReadonlyArray<() => unknown>>(
    thunks: T,
    options?: FanOutOptions
  ): Promise<{ -readonly [K in keyof T]: Slot<Awaited<ReturnType<T[K]>>> }>
  /**
   * Each item goes through all stages on its own. A stage that throws, or answers with a failure, ends its item.
   * Options may follow the last stage.
   */
  pipeline<I, A>(
    items: ReadonlyArray<I>,
    first: (previous: I, item: I, index: number) => A,
    options?: FanOutOptions
  ): Promise<Array<Slot<Awaited<A>>>>
  pipeline<I, A, B>(
    items: ReadonlyArray<I>,
    first: (previous: I, item: I, index: number) => A,
    second: (previous: Answered<Awaited<A>>, item: I, index: number) => B,
    options?: FanOutOptions
  ): Promise<Array<Slot<Awaited<B>>>>
  pipeline<I, A, B, C>(
    items: ReadonlyArray<I>,
    first: (previous: I, item: I, index: number) => A,
    second: (previous: Answered<Awaited<A>>, item: I, index: number) => B,
    third: (previous: Answered<Awaited<B>>, item: I, index: number) => C,
    options?: FanOutOptions
  ): Promise<Array<Slot<Awaited<C>>>>
  pipeline<I, A, B, C, D>(
    items: ReadonlyArray<I>,
    first: (previous: I, item: I, index: number) => A,
    second: (previous: Answered<Awaited<A>>, item: I, index: number) => B,
    third: (previous: Answered<Awaited<B>>, item: I, index: number) => C,
    fourth: (previous: Answered<Awaited<C>>, item: I, index: number) => D,
    options?: FanOutOptions
  ): Promise<Array<Slot<Awaited<D>>>>
  mission(spec: MissionSpec): Promise<VerbAnswer>
  swarm(spec: SwarmSpec): Promise<VerbAnswer>
  council(spec: CouncilSpec): Promise<CouncilAnswer>
  /** An event, never a result. `data` is plain JSON. */
  log(message: string, data?: Json): void
}

/** A result whose `output` was decoded by an Effect Schema. */
export type DecodedResult<A> = (Omit<ModelRunSuccess, "output"> & { readonly output: A }) | ModelRunFailure

/** A task of an Effect fan-out. */
export type Task<A, E, R> = Effect.Effect<A, E, R> | (() => Effect.Effect<A, E, R>)

type TaskSuccess<T> = T extends Task<infer A, infer _E, infer _R> ? A : never
/** What a task needs. */
export type TaskContext<T> = T extends Task<infer _A, infer _E, infer R> ? R : never
/** The slots that tasks leave, one for each. */
export type Slots<T extends ReadonlyArray<unknown>> = { -readonly [K in keyof T]: Slot<TaskSuccess<T[K]>> }
/** Options of `agent` with an Effect Schema. */
export type SchemaOptions<A> = Omit<AgentCallOptions, "schema"> & { readonly schema: Schema.Decoder<A> }

/** One stage of an Effect pipeline. */
export type Stage<P, I, A, E, R> = (previous: P, item: I, index: number) => Effect.Effect<A, E, R>

/** The verbs as Effects. None fails because a model failed; bad arguments and broken plans are defects. */
export interface EffectHooks {
  phase(title: string): Effect.Effect<void>
  phase<A, E, R>(title: string, body: Task<A, E, R>): Effect.Effect<A, E, R>
  /** With an Effect Schema, `output` is decoded; an answer that does not decode is a failure `invalid_response`. */
  agent<A>(prompt: string, options: SchemaOptions<A>): Effect.Effect<DecodedResult<A>>
  agent<A>(options: SchemaOptions<A> & { readonly prompt: string }): Effect.Effect<DecodedResult<A>>
  agent(prompt: string, options?: AgentCallOptions): Effect.Effect<ModelRunResult>
  agent(options: AgentOptions): Effect.Effect<ModelRunResult>
  /** Runs the tasks, waits for all, answers in their order. A task that fails or dies leaves a `PlanFailure`. */
  parallel<const T extends ReadonlyArray<Task<unknown, unknown, unknown>>>(
    tasks: T,
    options?: FanOutOptions
  ): Effect.Effect<Slots<T>, never, TaskContext<T[number]>>
  pipeline<I, A, E1, R1>(
    items: ReadonlyArray<I>,
    first: Stage<I, I, A, E1, R1>,
    options?: FanOutOptions
  ): Effect.Effect<Array<Slot<A>>, never, R1>
  pipeline<I, A, E1, R1, B, E2, R2>(
    items: ReadonlyArray<I>,
    first: Stage<I, I, A, E1, R1>,
    second: Stage<Answered<A>, I, B, E2, R2>,
    options?: FanOutOptions
  ): Effect.Effect<Array<Slot<B>>, never, R1 | R2>
  pipeline<I, A, E1, R1, B, E2, R2, C, E3, R3>(
    items: ReadonlyArray<I>,
    first: Stage<I, I, A, E1, R1>,
    second: Stage<Answered<A>, I, B, E2, R2>,
    third: Stage<Answered<B>, I, C, E3, R3>,
    options?: FanOutOptions
  ): Effect.Effect<Array<Slot<C>>, never, R1 | R2 | R3>
  mission(spec: MissionSpec): Effect.Effect<VerbAnswer>
  swarm(spec: SwarmSpec): Effect.Effect<VerbAnswer>
  council(spec: CouncilSpec): Effect.Effect<CouncilAnswer>
  log(message: string, data?: Json): Effect.Effect<void>
}

/** The verbs as a service: `const h = yield* Hooks`. */
export class Hooks extends Context.Service<Hooks, EffectHooks>()("alembic/plan/Hooks") {}
