// containment: the text, array or object contains this. In a text, the exact passage, wherever it stands (for whole
// words use `quote`); in an array, an equal element; in an object, equal members.
import { Result, Schema } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { holds, unproven, type Outcome } from "../Finding.ts"
import { oracle, sameJson } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { textFor, type Reading } from "../evidence/reading.ts"
import { judged, select, selection } from "../select.ts"

const Args = Schema.Struct({ value: Schema.Json, ...selection })

const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  value !== null && typeof value === "object" && !isArray(value)

const contains = (found: Json, value: Json, reading: Reading | undefined): Outcome => {
  if (reading !== undefined) {
    if (typeof value !== "string") return unproven("bad_args", "a text contains texts only")
    if (value === "") return unproven("vacuous", "every text contains the empty one")
    return Result.merge(
      Result.map(textFor(reading, value), (text) =>
        holds(text.includes(value), "the text does not contain it", text)
      )
    )
  }
  if (isArray(found)) {
    return holds(
      found.some((element) => sameJson(element, value)),
      "no element is equal to it",
      found
    )
  }
  if (!isRecord(found)) return unproven("wrong_kind", "what stands there contains nothing")
  if (!isRecord(value)) return unproven("bad_args", "an object contains members: give an object")
  const wanted = Object.entries(value)
  if (wanted.length === 0) return unproven("vacuous", "every object contains no members")
  const missing = wanted.filter(([key, member]) => {
    const there = Object.hasOwn(found, key) ? found[key] : undefined
    return there === undefined || !sameJson(there, member)
  })
  return holds(
    missing.length === 0,
    `members that are absent or differ: ${missing.map(([key]) => key).join(", ")}`,
    found
  )
}

export const containment = oracle("containment", Args, ({ value, ...where }, { evidence }) =>
  Result.map(select(evidence, where), (selected) =>
    selected.unit === undefined
      ? judged(selected, contains(selected.value, value, selected.reading), "proven")
      : unproven("wrong_kind", "a number has no parts")
  )
)
