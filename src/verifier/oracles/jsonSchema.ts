// json_schema: the document, or a place in it, satisfies a JSON Schema (draft 2020-12; `format` is asserted). Within
// a budget of steps; a schema that holds what is not decided (an unknown keyword or format, a pattern without a linear
// answer) leaves the claim unproven.
import { Result, Schema } from "effect"
import { schemaProblems } from "../../schema/schemaProblems.ts"
import { Validator } from "../../schema/validator.ts"
import { underDoubt } from "../evidence/reading.ts"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { documentDoubt, valueAt } from "../select.ts"

const Args = Schema.Struct({
  schema: Schema.Union([Schema.Record(Schema.String, Schema.Json), Schema.Boolean]),
  pointer: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"]))
})

export const jsonSchema = oracle("json_schema", Args, ({ pointer, schema, stream }, { evidence }) =>
  Result.gen(function* () {
    const [problem] = schemaProblems(schema, { strict: true })
    if (problem !== undefined) return unproven("schema_unsupported", `${problem.path}: ${problem.problem}`)
    const value = yield* valueAt(evidence, pointer ?? "", stream)
    if (value === undefined) return unproven("pointer_missing", "the document has no such place")
    const issues = yield* Result.mapError(new Validator(schema).issuesOf(value), ({ message }) =>
      unproven("too_complex", message)
    )
    // The last complaint is the deepest of its kind.
    const deepest = issues.at(-1)
    const outcome: Outcome =
      deepest === undefined
        ? proven
        : refuted("invalid", deepest.problem, { at: deepest.at, keyword: deepest.keyword })
    return underDoubt(outcome, documentDoubt(evidence, stream), "none")
  })
)
