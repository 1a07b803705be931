/**
 * `alembic/plan`: for plan authors. The types of a promise-style plan, and the `Hooks` service of an Effect plan.
 *
 * @example
 * ```ts
 * import type { PlanHooks, PlanInput } from "alembic/plan"
 *
 * export const run = async (h: PlanHooks, input: PlanInput) => {
 *   const answer = await h.agent(`Summarise: ${input.goal}`)
 *   return answer.ok ? answer.text : answer.error.message
 * }
 * ```
 */
// This file owns what `alembic/plan` exports, and nothing else: it is part of every plan's prelude.
export type { Json } from "./domain/json/canonicalJson.ts"
export type { AgentOptions, Tier } from "./domain/Call.ts"
export type { ErrorCode, ModelErrorInfo, TokenUsage } from "./domain/ModelError.ts"
export type { ModelRunFailure, ModelRunResult, ModelRunSuccess } from "./domain/ModelRun.ts"
export { Hooks } from "./plan/hooks/Hooks.ts"
export type {
  AgentCallOptions,
  Answered,
  CouncilAnswer,
  DecodedResult,
  EffectHooks,
  FanOutOptions,
  LostSlot,
  PlanFailure,
  PlanHooks,
  Slot,
  Stage,
  SwarmSpec,
  Task,
  VerbAnswer
} from "./plan/hooks/Hooks.ts"
export type {
  BoardMember,
  BoardPhaseKind,
  BoardSpec,
  CouncilEvidence,
  CouncilSpec,
  MissionSpec,
  MissionUnit
} from "./plan/hooks/HookSpecs.ts"
export type { SchemaOutput, SchemaResult } from "./plan/hooks/SchemaOutput.ts"
export type { PlanInput } from "./plan/host/PlanProtocol.ts"
