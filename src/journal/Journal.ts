// Journal: the runs under a base directory, as a service. Nothing outside this room knows that they are files.
import { Context, Effect, Layer, Stream, type Scope } from "effect"
import type { RunEvent } from "../domain/run/RunEvent.ts"
import type { RunId } from "../domain/run/RunSpec.ts"
import { FsPort } from "../kernel/files/FsPort.ts"
import { HostIdentity } from "../kernel/HostIdentity.ts"
import { exportRun, importRun, type Archived } from "./maintenance/archive.ts"
import { hasHead, headOf, type LogHead } from "./state/logHead.ts"
import { endChildrenOfOther } from "./store/children.ts"
import { followLog, type EventsOptions } from "./log/followLog.ts"
import { collect, planGc, type GcCandidate, type GcOptions, type GcOutcome } from "./maintenance/gc.ts"
import { leftImports, removeLeftImports, type LeftImport } from "./maintenance/importAside.ts"
import { leaveAnswer, type LeftAnswer } from "./store/inbox.ts"
import type { JournalError } from "./JournalError.ts"
import { listRuns, type RunListing } from "./maintenance/listRuns.ts"
import {
  createRun,
  describedRun,
  openRun,
  runExists,
  type DescribedRun,
  type OpenRunMode
} from "./openRun.ts"
import { remakeDerived, repairRun, type Repaired } from "./maintenance/repair.ts"
import { checkRunId, runPaths } from "./store/RunDirectory.ts"
import { lockHolder } from "./store/RunLock.ts"
import type { RunJournal } from "./RunJournal.ts"
import type { NewRun } from "./store/RunMeta.ts"
import { verifyRun, type VerifyReport } from "./maintenance/verify.ts"

export class Journal extends Context.Service<
  Journal,
  {
    /** Where runs are kept. */
    readonly baseDir: string
    /** A run id out of what a person gave, or `bad_id`. */
    readonly runId: (text: string) => Effect.Effect<RunId, JournalError>
    /** Makes a run (see `describeRun`) and holds its lock until the scope ends. `run_exists` if it is there. */
    readonly create: (run: NewRun) => Effect.Effect<RunJournal, JournalError, Scope.Scope>
    /**
     * Opens a run: `write` holds its lock until the scope ends and cuts off a torn tail; `read` writes nothing.
     * `run_missing` if there is none. `onEvent` sees every event that is there, in order.
     */
    readonly open: (
      runId: RunId,
      mode: OpenRunMode,
      onEvent?: (event: RunEvent) => void
    ) => Effect.Effect<RunJournal, JournalError, Scope.Scope>
    /** The events in a run's log, also those that are appended meanwhile. `run_missing` if there is none. */
    readonly events: (runId: RunId, options?: EventsOptions) => Stream.Stream<RunEvent, JournalError>
    readonly exists: (runId: RunId) => Effect.Effect<boolean, JournalError>
    /** What a run's directory says the run is, and its blobs. The log is not looked at. */
    readonly describe: (runId: RunId) => Effect.Effect<DescribedRun, JournalError>
    /** Leaves an answer for whoever holds the run, durably; false if one to the item was left before. */
    readonly leaveAnswer: (runId: RunId, left: LeftAnswer) => Effect.Effect<boolean, JournalError>
    /**
     * Ends what processes of the run that died have left running, and says what. `run_locked` while a subprocess of one
     * that lives is at work. Nothing else is written.
     */
    readonly endLeftChildren: (runId: RunId) => Effect.Effect<ReadonlyArray<string>, JournalError>
    /** The directory of a run, whether it is there or not. */
    readonly directory: (runId: RunId) => string
    /** Where the run's log ends, as its last process left it; undefined where that was not written down. */
    readonly head: (runId: RunId) => Effect.Effect<LogHead | undefined, JournalError>
    /** Whether the run's log still has that head. False: it was rewritten since. */
    readonly hasHead: (runId: RunId, head: LogHead) => Effect.Effect<boolean, JournalError>
    /** Whether a process works on the run: who holds its lock. */
    readonly isAtWork: (runId: RunId) => Effect.Effect<boolean, JournalError>
    /** All runs, by id. A damaged one is listed as such. */
    readonly list: Effect.Effect<ReadonlyArray<RunListing>, JournalError>
    /** Everything that is wrong with a run. Writes nothing. */
    readonly verify: (runId: RunId) => Effect.Effect<VerifyReport, JournalError>
    /** Gives up what follows a line of the log, and keeps a copy. */
    readonly repair: (
      runId: RunId,
      options: { readonly truncateAt: number; readonly evenSound?: boolean }
    ) => Effect.Effect<Repaired, JournalError>
    /** Makes the files that are derived from a sound log again; answers those that were missing or wrong. */
    readonly remakeDerived: (runId: RunId) => Effect.Effect<ReadonlyArray<string>, JournalError>
    /** Writes a sound run to one file, the same bytes wherever it is done. */
    readonly export: (runId: RunId, path: string) => Effect.Effect<Archived, JournalError>
    /** Takes in an exported run, if it verifies. */
    readonly import: (path: string) => Effect.Effect<Archived, JournalError>
    /** What `collect` would remove; never a run in use. */
    readonly planGc: (options: GcOptions) => Effect.Effect<ReadonlyArray<GcCandidate>, JournalError>
    readonly collect: (plan: ReadonlyArray<GcCandidate>) => Effect.Effect<GcOutcome, JournalError>
    /** What imports that died have left beside the runs. */
    readonly leftImports: Effect.Effect<ReadonlyArray<LeftImport>, JournalError>
    /** Removes it; answers what was removed. */
    readonly removeLeftImports: (
      left: ReadonlyArray<LeftImport>
    ) => Effect.Effect<ReadonlyArray<LeftImport>, JournalError>
  }
