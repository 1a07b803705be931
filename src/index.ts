/**
 * `alembic`: the engine as a library, for Effect apps. `engineLayer` is everything live; each part is a layer of its
 * own that can be replaced.
 *
 * @example
 * ```ts
 * const program = Effect.gen(function* () {
 *   const h = yield* Hooks
 *   const answer = yield* h.agent("Why is the sky blue?")
 *   return answer.ok ? answer.text : answer.error.message
 * })
 * const run = Alembic.runProgram({ program: "sky-1", goal: "One answer" }, program)
 * const summary = await Effect.runPromise(run.pipe(Effect.provide(engineLayer({ baseDir: ".alembic" }))))
 * ```
 */
// This file owns what `alembic` exports, and nothing else.

// Runs
export { Alembic } from "./app/Alembic.ts"
export type { AlembicSettings } from "./app/rooms.ts"
export type { EventsOptions } from "./journal/followLog.ts"
export type { RunListing } from "./journal/listRuns.ts"
export type { Answered, RunProgram } from "./engine/Alembic.ts"
export type { ProgramSpec, ProgramSummary, TypedProgram } from "./engine/runProgram.ts"
export { IdempotencyKey, StepCollisionError, StepError } from "./plan/steps.ts"
export type { StepOptions } from "./plan/steps.ts"
export { AnswerError } from "./engine/answerItem.ts"
export { runPlan } from "./engine/runPlan.ts"
export type { RunPlanOptions } from "./engine/runPlan.ts"
export { resumeRun } from "./engine/resumeRun.ts"
export { replayRun } from "./engine/replayRun.ts"
export { answerItem } from "./engine/answerItem.ts"
export type { EngineServices, HowToRun, ReplaySummary } from "./engine/Engine.ts"
export type { Attachment, PlanInputs } from "./engine/planSpec.ts"
export { decodeContract } from "./engine/planSpec.ts"
export { Hooks } from "./plan/Hooks.ts"
export type { EffectHooks, LostSlot, PlanFailure, PlanHooks, Slot } from "./plan/Hooks.ts"
export { inspectPlan, loadPlan } from "./plan/loadPlan.ts"

// What a run is
export { canonicalJson, NotCanonicalError } from "./domain/canonicalJson.ts"
export type { Json } from "./domain/canonicalJson.ts"
export { fingerprint } from "./domain/fingerprint.ts"
export { computeCacheKey } from "./domain/Call.ts"
export { RunId, runIdFor, RunSpec } from "./domain/RunSpec.ts"
export { RunEvent } from "./domain/RunEvent.ts"
export { exitCodeOf, RunStatus } from "./domain/RunStatus.ts"
export { RunSummary } from "./domain/RunSummary.ts"
export { Contract } from "./domain/Contract.ts"
export { Finding } from "./domain/Finding.ts"
export { err, isErr, isOk, mapResult, ok, tryCatch, tryCatchAsync } from "./domain/Result.ts"
export type { Result } from "./domain/Result.ts"

// The waist
export { runWithGuards } from "./adapters/runWithGuards.ts"
export type { CallOptions } from "./adapters/runWithGuards.ts"
export { makeRunner } from "./adapters/runner.ts"
export type { Run } from "./adapters/runner.ts"
export { ModelRunFailure, ModelRunInput, ModelRunResult, ModelRunSuccess } from "./domain/ModelRun.ts"
export { classifyHttpStatus, ErrorCode, makeError, ModelError, RETRYABLE_CODES } from "./domain/ModelError.ts"
export type { Adapter, AttemptSuccess } from "./adapters/Adapter.ts"
export { AdapterRegistry, RegistryError } from "./adapters/AdapterRegistry.ts"
export type { Binding, Price } from "./adapters/AdapterRegistry.ts"
export { Guards } from "./adapters/Guards.ts"
export { layerConfigured } from "./adapters/ConfiguredRegistry.ts"
export { AlembicConfig, parseConfig } from "./adapters/Config.ts"
export { layerAdapter } from "./adapters/layerAdapter.ts"
export { layerOffline } from "./adapters/offlineRegistry.ts"
export { makeLanguageModelAdapter } from "./adapters/providers/languageModel.ts"

// Dissent: boards that debate, claims that evidence decides, missions that are proven
export { runDebate, runDebateSafe } from "./council/runDebate.ts"
export type { DebateAnswer, DebateOptions } from "./council/runDebate.ts"
export { Board } from "./council/Board.ts"
export { BoardError } from "./council/BoardError.ts"
export { checkModels, decodeBoard, loadBoard } from "./council/loadBoard.ts"
export { Verdict } from "./council/Verdict.ts"
export { verdictMarkdown, verdictText } from "./council/renderVerdict.ts"
export { checkClaims, tally } from "./verifier/checkClaims.ts"
export { Claim, loadClaims, VerifierError } from "./verifier/Claim.ts"
export { Evidence } from "./verifier/Evidence.ts"
export { loadEvidence } from "./verifier/loadEvidence.ts"
export { Finding as ClaimFinding } from "./verifier/Finding.ts"
export { MissionResult, MissionSpec } from "./mission/Mission.ts"
export { ProofRunner } from "./mission/ProofRunner.ts"
export { layerWithMissions } from "./engine/rooms/layerWithMissions.ts"

// Ports and live layers
export { engineLayer, journalLayer, modelsLayer } from "./app/rooms.ts"
export { EngineVersions } from "./engine/EngineVersions.ts"
export { Journal } from "./journal/Journal.ts"
export { JournalError } from "./journal/JournalError.ts"
export { FsError, FsPort } from "./kernel/FsPort.ts"
export { layer as layerFsNode } from "./kernel/FsPort.node.ts"
export { HostIdentity } from "./kernel/HostIdentity.ts"
export { layer as layerHostIdentityNode } from "./kernel/HostIdentity.node.ts"
export { RunRooms } from "./engine/Room.ts"
export type { Room, RoomContext, Rooms } from "./engine/Room.ts"
export { IdFactory } from "./kernel/IdFactory.ts"
