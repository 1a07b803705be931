// What members answer: statements while they speak, votes in the ballot. The JSON Schemas they are asked for, and
// the reading of what came back. An answer is data: it is decoded, or it is a failure with a reason. It never counts
// twice, and nothing in it can address the count.
import { Result, Schema } from "effect"
import { candidatesIn } from "../adapters/structured/jsonInText.ts"
import type { Json } from "../domain/json/canonicalJson.ts"
import type { JsonSchemaDocument, ModelRunSuccess } from "../domain/ModelRun.ts"
import { defined } from "../domain/defined.ts"
import type { Asking } from "./asking/askingBy.ts"
import type { Axis } from "./Board.ts"
import { isSeen } from "./dissent/answers.ts"
import type { Pack } from "./Pack.ts"
import { Decision } from "./scoring.ts"

/** How many claims are asked for; more are taken too. */
const maxClaims = 20
/** A statement with more objections or claims is none: it is named as unreadable, and nothing of it is cut. */
const maxTaken = 1000

/** Who says nothing that can be seen has not spoken. */
const notBlank = Schema.String.pipe(
  Schema.check(Schema.makeFilter<string>((text) => (isSeen(text) ? undefined : "nothing in it can be seen")))
)

/** A claim as a member makes it; `args` is JSON text. Its id is given by the debate. */
export const StatedClaim = Schema.Struct({
  statement: Schema.String,
  oracle: Schema.String,
  args: Schema.String,
  evidence: Schema.String
})

export const Statement = Schema.Struct({
  position: notBlank,
  stance: Decision,
  objections: Schema.optionalKey(
    Schema.Array(Schema.String).pipe(Schema.check(Schema.isMaxLength(maxTaken)))
  ),
  claims: Schema.optionalKey(Schema.Array(StatedClaim).pipe(Schema.check(Schema.isMaxLength(maxTaken))))
})
export type Statement = typeof Statement.Type

export const ObjectionAnswer = Schema.Struct({
  objection: Schema.String,
  answer: Schema.String,
  /** The objection stands, in this voter's eyes. */
  stands: Schema.optionalKey(Schema.Boolean)
})
export type ObjectionAnswer = typeof ObjectionAnswer.Type

const Score = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 10 })))

export const Vote = Schema.Struct({
  abstain: Schema.optionalKey(Schema.Boolean),
  reason: Schema.String,
  scores: Schema.optionalKey(Schema.Record(Schema.String, Score)),
  answers: Schema.optionalKey(Schema.Array(ObjectionAnswer)),
  ranking: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Vote = typeof Vote.Type

/** Why an answer could not be read. */
export interface Unreadable {
  readonly reason: "off_format" | "voted_twice"
  readonly message: string
}

const text = (description: string) => ({ type: "string", description })

/** A strict object of JSON Schema: every member required, no other allowed, as providers want it. */
const object = (properties: { readonly [key: string]: Json }): JsonSchemaDocument => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false
})

export const statementSchema = (
  pack: Pack,
  { maxObjections }: Pick<Asking, "maxObjections">
): JsonSchemaDocument =>
  object({
    position: text("what you hold, and why, in your own words"),
    stance: { type: "string", enum: ["GO", "PIVOT", "NO_GO"] },
    objections: {
      type: "array",
      items: text("one objection that must be answered"),
      ...defined({ maxItems: maxObjections })
    },
    ...(pack.evidence === undefined
      ? {}
      : {
          claims: {
            type: "array",
            maxItems: maxClaims,
            items: object({
              statement: text("one atomic claim"),
              oracle: text("the oracle that decides it"),
              args: text("the oracle's arguments, as JSON text"),
              evidence: text("the id of the evidence")
            })
          }
        })
  })

export const voteSchema = (
  axes: ReadonlyArray<Axis>,
  objections: ReadonlyArray<string>,
  pack: Pack
): JsonSchemaDocument =>
  object({
    abstain: { type: "boolean", description: "true: you do not vote, and say why" },
    reason: text("why you vote like this"),
    scores: object(
      Object.fromEntries(
        axes.map(({ description, id }) => [
          id,
          { type: "integer", minimum: 0, maximum: 10, description: description ?? id }
        ])
      )
    ),
    answers: {
      type: "array",
      items: object({
        objection: objections.length === 0 ? text("its id") : { type: "string", enum: objections },
        answer: text("your answer to this objection"),
        stands: { type: "boolean", description: "true: the objection stands" }
      })
    },
    ...(pack.options === undefined
      ? {}
      : { ranking: { type: "array", items: { type: "string", enum: pack.options.map(({ id }) => id) } } })
  })

/** The values an answer may mean. A text with two readings has none, whatever an adapter took it for. */
const candidates = (result: ModelRunSuccess): Result.Result<ReadonlyArray<Json>, string> =>
  Result.map(candidatesIn(result.text), (values) => (result.output === undefined ? values : [result.output]))

const decodeStatement = Schema.decodeUnknownResult(Statement)
const decodeVote = Schema.decodeUnknownResult(Vote)

const one = <A>(
  result: ModelRunSuccess,
  decode: (value: Json) => Result.Result<A, string>
): Result.Result<A, Unreadable> => {
  const values = candidates(result)
  if (Result.isFailure(values)) return Result.fail({ reason: "off_format", message: values.failure })
  const found = values.success
  const spread = found.flatMap((value) => (Array.isArray(value) ? value : [value]))
  const read = spread.map(decode)
  const good = read.filter(Result.isSuccess)
  const first = good[0]
  if (good.length > 1) {
    return Result.fail({
      reason: "voted_twice",
      message: `${good.length} answers in one: none of them counts`
    })
  }
  // A list is not what was asked for, even a list of one; a text with one good answer among other things is.
  if (first !== undefined && !Array.isArray(found[0])) return Result.succeed(first.success)
  const failed = read.find(Result.isFailure)
  return Result.fail({
    reason: "off_format",
    message: failed?.failure ?? "no answer in the form that was asked for"
  })
}

export const readStatement = (result: ModelRunSuccess): Result.Result<Statement, Unreadable> =>
  one(result, (value) => Result.mapError(decodeStatement(value), (error) => error.message))

/** A vote that can be counted: every axis scored and no other, options ranked once each, or an abstention. */
const complete = (vote: Vote, axes: ReadonlyArray<Axis>, pack: Pack): Result.Result<Vote, string> => {
  if (vote.abstain === true) return Result.succeed(vote)
  const known = new Set(axes.map(({ id }) => id))
  const scores = vote.scores ?? {}
  const missing = axes.filter(({ id }) => !Object.hasOwn(scores, id)).map(({ id }) => id)
  const extra = Object.keys(scores).filter((id) => !known.has(id))
  if (missing.length > 0) return Result.fail(`no score for ${missing.join(", ")}`)
  if (extra.length > 0) return Result.fail(`scores for axes that are not there: ${extra.join(", ")}`)
  const ranking = vote.ranking ?? []
  const options = new Set(pack.options?.map(({ id }) => id))
  if (new Set(ranking).size !== ranking.length) return Result.fail("an option is ranked twice")
  if (pack.options !== undefined && !ranking.every((id) => options.has(id))) {
    return Result.fail("an option is ranked that is not there")
  }
  return Result.succeed(vote)
}

export const readVote = (
  result: ModelRunSuccess,
  axes: ReadonlyArray<Axis>,
  pack: Pack
): Result.Result<Vote, Unreadable> =>
  one(result, (value) =>
    Result.flatMap(
      Result.mapError(decodeVote(value), (error) => error.message),
      (vote) => complete(vote, axes, pack)
    )
  )
