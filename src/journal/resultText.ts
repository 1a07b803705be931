// resultText: the answer in a CallCompleted line, as the text it is there, without parsing it. A replay hands a
// thousand answers to a plan as text; parsing each and printing it again would be most of its work.
import { Option } from "effect"

// The log writes the payload's members in canonical order, so that the result follows the occurrence, and only
// `reused` can follow the result. A quote inside a string is escaped, so none of this can be met inside one.
const head =
  /^\{"seq":\d+,"at":[-+.\deE]+,"prev":"[0-9a-f]{64}","type":"CallCompleted","key":"[^"\\]*","occurrence":\d+,"result":/
const reused = ',"reused":true}'
const notReused = ',"reused":false}'

/** None where the line is not of that form, and is to be parsed. */
export const resultTextOf = (line: string): Option.Option<string> => {
  const start = head.exec(line)?.[0].length
  if (start === undefined) return Option.none()
  const tail = line.endsWith(reused) ? reused.length : line.endsWith(notReused) ? notReused.length : 1
  return Option.some(line.slice(start, line.length - tail))
}
