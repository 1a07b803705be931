// Course: what a debate was, for whoever makes a verdict of it: its turns in order and what they cost.
import type { TokenUsage } from "../domain/ModelError.ts"
import type { Objection } from "./dissent/objections.ts"
import type { Turn } from "./Verdict.ts"

/** What one call used; absent where not known. */
export interface Spent {
  readonly usage?: TokenUsage
  readonly costUsd?: number
}

/** One way through the phases: the turns in order, and what they cost. */
export interface Course {
  readonly turns: ReadonlyArray<Turn>
  /** Those that are put to the voters. */
  readonly objections: ReadonlyArray<Objection>
  readonly spent: ReadonlyArray<Spent>
}
