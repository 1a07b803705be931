// ProofRunner: runs proof commands, as a service. The live one is ProofRunner.node.ts; tests script it.
import { Context, Layer, type Effect } from "effect"
import type { Proof, ProofResult } from "./Mission.ts"

export class ProofRunner extends Context.Service<
  ProofRunner,
  {
    /** Runs a command to its end, or to its limit. It never fails: what goes wrong is in the result. */
    readonly run: (proof: Proof) => Effect.Effect<ProofResult>
  }
>()("alembic/mission/ProofRunner") {
  /** Results by a function, for tests. */
  static readonly layerScripted = (
    run: (proof: Proof) => Effect.Effect<ProofResult>
  ): Layer.Layer<ProofRunner> => Layer.succeed(ProofRunner, ProofRunner.of({ run }))
}
