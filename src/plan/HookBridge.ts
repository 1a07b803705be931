// HookBridge: what the hooks are built on, in the plan's context and in process alike. It only records what the
// plan does and hands answers back; the driver on its other side decides when.
import type { Json } from "../domain/canonicalJson.ts"
import type { PlanCall } from "./PlanProtocol.ts"

export interface HookBridge {
  /**
   * Issues a call and returns its number. `options` is checked and copied at once (plain data only, see
   * canonicalJson; throws NotCanonicalError otherwise). `settle` is called at most once, with the answer.
   */
  readonly call: (
    verb: PlanCall["verb"],
    options: unknown,
    phase: string | undefined,
    settle: (answer: Json) => void
  ) => number
  /** The plan gave up on the call; `settle` will not be called. */
  readonly cancel: (n: number) => void
  readonly phase: (title: string) => void
  readonly log: (message: string, data?: unknown) => void
  readonly slots: (slots: { readonly done: number; readonly of: number; readonly accepted: boolean }) => void
}
