// MissionError: why a mission does not load. All problems at once, each with a code and its path in the spec.
import { Schema } from "effect"

export const MissionCode = Schema.Literals([
  "bad_shape",
  "no_units",
  "duplicate_unit",
  "reserved_id",
  "unknown_dependency",
  "dependency_cycle",
  "unknown_assertion",
  "unclaimed_assertion",
  "assertion_claimed_twice",
  "duplicate_assertion",
  "unknown_oracle",
  "bad_command",
  "command_not_allowed",
  "nothing_proven",
  "unknown_milestone_unit",
  "duplicate_milestone"
])
export type MissionCode = typeof MissionCode.Type

/** `path`: `$.units[2].dependsOn[0]` in the mission, `contract.assertions[1]` in the contract. */
export const MissionProblem = Schema.Struct({
  code: MissionCode,
  path: Schema.String,
  message: Schema.String
})
export type MissionProblem = typeof MissionProblem.Type

export class MissionError extends Schema.TaggedError<MissionError>()("MissionError", {
  problems: Schema.NonEmptyArray(MissionProblem)
}) {
  /** The code of the first problem. */
  get code(): MissionCode {
    return this.problems[0].code
  }
  override get message() {
    return this.problems.map(({ code, message, path }) => `${code} at ${path}: ${message}`).join("\n")
  }
}
