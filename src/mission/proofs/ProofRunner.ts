// ProofRunner: runs proof commands, as a service. The live one is ProofRunner.node.ts; tests script it.
import { Context, Layer, type Effect } from "effect"
import type { Proof, ProofRun } from "../Mission.ts"

export class ProofRunner extends Context.Service<
  ProofRunner,
  {
    /** Runs a command to its end, or to its limit. It never fails: what goes wrong is in the result. */
    readonly run: (proof: Proof) => Effect.Effect<ProofRun>
  }
>()("alembic/mission/ProofRunner") {
  /** Results by a function, for tests. */
  static readonly layerScripted = (
    run: (proof: Proof) => Effect.Effect<ProofRun>
  ): Layer.Layer<ProofRunner> => Layer.succeed(ProofRunner, ProofRunner.of({ run }))
}
