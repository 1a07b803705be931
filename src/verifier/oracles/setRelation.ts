// set: how the set of the evidence's elements (of an array, or of a text's lines) relates to the given one. Order
// and repetitions do not count; elements are equal as JSON, so that lines are compared with texts only.
import { Result, Schema } from "effect"
import { canonicalJsonOf, type Json } from "../../domain/json/canonicalJson.ts"
import { noneAlike, textsOnly } from "../comparable.ts"
import { linesOf } from "../evidence/reading.ts"
import { proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { oracle } from "../Oracle.ts"
import { isArray } from "../pointer.ts"
import { judged, select, selection, type Selected, type Unproven } from "../select.ts"

const Args = Schema.Struct({
  /** The evidence is … of `value`. */
  relation: Schema.Literals(["equal", "subset", "superset", "disjoint", "intersects"]),
  value: Schema.Array(Schema.Json),
  ...selection
})

const elements = ({ reading, value }: Selected): Result.Result<ReadonlyArray<Json>, Unproven> => {
  if (isArray(value)) return Result.succeed(value)
  return reading === undefined
    ? Result.fail(unproven("wrong_kind", "neither an array nor lines"))
    : Result.succeed(linesOf(reading))
}

const decideSet = (
  relation: (typeof Args.Type)["relation"],
  found: ReadonlyMap<string, Json>,
  given: ReadonlyMap<string, Json>
): Outcome => {
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
    const there = yield* elements(selected)
    if (!isArray(selected.value)) yield* textsOnly(value)
    else if (relation === "disjoint" || relation === "intersects") yield* noneAlike(there, value)
    const [found, given] = [keyed(there), keyed(value)]
    const outcome = decideSet(relation, found, given)
    // Common elements were found; that there are none, or no others, was not.
    const certain = relation === "disjoint" ? "refuted" : "proven"
    return judged(selected, outcome, relation === "equal" || relation === "subset" ? "none" : certain)
  })
)
