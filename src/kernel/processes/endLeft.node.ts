// Ends a subprocess whose host died: its whole group, and whatever else carries its mark, gently first. Which processes
// these are is looked up again before every signal, so that none goes to a stranger who got a pid that became free.
import process from "node:process"
import { Effect } from "effect"
import type { LeftEnd, LeftProcess } from "../HostIdentity.ts"
import { livingProcesses, look } from "./processTable.node.ts"

/** From SIGTERM to SIGKILL, and how long a killed one may take to go. */
const graceMs = 2_000
const lookEveryMs = 20

/**
 * The group is the subprocess's as long as its leader is the process that was started. Without its leader only the
 * mark tells: the number may be another group's by now. This process and its own group are never among them.
 */
const remaining = ({ mark, started }: LeftProcess): ReadonlyArray<number> => {
  const isLeader = started !== undefined && started.at !== "" && look(started.pid)?.started === started.at
  const group = isLeader ? started.pid : undefined
  const own = look(process.pid)?.group
  return livingProcesses(mark)
    .filter((one) => one.pid !== process.pid && one.group !== own)
    .filter((one) => one.marked || one.group === group)
    .map(({ pid }) => pid)
}

const signal = (pids: ReadonlyArray<number>, name: "SIGTERM" | "SIGKILL") => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has just ended, or is not ours to end: the next look tells.
    }
  }
}

/** Real time: who takes a run over waits for processes, whatever clock the run has. */
const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), lookEveryMs)
  return Effect.sync(() => clearTimeout(timer))
})

/** Waits until none is left, at most the grace; those that are. */
const untilGone = Effect.fnUntraced(function* (left: LeftProcess, again: "SIGKILL" | undefined) {
  let pids = remaining(left)
  for (let waited = 0; pids.length > 0 && waited < graceMs; waited += lookEveryMs) {
    if (again !== undefined) signal(pids, again)
    yield* pause
    pids = remaining(left)
  }
  return pids
})

export const endLeft = Effect.fnUntraced(function* (left: LeftProcess): Effect.fn.Return<LeftEnd> {
  const found = remaining(left)
  signal(found, "SIGTERM")
  const deaf = yield* untilGone(left, undefined)
  const alive = deaf.length === 0 ? deaf : yield* untilGone(left, "SIGKILL")
  return { ended: found.length - alive.length, alive }
})
