// The subprocesses of a run, as files of its directory: each is written down before it starts and removed after its end.
// What is still there when the run's lock was taken belongs to a process that died, and may still act: it is ended
// before anything else is done with the run, so that nothing ever runs beside a second one of its kind.
import { Effect, Option, Schema, type Scope } from "effect"
import { defined } from "../../domain/defined.ts"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { FsPort, type FsError } from "../../kernel/files/FsPort.ts"
import { HostIdentity } from "../../kernel/HostIdentity.ts"
import {
  ChildRecord,
  childVariable,
  type Registration,
  type RunChildren
} from "../../kernel/subprocess/RunChildren.ts"
import { fromFsError, JournalError } from "../JournalError.ts"
import { refuseLinks, runPaths, type RunPaths } from "./RunDirectory.ts"
import { acquireLock } from "./RunLock.ts"

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(ChildRecord))
const bytesOf = (record: ChildRecord) => new TextEncoder().encode(canonicalJsonOf(record))

/** Where the subprocesses of an opened run are written down. */
export const makeRunChildren = Effect.fnUntraced(function* (
  paths: RunPaths,
  runId: RunId
): Effect.fn.Return<(typeof RunChildren)["Service"], never, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const { self, startOf } = yield* HostIdentity
  let count = 0

  const register = Effect.fnUntraced(function* (
    program: string
  ): Effect.fn.Return<Registration, FsError, Scope.Scope> {
    // Of this process alone: no other one has its pid and its start.
    const mark = `${runId}-${self.pid}-${self.started.replaceAll(/[^A-Za-z0-9]+/g, ".")}-${++count}`
    const path = `${paths.children}/${mark}.json`
    const record: ChildRecord = { mark, program: program.toWellFormed(), host: self }
    yield* fs.makeDirectory(paths.children)
    yield* Effect.acquireRelease(fs.replace(path, bytesOf(record)), () => Effect.ignore(fs.remove(path)))
    return {
      environment: { [childVariable]: mark },
      // Its mark finds it as long as it keeps its environment: this finds it also when it does not.
      started: (pid) =>
        Effect.flatMap(startOf(pid), (at) =>
          at === undefined
            ? Effect.void
            : Effect.ignore(fs.replace(path, bytesOf({ ...record, started: { pid, at } })))
        )
    }
  })
  return { register }
})

const stillRuns = (path: string, { program }: ChildRecord, pids: ReadonlyArray<number>) =>
  new JournalError({
    code: "run_locked",
    path,
    problem: `${JSON.stringify(program)}, which the run had started, does not end (process ${pids.join(", ")})`,
    cure: `end it (kill -9 ${pids.join(" ")}), then try again`
  })

/** Ends what processes that died have left running for the run. Under the run's lock. What was ended, in words. */
export const endLeftChildren = Effect.fnUntraced(function* (
  paths: RunPaths
): Effect.fn.Return<ReadonlyArray<string>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const host = yield* HostIdentity
  const said: Array<string> = []
  const names = yield* Effect.orElseSucceed(fs.list(paths.children), (): ReadonlyArray<string> => [])
  for (const name of names) {
    const path = `${paths.children}/${name}`
    const bytes = yield* Effect.mapError(fs.readFile(path), fromFsError)
    const record = Option.getOrUndefined(decodeRecord(new TextDecoder().decode(bytes)))
    // On another host nobody can look; after another boot nothing of it is left.
    if (record?.host.host === host.self.host && record.host.boot === host.self.boot) {
      const { mark, program, started } = record
      const { alive, ended } = yield* host.endLeft({
        mark: `${childVariable}=${mark}`,
        ...defined({ started })
      })
      if (alive.length > 0) return yield* stillRuns(path, record, alive)
      if (ended > 0)
        said.push(`${JSON.stringify(program)} was left running by the process that died; it was ended`)
    }
    yield* Effect.mapError(fs.remove(path), fromFsError)
  }
  return said
})

/**
 * The same for a run that is not gone on with. Its lock is held meanwhile, and taken only where something is written
 * down: `run_locked` says that a living process of it has a subprocess at work.
 */
export const endChildrenOfOther = Effect.fnUntraced(function* (
  baseDir: string,
  runId: RunId
): Effect.fn.Return<ReadonlyArray<string>, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const paths = runPaths(baseDir, runId)
  yield* refuseLinks(baseDir, paths)
  const names = yield* Effect.orElseSucceed(fs.list(paths.children), (): ReadonlyArray<string> => [])
  if (names.length === 0) return []
  return yield* Effect.scoped(Effect.andThen(acquireLock(paths.lock), endLeftChildren(paths)))
})
