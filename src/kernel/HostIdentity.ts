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

export class HostIdentity extends Context.Service<
  HostIdentity,
  {
    readonly self: ProcessIdentity
    readonly liveness: (identity: ProcessIdentity) => Effect.Effect<Liveness>
  }
>()("alembic/kernel/HostIdentity") {
  /** A host where only the named processes live. */
  static readonly layerTest = (options: {
    readonly self: ProcessIdentity
    readonly others?: ReadonlyArray<ProcessIdentity>
  }): Layer.Layer<HostIdentity> =>
    Layer.succeed(HostIdentity, {
      self: options.self,
      liveness: (identity) =>
        Effect.sync(() => {
          if (identity.host !== options.self.host) return "elsewhere"
          const same = (other: ProcessIdentity) =>
            other.pid === identity.pid && other.started === identity.started && other.boot === identity.boot
          return [options.self, ...(options.others ?? [])].some(same) ? "alive" : "dead"
        })
    })
}
