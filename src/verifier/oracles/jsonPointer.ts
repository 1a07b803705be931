// json_pointer: the document has something at this place (RFC 6901), or nothing, or exactly this value.
import { Result, Schema } from "effect"
import { holds, proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle, sameJson } from "../Oracle.ts"
import { underDoubt } from "../evidence/reading.ts"
import { documentDoubt, valueAt } from "../select.ts"

const Args = Schema.Struct({
  pointer: Schema.String,
  value: Schema.optionalKey(Schema.Json),
  exists: Schema.optionalKey(Schema.Boolean),
  stream: Schema.optionalKey(Schema.Literals(["stdout", "stderr"]))
})

export const jsonPointer = oracle("json_pointer", Args, ({ exists, pointer, stream, value }, { evidence }) =>
  Result.map(valueAt(evidence, pointer, stream), (found) => {
    const certain = exists === false ? "refuted" : "proven"
    const judge = (outcome: Outcome) => underDoubt(outcome, documentDoubt(evidence, stream), certain)
    if (value !== undefined && exists === false)
      return unproven("bad_args", "what does not exist has no value")
    if (found === undefined) {
      return judge(exists === false ? proven : refuted("absent", "the document has no such place", pointer))
    }
    if (exists === false) return refuted("differs", "something stands there", found)
    return value === undefined
      ? proven
      : judge(holds(sameJson(found, value), "another value stands there", found))
  })
)
