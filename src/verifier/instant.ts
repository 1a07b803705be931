// Instants from text, strictly (RFC 3339 and its date-only form), in nanoseconds since 1970 as exact integers. A
// date is the interval of its day. What does not say its zone is ambiguous unless the claim says it. No clock.
import { Result } from "effect"
import type { Json } from "../domain/json/canonicalJson.ts"
import { decimalFromNumber } from "../domain/decimal.ts"
import { unproven, type Outcome } from "./Finding.ts"
import { trimAscii } from "../domain/trimming.ts"

/** From the first to the last nanosecond; the same for an instant. */
export interface Interval {
  readonly from: bigint
  readonly to: bigint
}

type Unproven = Outcome & { readonly finding: "unproven" }

const form =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?(Z|z|[+-][0-9]{2}:[0-9]{2})?$/
const slashed = /^[0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{1,4}/
export const zoneForm = /^(?:Z|[+-][0-9]{2}:[0-9]{2})$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Days since 1970-01-01 of a date in the proleptic Gregorian calendar. */
const dayNumber = (year: number, month: number, day: number): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}

const offsetMinutes = (zone: string): number | undefined => {
  if (zone === "Z" || zone === "z") return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

const second = 1_000_000_000n

/** Reads a date or date-time. `zone` is used where the text has none. */
export const intervalOf = (
  value: Json,
  zone?: string,
  epoch?: "s" | "ms"
): Result.Result<Interval, Unproven> => {
  if (typeof value === "number" && epoch !== undefined) return fromEpoch(value, epoch)
  if (typeof value !== "string")
    return Result.fail(unproven("not_an_instant", "what stands there is not a date"))
  const text = trimAscii(value)
  const parts = form.exec(text)
  if (parts === null) {
    return Result.fail(
      slashed.test(text)
        ? unproven("ambiguous_date", "a date with slashes or dots does not say which part is the month")
        : unproven("not_an_instant", "not a date in the form of RFC 3339")
    )
  }
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number)
  const [hour, minute, seconds] = parts.slice(4, 7).map((part) => (part === undefined ? 0 : Number(part)))
  const valid =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    (hour ?? 0) <= 23 &&
    (minute ?? 0) <= 59 &&
    (seconds ?? 0) <= 59
  if (!valid) return Result.fail(unproven("not_an_instant", "there is no such date or time of day"))
  const written = parts[8] ?? zone
  if (written === undefined) return Result.fail(unproven("ambiguous_date", "the date does not say its zone"))
  const offset = offsetMinutes(written)
  if (offset === undefined) return Result.fail(unproven("not_an_instant", "there is no such zone"))
  const start =
    BigInt(dayNumber(year, month, day)) * 86_400n * second +
    BigInt((hour ?? 0) * 3_600 + (minute ?? 0) * 60 + (seconds ?? 0) - offset * 60) * second +
    BigInt((parts[7] ?? "").padEnd(9, "0"))
  if (parts[4] === undefined) return Result.succeed({ from: start, to: start + 86_400n * second - 1n })
  if (parts[6] === undefined) return Result.succeed({ from: start, to: start + 60n * second - 1n })
  return Result.succeed({ from: start, to: start })
}

const fromEpoch = (value: number, epoch: "s" | "ms"): Result.Result<Interval, Unproven> => {
  const amount = decimalFromNumber(value)
  const scale = (amount?.e ?? 0) + (epoch === "s" ? 9 : 6)
  if (amount === undefined || scale < 0 || scale > 30) {
    return Result.fail(unproven("not_an_instant", "not a number of seconds or milliseconds"))
  }
  const at = amount.m * 10n ** BigInt(scale)
  return Result.succeed({ from: at, to: at })
}
