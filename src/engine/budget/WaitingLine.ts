// WaitingLine: calls that wait for the budget of a part of the run, part by part, the oldest first. Who comes later and
// needs the same budget waits behind them, so that a small call does not overtake a large one for ever.
import type { IssuedCall } from "../calls/CallBook.ts"

export const makeWaitingLine = () => {
  const lines = new Map<string, Array<IssuedCall>>()
  return {
    add: (call: IssuedCall): void => {
      if (call.part === undefined) return
      const line = lines.get(call.part.id)
      if (line === undefined) lines.set(call.part.id, [call])
      else line.push(call)
    },
    parts: (): ReadonlyArray<string> => [...lines.keys()],
    first: (part: string): IssuedCall | undefined => lines.get(part)?.[0],
    takeFirst: (part: string): void => {
      const line = lines.get(part)
      line?.shift()
      if (line?.length === 0) lines.delete(part)
    },
    /** Whether others wait already for what the call needs. */
    isBehind: ({ part }: IssuedCall): boolean => part !== undefined && lines.has(part.id),
    all: (): ReadonlyArray<IssuedCall> => [...lines.values()].flat()
  }
}
