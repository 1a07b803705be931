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
export { AlembicSettings } from "./app/engine.ts"
export type { EventsOptions } from "./journal/log/followLog.ts"
export type { RunListing } from "./journal/maintenance/listRuns.ts"
export type { Inspection } from "./engine/inspect/inspectRun.ts"
export type { AttemptRecord, CallRecord } from "./engine/inspect/CallRecord.ts"
export type { Answered, RunProgram } from "./engine/Alembic.ts"
export type { ProgramSpec, ProgramSummary, TypedProgram } from "./engine/program/runProgram.ts"
export { IdempotencyKey, StepCollisionError, StepError } from "./plan/hooks/steps.ts"
export type { StepOptions } from "./plan/hooks/steps.ts"
export { AnswerError } from "./engine/people/answerItem.ts"
export { runPlan } from "./engine/launch/runPlan.ts"
export type { RunPlanOptions } from "./engine/launch/runPlan.ts"
export { resumeRun } from "./engine/launch/resumeRun.ts"
export { forkRun } from "./engine/launch/forkRun.ts"
export type { Fork, ForkSet } from "./domain/run/Fork.ts"
export { replayRun } from "./engine/replay/replayRun.ts"
export { answerItem } from "./engine/people/answerItem.ts"
export type { EngineServices, RunOptions, ReplaySummary } from "./engine/Engine.ts"
export type { Attachment, PlanInputs } from "./engine/launch/planSpec.ts"
export { decodeContract } from "./engine/launch/planSpec.ts"
export { Hooks } from "./plan/hooks/Hooks.ts"
export type { EffectHooks, LostSlot, PlanFailure, PlanHooks, Slot } from "./plan/hooks/Hooks.ts"
export { inspectPlan, loadPlan } from "./plan/load/loadPlan.ts"

// What a run is
export { canonicalJson, NotCanonicalError } from "./domain/json/canonicalJson.ts"
export type { Json } from "./domain/json/canonicalJson.ts"
export { fingerprint } from "./domain/fingerprint.ts"
export { computeCacheKey } from "./domain/Call.ts"
export { RunId, runIdFor, RunSpec } from "./domain/run/RunSpec.ts"
export { RunEvent } from "./domain/run/RunEvent.ts"
export { exitCodeOf, RunStatus } from "./domain/run/RunStatus.ts"
export { RunSummary } from "./domain/run/RunSummary.ts"
export { Contract } from "./domain/Contract.ts"
export { Finding } from "./domain/Finding.ts"
export { err, isErr, isOk, mapResult, ok, tryCatch, tryCatchAsync } from "./domain/Result.ts"
export type { Result } from "./domain/Result.ts"

// The waist
export { runWithGuards } from "./adapters/guard/runWithGuards.ts"
export type { CallOptions } from "./adapters/guard/runWithGuards.ts"
export { makeRunner } from "./adapters/guard/runner.ts"
export type { Run } from "./adapters/guard/runner.ts"
export { ModelRunFailure, ModelRunInput, ModelRunResult, ModelRunSuccess } from "./domain/ModelRun.ts"
export { classifyHttpStatus, ErrorCode, makeError, ModelError, RETRYABLE_CODES } from "./domain/ModelError.ts"
export type { Adapter, AttemptSuccess } from "./adapters/Adapter.ts"
export { AdapterRegistry, RegistryError } from "./adapters/registry/AdapterRegistry.ts"
export type { Binding, Price } from "./adapters/registry/AdapterRegistry.ts"
export { Guards } from "./adapters/guard/Guards.ts"
export { layerConfigured } from "./adapters/registry/ConfiguredRegistry.ts"
export { Fixtures, parseFixtures } from "./adapters/registry/Fixtures.ts"
export { AlembicConfig, parseConfig } from "./adapters/registry/Config.ts"
export { layerAdapter } from "./adapters/registry/layerAdapter.ts"
export { layerOffline } from "./adapters/registry/offlineRegistry.ts"
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
export { ProofRunner } from "./mission/proofs/ProofRunner.ts"
export { layerWithMissions } from "./engine/subflows/layerWithMissions.ts"

// Ports and live layers
export { engineLayer, journalLayer, modelsOf as modelsLayer, versionsLayer } from "./app/engine.ts"
export { PlanBundler } from "./plan/bundler/PlanBundler.ts"
export { PlanVm } from "./plan/host/PlanVm.ts"
export { Prelude } from "./plan/prelude/Prelude.ts"
export { layerFs as layerPlanCache, PlanCache } from "./plan/prelude/PlanCache.ts"
export { layer as layerPlansNode, layerNoCache as layerPlansNoCache } from "./plan/plans.node.ts"
export { EngineVersions } from "./engine/EngineVersions.ts"
export { Journal } from "./journal/Journal.ts"
export { JournalError } from "./journal/JournalError.ts"
export { FsError, FsPort } from "./kernel/files/FsPort.ts"
export { layer as layerFsNode } from "./kernel/files/FsPort.node.ts"
export { HostIdentity } from "./kernel/HostIdentity.ts"
export { layer as layerHostIdentityNode } from "./kernel/HostIdentity.node.ts"
export { TraceContent } from "./engine/telemetry/RunTelemetry.ts"
export { Subflows } from "./engine/subflows/Subflows.ts"
export type { Subflow, SubflowContext, SubflowsByVerb } from "./engine/subflows/Subflow.ts"
export { IdFactory } from "./kernel/IdFactory.ts"
