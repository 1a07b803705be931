// PlanError: why a plan did not load. The room's one error; its `code` says which kind, its message is for people.
import { Schema } from "effect"
import { Finding } from "../domain/Finding.ts"

export const PlanErrorCode = Schema.Literals([
  /** The file, or a file it imports, cannot be read or is not UTF-8. */
  "plan_unreadable",
  /** Not a program: a syntax error, an import that resolves to nothing, a `meta` that is not a pure literal. */
  "plan_unparsable",
  /** A module without a `run` export. */
  "no_run",
  /** Non-deterministic constructs; `findings` says which. */
  "non_deterministic"
])
export type PlanErrorCode = typeof PlanErrorCode.Type

/** `path` is the plan's path as the user gave it; `file`, where known, is relative to the plan's root. */
export class PlanError extends Schema.TaggedError<PlanError>()("PlanError", {
  code: PlanErrorCode,
  path: Schema.String,
  /** For `plan_unreadable` and `plan_unparsable`: what is wrong. */
  problem: Schema.optionalKey(Schema.String),
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  findings: Schema.Array(Finding),
  /** How many findings there are besides. */
  unlisted: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    switch (this.code) {
      case "plan_unreadable":
        return `plan module ${this.path} cannot be read: ${this.problem ?? "unknown reason"}`
      case "plan_unparsable":
        return `plan module ${this.path} does not parse: ${this.problem ?? "syntax error"}${this.place}`
      case "no_run":
        return `plan module ${this.path} must export a run(hooks) function`
      case "non_deterministic":
        return (
          nonDeterministicMessage(this.path, this.findings) +
          (this.unlisted === undefined ? "" : `\nand ${this.unlisted} more, which are not listed`)
        )
    }
  }

  private get place(): string {
    if (this.file === undefined) return ""
    return this.line === undefined ? ` (${this.file})` : ` (${this.file}:${this.line}:${this.column ?? 1})`
  }
}

/** `Non-deterministic construct detected: Date.now() (plan.ts:3:5)` */
export const findingMessage = (finding: Omit<Finding, "message" | "instead">): string =>
  `Non-deterministic construct detected: ${finding.construct} (${finding.file}:${finding.line}:${finding.column})`

/** The message of a refusal: the first finding on the first line, every further one on a line of its own. */
export const nonDeterministicMessage = (path: string, findings: ReadonlyArray<Finding>): string =>
  `plan module ${path} is non-deterministic: ${findings.map((finding) => finding.message).join("\n")}`
