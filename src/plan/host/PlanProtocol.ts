// The words between a plan and the engine. A plan runs until it is quiet; that is a turn. It is then given
// answers one at a time, and runs until quiet after each. Two drivers speak this: the plan VM's child process and
// the in-process driver of Effect programs. The engine cannot tell them apart.
import { Schema, type Effect, type Tracer } from "effect"
import { Site } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import { Finding } from "../../domain/Finding.ts"

/** What the plan's `run` gets besides the hooks. Deeply frozen inside. */
export const PlanInput = Schema.Struct({
  goal: Schema.String,
  args: Schema.optionalKey(Schema.Json),
  contract: Schema.optionalKey(Schema.Json),
  files: Schema.Array(Schema.Struct({ path: Schema.String, text: Schema.String, sha256: Schema.String })),
  /** Output tokens the contract allows, for the workflow dialect's `budget`. */
  budgetOutputTokens: Schema.optionalKey(Schema.Number)
})
export type PlanInput = typeof PlanInput.Type

/** One thing the plan did, in the order it did it. */
export const PlanRequest = Schema.Union([
  /**
   * A verb that has an answer. `n` counts the run's calls from 1 in issue order. `options` are the author's, plain
   * JSON, not yet checked against the verb's Schema. `phase`: the group the call belongs to.
   */
  Schema.Struct({
    t: Schema.Literal("call"),
    n: Schema.Int,
    verb: Schema.Literals(["agent", "mission", "swarm", "council", "sleep"]),
    options: Schema.Json,
    phase: Schema.optionalKey(Schema.String),
    site: Schema.optionalKey(Site)
  }),
  /** The plan gave up on call `n` (an interrupted fiber). */
  Schema.Struct({ t: Schema.Literal("cancel"), n: Schema.Int }),
  Schema.Struct({ t: Schema.Literal("phase"), title: Schema.String }),
  Schema.Struct({ t: Schema.Literal("log"), message: Schema.String, data: Schema.optionalKey(Schema.Json) }),
  /** A `parallel`, `pipeline` or `swarm` ended: how many of its slots hold an answer; was the loss accepted. */
  Schema.Struct({ t: Schema.Literal("slots"), done: Schema.Int, of: Schema.Int, accepted: Schema.Boolean })
])
export type PlanRequest = typeof PlanRequest.Type
export type PlanCall = Extract<PlanRequest, { readonly t: "call" }>

/** A step of a program in process: no verb, and no word of a plan's process. */
export interface StepCall {
  readonly t: "call"
  readonly n: number
  readonly verb: "step"
  readonly options: Json
  readonly phase?: string
  readonly site?: never
  /** Lets the step begin, and gives its exit. */
  readonly toItsExit: (idempotencyKey: string, span?: Tracer.AnySpan) => Effect.Effect<Json>
}

/** Where the plan is after it went quiet. */
export const PlanState = Schema.Union([
  /** It waits for the answers of calls. */
  Schema.Struct({ t: Schema.Literal("waiting") }),
  /**
   * `run` returned. `result` is JSON text, absent for undefined; `notices` say what of it was given its usual JSON form
   * (a Date, undefined in an array).
   */
  Schema.Struct({
    t: Schema.Literal("returned"),
    result: Schema.optionalKey(Schema.String),
    notices: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /**
   * It ended otherwise: `error.code` is `plan_error` (it threw), `non_deterministic` (reached a forbidden source;
   * `findings` says which), `plan_timeout`, `plan_out_of_memory`, `plan_stalled`, `unhandled_rejection`,
   * `hook_pending` (returned with a call un-awaited), `plan_limit`, `result_not_json`, `no_run`, `plan_crashed`,
   * `plan_protocol` (its process said what no plan's process says: turnProtocol.ts).
   */
  Schema.Struct({
    t: Schema.Literal("failed"),
    error: RunErrorInfo,
    findings: Schema.optionalKey(Schema.Array(Finding))
  })
])
export type PlanState = typeof PlanState.Type

/**
 * What happened from one delivery to quiet, for a batch of deliveries in one go. `delivered` says how many of the
 * batch were taken; it is less than the batch only if the plan ended, or if the next answer's call is not pending.
 */
export const Turn = Schema.Struct({
  requests: Schema.Array(PlanRequest),
  delivered: Schema.Int,
  state: PlanState
})
export type Turn = typeof Turn.Type

/** A turn of whoever is driven: of a program, there may be steps in it. */
export interface DrivenTurn extends Omit<Turn, "requests"> {
  readonly requests: ReadonlyArray<PlanRequest | StepCall>
}

/** The answer to call `n`, as JSON text. */
export interface Answer {
  readonly n: number
  readonly json: string
}

/**
 * What a program in process does by itself: it may wait for something that is no call (a timer, a query, a reply), and
 * goes on when that comes, between two exchanges with the engine.
 */
export interface OwnWork<T> {
  /** `listener` is called when the program has done something by itself: once, until the next exchange. */
  readonly onMoved: (listener: () => void) => void
  /** What it has done since the last exchange. */
  readonly turn: Effect.Effect<T>
  /** Whether it will go on by itself: not once it has ended, surely while it waits for no call, else perhaps. */
  readonly goesOn: () => "surely" | "perhaps" | "no"
}

/** A running plan. Never fails: what goes wrong with a plan is in `Turn.state`. */
export interface PlanDriver {
  /** Of a program in process alone. A plan in a process of its own does nothing between two exchanges. */
  readonly own?: OwnWork<DrivenTurn>
  /** Evaluates the plan and calls `run`. Once. */
  readonly start: Effect.Effect<DrivenTurn>
  /** Delivers answers in order, the plan quiet before each next one. */
  readonly deliver: (answers: ReadonlyArray<Answer>) => Effect.Effect<DrivenTurn>
}
