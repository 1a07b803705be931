// Numbers for people, as commands write them.
import { DateTime } from "effect"

export { durationText } from "../../domain/durationText.ts"
export { countText, dollarsText, plural } from "../../domain/numbersText.ts"

/** An instant in milliseconds since the epoch, in UTC. */
export const instantText = (ms: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(ms))
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z")
