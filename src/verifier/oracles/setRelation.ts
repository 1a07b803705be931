// set: how the set of the evidence's elements (of an array, or of a text's lines) relates to the given one. Order
// and repetitions do not count; elements are equal as JSON.
import { Result, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/canonicalJson.ts"
import { proven, refuted, unproven } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { select, selection, type Unproven } from "../select.ts"

const Args = Schema.Struct({
  /** The evidence is … of `value`. */
  relation: Schema.Literals(["equal", "subset", "superset", "disjoint", "intersects"]),
  value: Schema.Array(Schema.Json),
  ...selection
})

const elements = (value: Json): Result.Result<ReadonlyArray<Json>, Unproven> => {
  if (isArray(value)) return Result.succeed(value)
  if (typeof value !== "string") return Result.fail(unproven("wrong_kind", "neither an array nor lines"))
  const lines = value.split("\n").map((line) => line.replace(/\r$/, ""))
  return Result.succeed(lines.at(-1) === "" ? lines.slice(0, -1) : lines)
}

const keyed = (values: ReadonlyArray<Json>): ReadonlyMap<string, Json> =>
  new Map(values.map((value) => [canonicalJsonOf(value), value]))

const without = (a: ReadonlyMap<string, Json>, b: ReadonlyMap<string, Json>): ReadonlyArray<Json> =>
  Array.from(a).flatMap(([key, value]) => (b.has(key) ? [] : [value]))

const common = (a: ReadonlyMap<string, Json>, b: ReadonlyMap<string, Json>): ReadonlyArray<Json> =>
  Array.from(a).flatMap(([key, value]) => (b.has(key) ? [value] : []))

export const setRelation = oracle("set", Args, ({ relation, value, ...where }, { evidence }) =>
  Result.gen(function* () {
    const selected = yield* select(evidence, where)
    const found = keyed(yield* elements(selected.value))
    const given = keyed(value)
    const extra = without(found, given)
    const lacking = without(given, found)
    const shared = common(found, given)
    switch (relation) {
      case "equal":
        return extra.length + lacking.length === 0
          ? proven
          : refuted("differs", "the sets differ", { extra, lacking })
      case "subset":
        if (found.size === 0) return unproven("vacuous", "the empty set is a subset of every set")
        return extra.length === 0 ? proven : refuted("differs", "elements outside the set", { extra })
      case "superset":
        if (given.size === 0) return unproven("vacuous", "every set contains the empty one")
        return lacking.length === 0 ? proven : refuted("differs", "elements are lacking", { lacking })
      case "disjoint":
        if (found.size === 0 || given.size === 0) return unproven("vacuous", "an empty set meets nothing")
        return shared.length === 0 ? proven : refuted("differs", "elements in both sets", { shared })
      case "intersects":
        return shared.length > 0 ? proven : refuted("differs", "no element in both sets", { lacking })
    }
  })
)
