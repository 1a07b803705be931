// A subflow's verb inside a run (council, mission, swarm): one call of the plan that makes calls of its own. What it
// asks and does goes through the run like the plan's own calls, so it is journaled, bounded, resumed and paid once.
import type { Effect } from "effect"
import type { AgentOptions } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Budget, Contract } from "../../domain/Contract.ts"
import type { ModelRunResult } from "../../domain/ModelRun.ts"
import type { Evidence } from "../../verifier/Evidence.ts"
import type { CouncilSaid } from "../gates/gatedPlan.ts"

/** A part of a subflow with a budget of its own, inside the run's. */
export interface SubflowPart {
  /** Which part of the subflow it is: its calls share the budget, in this process and in later ones. */
  readonly part: string
  /** As a refusal calls it: `the board's budget`. */
  readonly name: string
  readonly caps: Budget
}

/** `text`: what the person reads, after the name. `before`: the text of runs whose approvals had no hash. */
export interface ApprovalWanted {
  readonly name: string
  readonly text: string
  readonly content: Json
  readonly before?: string
}

export interface SubflowContext {
  /** A model call of the subflow. It waits while others of its part, or of the run, may free what it needs. */
  readonly ask: (options: AgentOptions, part?: SubflowPart) => Effect.Effect<ModelRunResult>
  /**
   * A step of the subflow that is not a model call, such as a proof command. `spec` is its identity: the same step is
   * done once, and its journaled answer is taken ever after.
   */
  readonly step: (kind: string, spec: Json, run: Effect.Effect<Json>) => Effect.Effect<Json>
  /** What a subflow does besides: reading files, say. A subflow that is busy is not waiting. */
  readonly work: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
  /** Writes down what the subflow decided, for auditors. `gate` with `{ gate, pass, detail }` is a gate's decision. */
  readonly record: (kind: string, data: Json) => Effect.Effect<void>
  /** How that proof ended when the run last ran it, as evidence under `id`. */
  readonly proof: (proof: string, id: string) => Effect.Effect<Evidence>
  /** Waits for a person: resolves with the answer, in this process or a later one. */
  readonly question: (question: {
    readonly kind: "question" | "approval"
    readonly text: string
    readonly choices?: ReadonlyArray<string>
  }) => Effect.Effect<Json>
  /**
   * Whether a person lets it through: resolves with their answer, or with what the caller approved of beforehand.
   * `name`: what is decided. `content`: all that the answer is for; an answer to other content is none to this.
   */
  readonly approval: (wanted: ApprovalWanted) => Effect.Effect<Json>
  /**
   * Whether a council's word is enough for what an approval would be for: not where a person has refused it. A question
   * about it that nobody has answered is closed.
   */
  readonly waiver: (wanted: ApprovalWanted) => Effect.Effect<boolean>
  /** Nothing acts, and what nobody can know beforehand is taken as passed. */
  readonly isForecast: boolean
  /** Whether all that the reference may reach is free and local. */
  readonly isFree: (model: string | undefined) => Effect.Effect<boolean>
  /** How often the run was reopened: what a subflow sees of the world it looks at anew then. */
  readonly reopened: number
  /** How many processes worked on the run before this one: what may have changed meanwhile is looked at anew. */
  readonly process: number
  /** The rules the run began under (domain/run/rules.ts): what a subflow asks by, now and whenever the run goes on. */
  readonly rules: number
  readonly contract: Contract | undefined
  /** What the council of the contract said, where it was held before the plan. */
  readonly council: CouncilSaid | undefined
  /** Council boards by the names they have in the configuration. */
  readonly boards: Readonly<Record<string, Json>>
}

/** Answers the verb. It never fails: what goes wrong is in the answer, told apart by `ok`. */
export type Subflow = (spec: Json, context: SubflowContext) => Effect.Effect<Json>

/** The verbs that are subflows, by name. */
export type SubflowsByVerb = Readonly<Partial<Record<"mission" | "swarm" | "council" | "gates", Subflow>>>
