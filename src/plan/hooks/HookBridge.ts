// HookBridge: what the hooks are built on, in the plan's context and in process alike. It only records what the
// plan does and hands answers back; the driver on its other side decides when.
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { PlanCall } from "../host/PlanProtocol.ts"

export interface HookBridge {
  /**
   * Issues a call and returns its number. `options` is checked and copied at once (plain data only, see
   * canonicalJson; throws NotCanonicalError otherwise). `settle` is called at most once, with the answer. `mark`:
   * where the author called the verb, if that was before the call is issued.
   */
  readonly call: (
    verb: PlanCall["verb"],
    options: unknown,
    phase: string | undefined,
    settle: (answer: Json) => void,
    mark?: unknown
  ) => number
  /** Where the plan is now, for `call`'s `mark`. An Effect is made in one place and run in another. */
  readonly mark?: () => unknown
  /** The plan gave up on the call; `settle` will not be called. */
  readonly cancel: (n: number) => void
  readonly phase: (title: string) => void
  readonly log: (message: string, data?: unknown) => void
  readonly slots: (slots: { readonly done: number; readonly of: number; readonly accepted: boolean }) => void
}
