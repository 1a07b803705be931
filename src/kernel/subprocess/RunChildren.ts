// RunChildren: where the subprocesses of a run are written down before they act, so that whoever takes over a run from
// a process that died finds them. A Reference: outside a run there is nobody who would take over, and nothing is
// written. The files are journal/store/children.ts's.
import { Context, Effect, Schema, type Scope } from "effect"
import { ProcessIdentity } from "../HostIdentity.ts"
import type { FsError } from "../files/FsPort.ts"

/** The variable that a registered subprocess and all that it starts carry in their environment. */
export const childVariable = "ALEMBIC_CHILD"

/**
 * A subprocess as the run's directory knows it. It is found by its mark, which no other process has in its
 * environment, and by its pid with its start, which tells it from a later process of that pid. Only `mark` is known
 * before it starts. A worker that may outlive its host (a later swarm's) will say so here.
 */
export const ChildRecord = Schema.Struct({
  mark: Schema.String,
  /** For messages: the first word of its command line. */
  program: Schema.String,
  /** The process that started it. */
  host: ProcessIdentity,
  started: Schema.optionalKey(Schema.Struct({ pid: Schema.Int, at: Schema.String }))
})
export type ChildRecord = typeof ChildRecord.Type

export interface Registration {
  /** What goes into its environment. */
  readonly environment: Readonly<Record<string, string>>
  /** It runs, as this process. */
  readonly started: (pid: number) => Effect.Effect<void>
}

export const RunChildren = Context.Reference<{
  /** Writes it down until the scope ends, which must be after the subprocess. */
  readonly register: (program: string) => Effect.Effect<Registration, FsError, Scope.Scope>
}>("alembic/kernel/RunChildren", {
  defaultValue: () => ({
    register: () => Effect.succeed({ environment: {}, started: () => Effect.void })
  })
})
