// Patterns of schemas while a schema itself is looked at: for its contradictions, and for making up values.
import { Result } from "effect"
import { linearPattern, maxPatternSteps } from "./linearPattern.ts"

/** Whether the text matches; true also where that cannot be told within the limits. */
export const mayMatch = (pattern: string, text: string): boolean =>
  Result.match(linearPattern(pattern), {
    onFailure: () => true,
    onSuccess: ({ steps, test }) => steps(text.length) > maxPatternSteps || test(text)
  })
