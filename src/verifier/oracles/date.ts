// date: a date of the evidence against a given instant. A day against an instant inside it is neither before nor
// after: unproven. Nothing is compared with now; there is no now here.
import { Result, Schema } from "effect"
import { holds, proven, refuted, unproven, type Outcome } from "../Finding.ts"
import { intervalOf, zoneForm, type Interval } from "../instant.ts"
import { oracle } from "../Oracle.ts"
import { judged, select, selection } from "../select.ts"

const Args = Schema.Struct({
  op: Schema.Literals(["before", "after", "not_before", "not_after", "at"]),
  instant: Schema.String,
  /** For `at`: how far apart the two may be, in milliseconds. */
  toleranceMs: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** The zone of dates that do not say theirs: `Z` or `+01:00`. */
  zone: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isPattern(zoneForm)))),
  /** Reads a number as seconds or milliseconds since 1970. */
  epoch: Schema.optionalKey(Schema.Literals(["s", "ms"])),
  ...selection
})

const three = (yes: boolean, no: boolean, counter: string): Outcome =>
  yes
    ? proven
    : no
      ? refuted("differs", "the date is on the other side of the instant", counter)
      : unproven("imprecise_date", "the dates overlap: one of them is not precise enough")

const decide = (op: (typeof Args.Type)["op"], found: Interval, given: Interval, counter: string): Outcome => {
  switch (op) {
    case "before":
      return three(found.to < given.from, found.from >= given.to, counter)
    case "after":
      return three(found.from > given.to, found.to <= given.from, counter)
    case "not_before":
      return three(found.from >= given.to, found.to < given.from, counter)
    case "not_after":
      return three(found.to <= given.from, found.from > given.to, counter)
    case "at":
      return three(
        found.from >= given.from && found.to <= given.to,
        found.to < given.from || found.from > given.to,
        counter
      )
  }
}

export const date = oracle("date", Args, (args, { evidence }) => {
  const { epoch, instant, op, toleranceMs, zone, ...where } = args
  return Result.gen(function* () {
    const given = yield* Result.mapError(intervalOf(instant, zone), ({ reason }) =>
      unproven("bad_args", reason)
    )
    const selected = yield* select(evidence, where)
    if (selected.unit !== undefined) return unproven("wrong_kind", "a number with a unit is not a date")
    const found = yield* intervalOf(selected.value, zone, epoch)
    const counter = String(selected.value)
    if (toleranceMs === undefined) return judged(selected, decide(op, found, given, counter), "proven")
    if (op !== "at") return unproven("bad_args", "a tolerance belongs to `at` only")
    if (found.from !== found.to || given.from !== given.to) {
      return unproven("imprecise_date", "a tolerance needs two instants")
    }
    const apart = found.from < given.from ? given.from - found.from : found.from - given.from
    const close = holds(apart <= BigInt(toleranceMs) * 1_000_000n, "the instants are further apart", counter)
    return judged(selected, close, "proven")
  })
})
