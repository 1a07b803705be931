// Effect Schemas as the schema of a structured answer, for callers who use Effect: the JSON Schema that the model is
// asked for, and the Schema's own word on what came back, so that a refinement that JSON Schema cannot say is repaired
// like anything else.
import { Effect, Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { JsonSchemaDocument, ModelRunResult } from "../../domain/ModelRun.ts"
import { issuesOf as refusedBy, pathText } from "../../domain/schemaIssues.ts"
import type { Binding } from "../registry/AdapterRegistry.ts"
import type { Guards } from "../guard/Guards.ts"
import { type BoundOptions, runBound } from "../guard/runBound.ts"
import type { AnswerIssue } from "./structuredOutput.ts"

const decodeDocument = Schema.decodeUnknownResult(Schema.Record(Schema.String, Schema.Json))

/** The JSON Schema (2020-12) of what a Schema encodes to; `invalid_input` where it has none. */
export const jsonSchemaOf = <S extends Schema.Constraint>(
  schema: S
): Result.Result<JsonSchemaDocument, ModelError> => {
  const cannot = () =>
    makeError("invalid_input", "the Schema has no JSON Schema that a model could be asked for")
  return Result.try({
    try: () => Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }),
    catch: cannot
  }).pipe(
    Result.flatMap(({ definitions, schema: root }) =>
      Result.mapError(
        decodeDocument(Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }),
        cannot
      )
    )
  )
}

/** As many as a model is shown of its own answer. */
const maxIssues = 10

/** What the Schema itself says about a JSON value. */
export const issuesOf = <A, I>(schema: Schema.Codec<A, I>): ((value: Json) => ReadonlyArray<AnswerIssue>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value) =>
    Result.match(decode(value, { errors: "all" }), {
      onSuccess: () => [],
      onFailure: (error) =>
        refusedBy(error)
          .slice(0, maxIssues)
          .map(({ message, path }) => ({ path: pathText(path), problem: message }))
    })
}

/** A result whose structured answer is also decoded. `decoded` is there exactly when `result.ok`. */
export interface DecodedResult<A> {
  readonly result: ModelRunResult
  readonly decoded: A | undefined
}

/**
 * `runBound` with an Effect Schema: asks for it, repairs what does not decode, and decodes the answer. Never fails;
 * `result.output` stays the JSON that came, which is what is journaled.
 */
export const runDecoded = Effect.fnUntraced(function* <A, I>(
  chain: ReadonlyArray<Binding>,
  input: { readonly prompt: string },
  schema: Schema.Codec<A, I>,
  options: BoundOptions = {}
): Effect.fn.Return<DecodedResult<A>, never, Guards> {
  const document = jsonSchemaOf(schema)
  // A schema that is no schema is told by the waist, as for everybody else.
  const asked = Result.isSuccess(document) ? document.success : { not: {} }
  const result = yield* runBound(
    chain,
    { model: "", ...input, schema: asked },
    { ...options, check: issuesOf(schema) }
  )
  const decoded = result.ok ? Schema.decodeUnknownResult(schema)(result.output) : undefined
  return { result, decoded: decoded === undefined ? undefined : Result.getOrUndefined(decoded) }
})
