// regex: the text matches this pattern, in linear time (schema/pattern/parse.ts says what patterns mean). `search`
// anywhere, `full` from end to end. `^` and `$` are the ends of the text, with flag `m` of a line. Whether the line end
// of the last line belongs to the text must not matter: where it does, the claim is unproven.
import { Result, Schema } from "effect"
import { linearPattern, maxPatternSteps } from "../../schema/pattern/linearPattern.ts"
import { holds, unproven } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { judged, select, selection } from "../select.ts"

const Args = Schema.Struct({
  pattern: Schema.NonEmptyString,
  flags: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isPattern(/^[ims]{0,3}$/)))),
  match: Schema.optionalKey(Schema.Literals(["search", "full"])),
  ...selection
})

export const regex = oracle("regex", Args, ({ flags, match, pattern, ...where }, { evidence }) =>
  Result.gen(function* () {
    const compiled = yield* Result.mapError(linearPattern(pattern, flags), (error) =>
      unproven("pattern_unsupported", error.message)
    )
    const selected = yield* select(evidence, where)
    const { reading, unit } = selected
    if (reading === undefined || unit !== undefined)
      return unproven("wrong_kind", "what stands there is not a text")
    if (compiled.steps(reading.exact.length) > maxPatternSteps) {
      return unproven("too_large", "the text is too long for this pattern")
    }
    if (match !== "full" && compiled.test(""))
      return unproven("vacuous", "the pattern matches the empty text")
    const text = compiled.namesCarriageReturn ? reading.exact : reading.text
    const matches = match === "full" ? compiled.full : compiled.test
    const matched = matches(text)
    const last = text.endsWith("\r\n") ? -2 : text.endsWith("\n") ? -1 : text.length
    if (matches(text.slice(0, last)) !== matched) {
      return unproven(
        "undecided",
        "it depends on the line end of the last line: use flag m, or write \\n? before the end of the pattern"
      )
    }
    // Whether a CRLF is the LF that a pattern speaks of is not for us to say.
    if (compiled.namesLineFeed && matches(reading.exact) !== matched)
      return unproven("evidence_ambiguous", "it depends on the text's line ends, which are CRLF")
    // A carriage return that ends no line may be meant as a line end: then both readings must match.
    const either = !reading.text.includes("\r") || matches(reading.text.replaceAll("\r", "\n")) === matched
    if (matched && !either && !compiled.namesCarriageReturn)
      return unproven("evidence_doubtful", "it depends on carriage returns that end no line")
    return judged(
      selected,
      holds(matched, "the pattern does not match", text),
      match === "full" ? "none" : "proven"
    )
  })
)
