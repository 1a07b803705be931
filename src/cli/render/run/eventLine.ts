// An event as its line stands in events.jsonl: place first, the rest in canonical order. With --json these very lines
// are what `run` and `resume` print.
import { canonicalJsonOf } from "../../../domain/json/canonicalJson.ts"
import type { RunEvent } from "../../../domain/run/RunEvent.ts"

export const eventLine = (event: RunEvent): string => {
  const { at, prev, seq, type, ...payload } = event
  const head = `{"seq":${seq},"at":${at},"prev":"${prev}","type":"${type}"`
  const text = canonicalJsonOf(payload)
  return text === "{}" ? `${head}}` : `${head},${text.slice(1)}`
}
