// selectCalls: from what a person calls a call (its number, its label, the beginning of its key) to the call. Pure.
import { hasFailed, type CallRecord } from "./CallRecord.ts"

const keyPrefix = /^[0-9a-f]{4,64}(?:#\d+)?$/

/** Calls that failed, and those that wait for a resume since they did. */
export const isLost = (call: CallRecord): boolean => hasFailed(call) || call.status === "parked"

const byKey = (calls: ReadonlyArray<CallRecord>, text: string): ReadonlyArray<CallRecord> => {
  const [key = "", occurrence] = text.split("#")
  return calls.filter(
    (call) => call.key.startsWith(key) && (occurrence === undefined || call.occurrence === Number(occurrence))
  )
}

/**
 * The calls that `text` names: one by its number, else all that are labelled or called so, else those whose key begins
 * so. Empty: none.
 */
export const selectCalls = (calls: ReadonlyArray<CallRecord>, text: string): ReadonlyArray<CallRecord> => {
  const labelled = calls.filter(({ label, name }) => label === text || name === text)
  if (labelled.length > 0) return labelled
  if (/^#?\d+$/.test(text)) {
    const numbered = calls.filter(({ number }) => number === Number(text.replace("#", "")))
    if (numbered.length > 0) return numbered
  }
  return keyPrefix.test(text) ? byKey(calls, text) : []
}
