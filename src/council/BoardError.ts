// BoardError: why a board does not load. All problems at once, each with a code, the path in the file, and where the
// file is text, its line and column.
import { Schema } from "effect"

export const BoardCode = Schema.Literals([
  "unparsable",
  "bad_shape",
  "duplicate_member",
  "too_few_members",
  "too_many_members",
  "no_contrarian",
  "many_contrarians",
  "contrarian_not_last",
  "contrarian_not_alone",
  "unknown_phase",
  "duplicate_phase",
  "no_opening",
  "no_ballot",
  "ballot_not_last",
  "unknown_member",
  "empty_phase",
  "unknown_model",
  "bad_weights",
  "bad_thresholds",
  "duplicate_axis",
  "over_budget"
])
export type BoardCode = typeof BoardCode.Type

/** One problem. `path`: `$.members[2].model`. Lines and columns count from 1. */
export const BoardProblem = Schema.Struct({
  code: BoardCode,
  path: Schema.String,
  message: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
})
export type BoardProblem = typeof BoardProblem.Type

export class BoardError extends Schema.TaggedError<BoardError>()("BoardError", {
  problems: Schema.NonEmptyArray(BoardProblem)
}) {
  /** The code of the first problem. */
  get code(): BoardCode {
    return this.problems[0].code
  }
  override get message() {
    return this.problems
      .map(({ code, column, line, message, path }) =>
        line === undefined
          ? `${code} at ${path}: ${message}`
          : `${code} at ${path} (${line}:${column}): ${message}`
      )
      .join("\n")
  }
}
