// messages: what host and child say to each other, one JSON text a line. The host checks what the child says by
// Schema (PlanVm.node.ts); the child believes its host, which made it.
import type { Limits } from "../inside/record.ts"

export interface NestedScript {
  readonly name: string
  readonly entry: string
  readonly code: string
}

export type FromHost =
  | {
      readonly t: "start"
      readonly kind: "module" | "workflow"
      readonly entry: string
      readonly code: string
      /** Modules of the prelude that the code reads. */
      readonly imports: ReadonlyArray<string>
      /** Where npm packages stand in `code`, as JSON text. */
      readonly packages: string
      /** PlanInput as JSON text. */
      readonly input: string
      readonly nested: ReadonlyArray<NestedScript>
      /** `compiled`: the file that keeps V8's compiled form of it, made here if it is missing or of another build. */
      readonly prelude?: { readonly code: string; readonly compiled?: string }
      readonly limits: Limits
    }
  | { readonly t: "deliver"; readonly answers: ReadonlyArray<readonly [n: number, json: string]> }
