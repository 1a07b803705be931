// When a provider asks us to come back: every legal form, in one order, as milliseconds that are finite and
// positive, or absent. Pure; the caller gives now. Waiting (the floor, its budget, jitter) is the retry's.
import { DateTime } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { asList, asString, at } from "./readJson.ts"

const strictNumber = /^\d+(\.\d+)?$/
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** Finite and positive, or absent: a hint of 0 is sent by gateways that do not know. */
const positive = (ms: number): number | undefined => {
  const whole = Math.ceil(ms)
  return Number.isFinite(whole) && whole > 0 && Number.isSafeInteger(whole) ? whole : undefined
}

const number = (text: string | undefined, unitMs: number): number | undefined =>
  text !== undefined && strictNumber.test(text.trim())
    ? positive(roundMs(Number(text.trim()) * unitMs))
    : undefined

/** Floating point must not turn 36.4 s into 36400.000000000004 ms. */
const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000

const epochOf = (parts: {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}): number | undefined => {
  const { day, hour, minute, month, second, year } = parts
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return undefined
  return DateTime.toEpochMillis(DateTime.makeUnsafe({ year, month, day, hour, minute, second }))
}

const imfDate = /^[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const rfc850Date = /^[A-Za-z]{6,9}, (\d{2})-([A-Za-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const asctimeDate = /^[A-Za-z]{3} ([A-Za-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/**
 * Epoch milliseconds of an HTTP date (RFC 9110: IMF-fixdate, RFC 850, asctime). Only these: a host's own date
 * parser takes "-3", "1.5" and "0" for dates.
 */
export const parseHttpDate = (text: string): number | undefined => {
  const from = (day = "", name = "", year = "", hour = "", minute = "", second = "") =>
    epochOf({
      year: Number(year),
      month: months.indexOf(name.toLowerCase()) + 1,
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second)
    })
  const imf = imfDate.exec(text)
  if (imf !== null) return from(imf[1], imf[2], imf[3], imf[4], imf[5], imf[6])
  const old = rfc850Date.exec(text)
  if (old !== null) return from(old[1], old[2], `20${old[3]}`, old[4], old[5], old[6])
  const asctime = asctimeDate.exec(text)
  if (asctime !== null) return from(asctime[2], asctime[1], asctime[6], asctime[3], asctime[4], asctime[5])
  return undefined
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** Epoch milliseconds of an RFC 3339 instant. */
export const parseInstant = (text: string): number | undefined => {
  const parts = rfc3339.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHours, offsetMinutes] = parts
  const base = epochOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second)
  })
  if (base === undefined) return undefined
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000
  return base + Math.floor(Number(fraction ?? 0) * 1000) - (sign === "-" ? -offset : offset)
}

const until = (epochMs: number | undefined, now: number): number | undefined =>
  epochMs === undefined ? undefined : positive(epochMs - now)

/** `Retry-After`: seconds, or a date in the future. */
const retryAfter = (value: string | undefined, now: number): number | undefined =>
  value === undefined ? undefined : (number(value, 1000) ?? until(parseHttpDate(value.trim()), now))

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const wordUnit = (word: string): string =>
  /^(?:ms|milli)/.test(word) ? "ms" : word.startsWith("mon") ? "" : word.slice(0, 1)

/** A duration in the forms providers write: `37s`, `9m38.016s`, `1h2m`, `500ms`, `20 seconds`, `1 minute`. */
export const parseDuration = (text: string): number | undefined => {
  const term =
    /(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])\s*/giy
  const body = text.trim()
  let sum = 0
  let end = 0
  while (end < body.length) {
    term.lastIndex = end
    const match = term.exec(body)
    if (match === null) return undefined
    sum += Number(match[1]) * (unitMs[wordUnit((match[2] ?? "").toLowerCase())] ?? Number.NaN)
    end = term.lastIndex
  }
  return end === 0 ? undefined : positive(roundMs(sum))
}

const durationText =
  "((?:\\d+(?:\\.\\d+)?\\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])\\s*)+)"
const spoken = new RegExp(
  `\\b(?:try again|retry(?: again)?|retry after|wait|available) (?:in |after )?(?:about |approximately )?${durationText}`,
  "i"
)

/** "Please try again in 9m38.016s." */
const fromMessage = (message: string | undefined): number | undefined => {
  const match = message === undefined ? null : spoken.exec(message.slice(0, 4096))
  return match?.[1] === undefined ? undefined : parseDuration(match[1])
}

/** Anthropic's windows: the latest reset among those with nothing left. */
const anthropicReset = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  let latest: number | undefined
  const take = (epoch: number | undefined) => {
    if (epoch !== undefined && (latest === undefined || epoch > latest)) latest = epoch
  }
  for (const [name, value] of Object.entries(headers)) {
    const window = /^(anthropic-ratelimit-.+)-reset$/.exec(name)?.[1]
    if (window === undefined) continue
    const remaining = headers[`${window}-remaining`]
    const exhausted = remaining?.trim() === "0" || headers[`${window}-status`]?.trim() === "rejected"
    if (!exhausted) continue
    take(
      parseInstant(value.trim()) ??
        (/^\d{9,11}$/.test(value.trim()) ? Number(value.trim()) * 1000 : undefined)
    )
  }
  return until(latest, now)
}

const retryInfo = (error: Json): number | undefined => {
  for (const detail of asList(at(error, "details"))) {
    const delay = at(detail, "retryDelay")
    const text = asString(delay)
    if (text !== undefined) {
      const ms = parseDuration(text)
      if (ms !== undefined) return ms
    }
    const seconds = asString(at(delay, "seconds")) ?? at(delay, "seconds")
    const nanos = at(delay, "nanos")
    if (typeof seconds === "number" || typeof seconds === "string") {
      const whole = number(String(seconds), 1000) ?? 0
      const ms = positive(whole + (typeof nanos === "number" && nanos > 0 ? nanos / 1e6 : 0))
      if (ms !== undefined) return ms
    }
  }
  return undefined
}

const numeric = (value: Json | undefined, unit: number): number | undefined =>
  typeof value === "number" || typeof value === "string" ? number(String(value), unit) : undefined

/** What a hint is read from. `errors`: error objects of the body, the innermost first; header names lower-case. */
export interface HintEvidence {
  readonly headers: Readonly<Record<string, string>>
  readonly errors: ReadonlyArray<Json>
  readonly message: string | undefined
}

const first = <A>(items: ReadonlyArray<A>, read: (item: A) => number | undefined): number | undefined => {
  for (const item of items) {
    const ms = read(item)
    if (ms !== undefined) return ms
  }
  return undefined
}

/** The provider's own hint in milliseconds from `now` (epoch ms): headers first, then the body, the message last. */
export const readRetryHint = ({ errors, headers, message }: HintEvidence, now: number): number | undefined =>
  number(headers["retry-after-ms"], 1) ??
  number(headers["x-ms-retry-after-ms"], 1) ??
  retryAfter(headers["retry-after"], now) ??
  first(errors, retryInfo) ??
  anthropicReset(headers, now) ??
  first(errors, (error) => numeric(at(error, "estimated_time"), 1000)) ??
  first(errors, (error) => numeric(at(error, "resets_in_seconds"), 1000)) ??
  first(errors, (error) => numeric(at(error, "retry_after") ?? at(error, "retry_after_seconds"), 1000)) ??
  fromMessage(message)
