// regex: the text matches this pattern, in linear time (RE2 semantics). `search` anywhere, `full` from end to end.
import { Result, Schema } from "effect"
import { holds, unproven } from "../Finding.ts"
import { linearRegex, maxRegexSteps } from "../linearRegex.ts"
import { oracle } from "../Oracle.ts"
import { select, selection } from "../select.ts"

const Args = Schema.Struct({
  pattern: Schema.NonEmptyString,
  flags: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isPattern(/^[ims]{0,3}$/)))),
  match: Schema.optionalKey(Schema.Literals(["search", "full"])),
  ...selection
})

export const regex = oracle("regex", Args, ({ flags, match, pattern, ...where }, { evidence }) =>
  Result.gen(function* () {
    const compiled = yield* Result.mapError(linearRegex(pattern, flags), (error) =>
      unproven("pattern_unsupported", error.message)
    )
    const { unit, value } = yield* select(evidence, where)
    if (typeof value !== "string" || unit !== undefined)
      return unproven("wrong_kind", "what stands there is not a text")
    if (compiled.steps(value.length) > maxRegexSteps) {
      return unproven("too_large", "the text is too long for this pattern")
    }
    if (match !== "full" && compiled.test(""))
      return unproven("vacuous", "the pattern matches the empty text")
    return holds(
      match === "full" ? compiled.full(value) : compiled.test(value),
      "the pattern does not match",
      value
    )
  })
)
