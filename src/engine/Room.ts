// A room's verb inside a run (council, mission, swarm): one call of the plan that makes calls of its own. What it
// asks and does goes through the run like the plan's own calls, so it is journaled, bounded, resumed and paid once.
import type { Effect } from "effect"
import type { AgentOptions } from "../domain/Call.ts"
import type { Json } from "../domain/canonicalJson.ts"
import type { Contract } from "../domain/Contract.ts"
import type { ModelRunResult } from "../domain/ModelRun.ts"

export interface RoomContext {
  /** A model call of the room. */
  readonly ask: (options: AgentOptions) => Effect.Effect<ModelRunResult>
  /**
   * A step of the room that is not a model call, such as a proof command. `spec` is its identity: the same step is
   * done once, and its journaled answer is taken ever after.
   */
  readonly step: (kind: string, spec: Json, run: Effect.Effect<Json>) => Effect.Effect<Json>
  /** Writes down what the room decided, for auditors. */
  readonly record: (kind: string, data: Json) => Effect.Effect<void>
  /** Waits for a person: resolves with the answer, in this process or a later one. */
  readonly question: (question: {
    readonly kind: "question" | "approval"
    readonly text: string
    readonly choices?: ReadonlyArray<string>
  }) => Effect.Effect<Json>
  readonly contract: Contract | undefined
}

/** Answers the verb. It never fails: what goes wrong is in the answer, told apart by `ok`. */
export type Room = (spec: Json, context: RoomContext) => Effect.Effect<Json>

/** The verbs that are rooms, by name. */
export type Rooms = Readonly<Partial<Record<"mission" | "swarm" | "council", Room>>>
