// durableEvents: tells one watcher of appended events, in order, each once it is durable and not before.
import { Effect } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"

export type Tell = (event: RunEvent) => Effect.Effect<void>

export const makeDurableEvents = () => {
  let tell: Tell | undefined
  /** Appended and not told of yet. */
  let untold: Array<RunEvent> = []
  return {
    watch: (watcher: Tell): void => {
      tell = watcher
    },
    appended: (event: RunEvent): void => {
      if (tell !== undefined) untold.push(event)
    },
    /** Everything up to `seq` is durable. */
    durable: (seq: number): Effect.Effect<void> => {
      if (tell === undefined || untold.length === 0) return Effect.void
      const now = untold.filter((event) => event.seq <= seq)
      untold = untold.slice(now.length)
      return Effect.forEach(now, tell, { discard: true })
    }
  }
}
