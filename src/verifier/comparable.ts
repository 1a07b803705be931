// Values that no comparison finds equal, because they are of different types: what stands in a text is a text, so that
// it differs from the number 5 whatever stands there, and a claim that something is absent would always hold.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { decimalFromNumber, decimalFromText, sameDecimal } from "../domain/decimal.ts"
import { unproven } from "./Finding.ts"
import { isArray } from "./pointer.ts"
import type { Unproven } from "./select.ts"
import { trimAscii } from "../domain/trimming.ts"

const describe = (value: Json): string => {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}

/** Fails where something other than a text is given to be compared with what stands in a text. */
export const textsOnly = (given: ReadonlyArray<Json>): Result.Result<void, Unproven> => {
  const wrong = given.find((value) => typeof value !== "string")
  return wrong === undefined
    ? Result.succeed(undefined)
    : Result.fail(
        unproven(
          "bad_args",
          `what stands in a text is a text: write ${describe(describe(wrong))}, or use numeric`
        )
      )
}

/** Whether two values of different types are written alike: `5` and `"5.0"`, `true` and `"True"`, `null` and `"null"`. */
const alike = (text: string, other: Json): boolean => {
  if (typeof other === "string" || isArray(other) || text.length > 500) return false
  const written = trimAscii(text)
  if (typeof other !== "number") return String(other) === written.toLowerCase()
  const [x, y] = [decimalFromText(written), decimalFromNumber(other)]
  return x !== undefined && y !== undefined && sameDecimal(x, y)
}

/** Fails where a value stands on both sides, but as a text on one of them and as something else on the other. */
export const noneAlike = (
  found: ReadonlyArray<Json>,
  given: ReadonlyArray<Json>
): Result.Result<void, Unproven> => {
  const plain = (values: ReadonlyArray<Json>) =>
    values.filter((value) => value === null || typeof value !== "object")
  const texts = (values: ReadonlyArray<Json>) => values.filter((value) => typeof value === "string")
  const pairs = [
    [texts(found), plain(given)],
    [texts(given), plain(found)]
  ] as const
  for (const [some, others] of pairs) {
    const rest = others.filter((value) => typeof value !== "string")
    if (some.length * rest.length > maxPairs) return Result.fail(unproven("too_large", "too many elements"))
    const one = rest.find((value) => some.some((text) => alike(text, value)))
    if (one !== undefined)
      return Result.fail(unproven("other_type", `${describe(one)} stands on both sides, once as a text`))
  }
  return Result.succeed(undefined)
}

const maxPairs = 1_000_000
