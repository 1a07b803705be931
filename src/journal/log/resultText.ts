// resultText: the answer in a CallCompleted line, as the text it is there: made once when it is written, and read
// back without parsing it. A replay hands a thousand answers to a plan as text; parsing each and printing it again
// would be most of its work.
import { Option, Result } from "effect"
import type { CallRef } from "../../domain/Call.ts"
import { canonicalJson, type Json } from "../../domain/json/canonicalJson.ts"
import { notCanonical, type JournalError } from "../JournalError.ts"

// The log writes the payload's members in canonical order, so that the result follows the occurrence, and only
// `reused` can follow the result. A quote inside a string is escaped, so none of this can be met inside one.
const head = '"type":"CallCompleted","key":"'
const occurrence = '","occurrence":'
const result = ',"result":'
const reused = ',"reused":true}'
const notReused = ',"reused":false}'

/** None where the line is not of that form, and is to be parsed. */
export const resultTextOf = (line: string): Option.Option<string> => {
  const type = line.indexOf('"type":')
  if (type < 0 || !line.startsWith(head, type)) return Option.none()
  const quote = line.indexOf('"', type + head.length)
  if (!line.startsWith(occurrence, quote)) return Option.none()
  const digits = quote + occurrence.length
  const at = line.indexOf(",", digits)
  if (!line.startsWith(result, at) || at - digits > 16) return Option.none()
  const tail = line.endsWith(reused) ? reused.length : line.endsWith(notReused) ? notReused.length : 1
  return Option.some(line.slice(at + result.length, line.length - tail))
}

/** An answer on its way into the log. `reused`: taken from a call cache. */
export interface CallAnswer extends CallRef {
  readonly result: Json
  readonly reused?: boolean
}

/** The canonical text of an answer's result, and that of its event's payload made of it. */
export const answerTexts = (
  path: string,
  { key, occurrence, result, reused }: CallAnswer
): Result.Result<{ readonly result: string; readonly payload: string }, JournalError> =>
  Result.mapBoth(canonicalJson(result), {
    onSuccess: (text) => {
      const end = reused === undefined ? "}" : `,"reused":${reused}}`
      return {
        result: text,
        payload: `{"key":${JSON.stringify(key)},"occurrence":${occurrence},"result":${text}${end}`
      }
    },
    onFailure: ({ message }) => notCanonical(path, message)
  })
