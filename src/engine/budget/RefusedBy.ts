// RefusedBy: which budget refused a call, read from the call's failure, so that the run's end can say what to raise.
import { Option, Schema } from "effect"
import { Refusal } from "../../domain/budget/admission.ts"

/** `model`: whose price is not known, where that is why. */
export interface RefusedBy extends Partial<Refusal> {
  readonly model?: string
}

const decodeFailure = Schema.decodeUnknownOption(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal("budget_exceeded"),
      detail: Schema.optionalKey(Schema.Unknown)
    }),
    adapterId: Schema.optionalKey(Schema.String),
    modelId: Schema.optionalKey(Schema.String)
  })
)
const decodeRefusal = Schema.decodeUnknownOption(Refusal)

/** What refused the call whose answer `result` is; undefined where no budget did. Runs of before do not say which. */
export const refusalIn = (result: unknown): RefusedBy | undefined =>
  Option.match(decodeFailure(result), {
    onNone: () => undefined,
    onSome: ({ adapterId, error: { detail }, modelId }) => ({
      ...Option.getOrElse(decodeRefusal(detail), () => ({})),
      ...(adapterId === undefined || modelId === undefined ? {} : { model: `${adapterId}:${modelId}` })
    })
  })
