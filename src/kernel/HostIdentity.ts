// HostIdentity: who this process is, and whether the process that left its name somewhere still lives. A pid alone
// names nobody for long, so that identity is pid, start of the process, boot of the machine, and host.
import { Context, Effect, Layer, Schema } from "effect"

export const ProcessIdentity = Schema.Struct({
  pid: Schema.Int,
  /** When the process started, in whatever form the platform tells; empty where it does not. */
  started: Schema.String,
  /** This boot of the machine; empty where the platform does not tell. */
  boot: Schema.String,
  host: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type

/** `elsewhere`: on another host, so that nothing can be known. */
export type Liveness = "alive" | "dead" | "elsewhere"

/**
 * A subprocess that a process of this host started. It is found by its mark, which no other process has in its
 * environment, and by its pid with its start, which tells it from a later process of that pid.
 */
export interface LeftProcess {
  /** As it stands in the environment: `NAME=value`. */
  readonly mark: string
  readonly started?: { readonly pid: number; readonly at: string }
}

/** What became of a subprocess that was left behind, in processes of its group or with its mark. */
export interface LeftEnd {
  readonly ended: number
  /** Those that no signal has ended. */
  readonly alive: ReadonlyArray<number>
}

export class HostIdentity extends Context.Service<
  HostIdentity,
  {
    readonly self: ProcessIdentity
    readonly liveness: (identity: ProcessIdentity) => Effect.Effect<Liveness>
    /** When the process started, as `ProcessIdentity` says it; undefined where there is no such process. */
    readonly startOf: (pid: number) => Effect.Effect<string | undefined>
    /** Ends what is left of a subprocess whose host has died, gently first, and waits until it is gone. */
    readonly endLeft: (left: LeftProcess) => Effect.Effect<LeftEnd>
  }
>()("alembic/kernel/HostIdentity") {
  /** A host where only the named processes live. */
  static readonly layerTest = (options: {
    readonly self: ProcessIdentity
    readonly others?: ReadonlyArray<ProcessIdentity>
    readonly endLeft?: (left: LeftProcess) => Effect.Effect<LeftEnd>
  }): Layer.Layer<HostIdentity> =>
    Layer.succeed(HostIdentity, {
      self: options.self,
      startOf: () => Effect.succeed("0"),
      endLeft: options.endLeft ?? (() => Effect.succeed({ ended: 0, alive: [] })),
      liveness: (identity) =>
        Effect.sync(() => {
          if (identity.host !== options.self.host) return "elsewhere"
          const same = (other: ProcessIdentity) =>
            other.pid === identity.pid && other.started === identity.started && other.boot === identity.boot
          return [options.self, ...(options.others ?? [])].some(same) ? "alive" : "dead"
        })
    })
}
