// A run's result that is a verdict, as people read it. What is none is shown as what it is.
import { Option, Schema } from "effect"
import { verdictText } from "../../../council/renderVerdict.ts"
import { Verdict } from "../../../council/Verdict.ts"
import type { Json } from "../../../domain/json/canonicalJson.ts"
import { resultText } from "./summaryText.ts"

const decodeVerdict = Schema.decodeUnknownOption(Schema.toCodecJson(Verdict))

export const verdictShown = (result: Json): string =>
  Option.match(decodeVerdict(result), {
    onNone: () => resultText(result),
    onSome: (verdict) => verdictText(verdict).trimEnd()
  })
