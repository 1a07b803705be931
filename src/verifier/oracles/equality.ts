// equality: the value is exactly this one. Texts are equal by code unit (no normalisation, no case folding).
import { Result, Schema } from "effect"
import { holds, unproven } from "../Finding.ts"
import { oracle, sameJson } from "../Oracle.ts"
import { select, selection } from "../select.ts"

const Args = Schema.Struct({
  value: Schema.Json,
  /** Drop ASCII white space at both ends of a text before it is compared. */
  trim: Schema.optionalKey(Schema.Boolean),
  ...selection
})

export const equality = oracle("equality", Args, ({ trim, value, ...where }, { evidence }) =>
  Result.map(select(evidence, where), (selected) => {
    if (selected.unit !== undefined)
      return unproven("unit_missing", "the number has a unit: use `numeric` with it")
    const found =
      trim === true && typeof selected.value === "string"
        ? selected.value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "")
        : selected.value
    return holds(sameJson(found, value), "the value is another", found)
  })
)
