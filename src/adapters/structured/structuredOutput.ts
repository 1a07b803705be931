// Structured output: from a JSON Schema and what a model said to a decoded value, or to what is wrong with it in
// words that the model can act on. Pure. How often a wrong answer is repaired is runBound's.
import { Result } from "effect"
import { canonicalJson, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"
import { makeError, type ModelError } from "../../domain/ModelError.ts"
import type { JsonSchemaDocument, ModelRunInput } from "../../domain/ModelRun.ts"
import type { AttemptSuccess } from "../Adapter.ts"
import { candidatesIn } from "./jsonInText.ts"
import { schemaProblems } from "../../schema/schemaProblems.ts"
import { Validator } from "../../schema/validator.ts"
import { maxShownAnswerBytes, maxShownIssuesBytes, utf8Bytes } from "../Pricing.ts"

/** One thing that is wrong with an answer. `path` as in `$.a[3].b`. */
export interface AnswerIssue {
  readonly path: string
  readonly problem: string
}

export interface WrongAnswer {
  readonly message: string
  readonly issues: ReadonlyArray<AnswerIssue>
  /** The answer, its middle left out where it is long, where it is whole and holds no JSON at all. */
  readonly prose?: string
}

export interface StructuredSchema {
  readonly document: JsonSchemaDocument
  readonly issuesOf: (value: Json) => ReadonlyArray<AnswerIssue>
}

const maxIssues = 10

/** `#/a/3` as `$.a[3]`. */
const pathOf = (pointer: string): string =>
  pointer
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), "$")

/** The schema ready for use; refused when it is no JSON Schema or when nothing can ever satisfy it. */
export const compileSchema = (document: JsonSchemaDocument): Result.Result<StructuredSchema, ModelError> => {
  const problems = schemaProblems(document)
  const refuse = (issues: ReadonlyArray<AnswerIssue>) =>
    Result.fail(
      makeError(
        "invalid_input",
        `the schema cannot be used: ${issues.map(({ path, problem }) => `${path} ${problem}`).join("; ")}`,
        { detail: { issues: issues.map(({ path, problem }) => ({ path, problem })) } }
      )
    )
  if (problems.length > 0) return refuse(problems)
  const validator = new Validator(document)
  const issuesOf = (value: Json): ReadonlyArray<AnswerIssue> => {
    const canonical = canonicalJson(value, { maxDepth: maxValueDepth })
    if (Result.isFailure(canonical))
      return [{ path: canonical.failure.path, problem: canonical.failure.problem }]
    const checked = validator.issuesOf(value)
    if (Result.isFailure(checked))
      return [{ path: "$", problem: `could not be checked: ${checked.failure.message}` }]
    // The deepest complaints say what is wrong; those of the keywords around them only say that something is.
    const errors = checked.success
    const leaves = errors.filter(
      (one) =>
        !errors.some(
          (other) =>
            other !== one &&
            (other.by.startsWith(`${one.by}/`) ||
              (other.at.startsWith(`${one.at}/`) &&
                (one.keyword === "properties" || one.keyword === "items" || one.keyword === "prefixItems")))
        )
    )
    return (leaves.length === 0 ? errors : leaves)
      .slice(0, maxIssues)
      .map(({ at, problem }) => ({ path: pathOf(at), problem: problem.toWellFormed() }))
  }
  return Result.succeed({ document, issuesOf })
}

const describeIssues = (issues: ReadonlyArray<AnswerIssue>): string =>
  issues.map(({ path, problem }) => `${path}: ${problem}`).join("\n")

type Check = (value: Json) => ReadonlyArray<AnswerIssue>

/** The schema's issues, else those of the caller's check; a check that throws is an issue too. */
const judge = (schema: StructuredSchema, check: Check, value: Json): ReadonlyArray<AnswerIssue> => {
  const issues = schema.issuesOf(value)
  if (issues.length > 0) return issues
  return Result.getOrElse(
    Result.try(() => check(value)),
    () => [{ path: "$", problem: "could not be checked" }]
  )
}

/** At most `bytes` of UTF-8, the middle left out. */
const cutMiddle = (text: string, bytes: number): string => {
  if (utf8Bytes(text) <= bytes) return text
  const marker = "\n[…]\n"
  // Three bytes is the most a UTF-16 code unit can take.
  const half = Math.floor((bytes - utf8Bytes(marker)) / 6)
  return `${text.slice(0, half).toWellFormed()}${marker}${text.slice(-half).toWellFormed()}`
}

/** The decoded answer, from the provider's native output or from its text. */
export const readAnswer = (
  schema: StructuredSchema,
  answer: AttemptSuccess,
  check: Check = () => []
): Result.Result<Json, WrongAnswer> => {
  const candidates = answer.output === undefined ? candidatesIn(answer.text) : Result.succeed([answer.output])
  if (Result.isFailure(candidates))
    return Result.fail({
      message: candidates.failure,
      issues: [{ path: "$", problem: candidates.failure }]
    })
  const judged = candidates.success.map((value) => ({ value, issues: judge(schema, check, value) }))
  const fitting = judged.filter(({ issues }) => issues.length === 0)
  const [first, second] = fitting
  if (first !== undefined && second === undefined) return Result.succeed(first.value)
  if (first !== undefined) {
    const problem = `the answer holds ${fitting.length} different JSON values that fit the schema; exactly one is wanted`
    return Result.fail({ message: problem, issues: [{ path: "$", problem }] })
  }
  const cut = answer.finishReason === "length" ? "the answer was cut at the output limit; " : ""
  const [closest] = judged
  if (closest === undefined) {
    const problem = `${cut}the answer holds no JSON value`
    return Result.fail({
      message: problem,
      issues: [{ path: "$", problem }],
      ...(cut === "" && answer.text !== "" ? { prose: cutMiddle(answer.text, maxShownAnswerBytes) } : {})
    })
  }
  const { issues } = closest
  return Result.fail({
    message: `${cut}the answer does not fit the schema: ${describeIssues(issues).replaceAll("\n", "; ")}`,
    issues
  })
}

/**
 * The call that has a wrong answer repaired: the same question, the model's own answer and the exact issues. It is
 * another request than the first, so that it has an idempotency key of its own.
 */
export const repairInput = (
  input: ModelRunInput,
  answer: string,
  wrong: WrongAnswer,
  repair: number
): ModelRunInput => ({
  ...input,
  prompt: `${input.prompt}

You answered before:
<answer>
${cutMiddle(answer, maxShownAnswerBytes)}
</answer>
That answer does not fit the JSON Schema that was asked for:
${cutMiddle(describeIssues(wrong.issues), maxShownIssuesBytes)}
Answer again. Give one JSON value that fits the schema, and nothing else.`,
  ...(input.idempotencyKey === undefined
    ? {}
    : { idempotencyKey: `${input.idempotencyKey}-repair-${repair}` })
})
