// equality: the value is exactly this one, and of its type: what stands in a text is a text. Texts are equal by code
// unit (no normalisation, no case folding); a CRLF of a file is a line end, unless the given text has carriage returns.
import { Result, Schema } from "effect"
import { holds, unproven } from "../Finding.ts"
import { oracle, sameJson } from "../Oracle.ts"
import { textsOnly } from "../comparable.ts"
import { textFor } from "../evidence/reading.ts"
import { inDocument, judged, select, selection } from "../select.ts"
import { trimAscii } from "../../domain/trimming.ts"

const Args = Schema.Struct({
  value: Schema.Json,
  /** Drop ASCII white space at both ends of a text before it is compared. */
  trim: Schema.optionalKey(Schema.Boolean),
  ...selection
})

export const equality = oracle("equality", Args, ({ trim, value, ...where }, { evidence }) =>
  Result.gen(function* () {
    const selected = yield* select(evidence, where)
    if (selected.unit !== undefined)
      return unproven("unit_missing", "the number has a unit: use `numeric` with it")
    if (selected.reading !== undefined && !inDocument(evidence, where)) yield* textsOnly([value])
    const whole =
      selected.reading === undefined || typeof value !== "string"
        ? selected.value
        : inDocument(evidence, where)
          ? selected.reading.exact
          : yield* textFor(selected.reading, value)
    const found = trim === true && typeof whole === "string" ? trimAscii(whole) : whole
    return judged(selected, holds(sameJson(found, value), "the value is another", found), "proven")
  })
)
