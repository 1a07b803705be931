// PlanVm: runs a bundled plan in a process of its own and drives it turn by turn. The port; the live layer, which
// starts and watches the process, is PlanVm.node.ts. What the plan's calls do is the engine's.
import { Context, type Effect, type Scope } from "effect"
import type { Limits } from "../inside/record.ts"
import type { PlanBundle } from "../bundler/PlanBundle.ts"
import type { PreludeBundle } from "../prelude/Prelude.ts"
import type { PlanDriver, PlanInput } from "./PlanProtocol.ts"

export type PlanLimits = Limits

/** Generous: they end what would never end, and no plan that does its work meets them. */
export const defaultLimits: PlanLimits = { pending: 10_000, calls: 100_000, notes: 100_000, list: 100_000 }

export const defaultTurnTimeoutMs = 10_000

export interface LaunchOptions {
  /** How long a plan may run without going quiet, in milliseconds of real time. Infinity: no limit. */
  readonly turnTimeoutMs?: number
  /** Heap of the plan's process, in MiB. Its whole memory is bounded by one and a half times as much, and 128. */
  readonly heapMb?: number
  readonly limits?: Partial<PlanLimits>
  /** Needed if the bundle has `imports`. */
  readonly prelude?: PreludeBundle
}

export class PlanVm extends Context.Service<
  PlanVm,
  {
    /** A process for the plan, which ends with the scope. Nothing of the plan runs before `driver.start`. */
    readonly launch: (
      bundle: PlanBundle,
      input: PlanInput,
      options?: LaunchOptions
    ) => Effect.Effect<PlanDriver, never, Scope.Scope>
    /** Starts a process ahead, for the next `launch`, while the plan is still being bundled. */
    readonly prestart: Effect.Effect<void, never, Scope.Scope>
  }
>()("alembic/plan/PlanVm") {}