>()("alembic/journal/Journal") {
  static readonly layer = (options: {
    readonly baseDir: string
  }): Layer.Layer<Journal, never, FsPort | HostIdentity> =>
    Layer.effect(
      Journal,
      Effect.gen(function* () {
        const { baseDir } = options
        // Only these: the layer's own scope in it would keep every lock until the program ends.
        const context = Context.pick(FsPort, HostIdentity)(yield* Effect.context<FsPort | HostIdentity>())
        return Journal.of({
          baseDir,
          runId: (text) => Effect.fromResult(checkRunId(text)),
          create: Effect.fn("Journal.create")(
            (run: NewRun) => createRun(baseDir, run),
            Effect.provideContext(context)
          ),
          open: Effect.fn("Journal.open")(
            (runId: RunId, mode: OpenRunMode, onEvent?: (event: RunEvent) => void) =>
              openRun(baseDir, runId, mode, onEvent),
            Effect.provideContext(context)
          ),
          events: (runId, options = {}) =>
            Stream.provideContext(
              followLog(baseDir, runId, options, Effect.provideContext(listRuns(baseDir), context)),
              context
            ),
          exists: (runId) => Effect.provideContext(runExists(baseDir, runId), context),
          describe: (runId) => Effect.provideContext(describedRun(baseDir, runId), context),
          leaveAnswer: (runId, left) =>
            Effect.provideContext(leaveAnswer(runPaths(baseDir, runId), left), context),
          endLeftChildren: (runId) => Effect.provideContext(endChildrenOfOther(baseDir, runId), context),
          directory: (runId) => runPaths(baseDir, runId).dir,
          head: (runId) => Effect.provideContext(headOf(baseDir, runId), context),
          hasHead: (runId, head) => Effect.provideContext(hasHead(baseDir, runId, head), context),
          isAtWork: (runId) =>
            lockHolder(runPaths(baseDir, runId).lock).pipe(
              Effect.map((holder) => holder !== undefined),
              Effect.provideContext(context)
            ),
          list: Effect.provideContext(listRuns(baseDir), context),
          verify: (runId) => Effect.provideContext(verifyRun(baseDir, runId), context),
          repair: (runId, options) => Effect.provideContext(repairRun(baseDir, runId, options), context),
          remakeDerived: (runId) => Effect.provideContext(remakeDerived(baseDir, runId), context),
          export: (runId, path) => Effect.provideContext(exportRun(baseDir, runId, path), context),
          import: (path) => Effect.provideContext(importRun(baseDir, path), context),
          planGc: (options) => Effect.provideContext(planGc(baseDir, options), context),
          collect: (plan) => Effect.provideContext(collect(baseDir, plan), context),
          leftImports: Effect.provideContext(leftImports(baseDir), context),
          removeLeftImports: (left) => Effect.provideContext(removeLeftImports(left), context)
        })
      })
    )
}
