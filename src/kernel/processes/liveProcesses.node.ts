// The processes that this one has started and that must not outlive it. Whoever starts one ends it in order, and says
// so; whatever is left when this process exits (a second signal, an error nobody caught) is killed on the way out.
import process from "node:process"

/** As `process.kill` takes them: a process, or its negative number for the whole group that it leads. */
const live = new Set<number>()

type Tell = (target: number, isLive: boolean) => void
let tell: Tell | undefined

/** Tells one watcher of what is live now, and of every change. */
export const tellOfLive = (watcher: Tell): void => {
  tell = watcher
  for (const target of live) watcher(target, true)
}

/** At an exit there is no time to be gentle, and nobody to wait: no process can refuse SIGKILL. */
export const killAll = (targets: Iterable<number>): void => {
  for (const target of targets) {
    try {
      process.kill(target, "SIGKILL")
    } catch {
      // ESRCH: nothing of it is left.
    }
  }
}

const killLive = (): void => killAll(live)

/** Keeps watch on a process, or with `group` on the group it leads, until the function it returns is called. */
export const keepWatch = (pid: number | undefined, { group = false } = {}): (() => void) => {
  if (pid === undefined) return () => {}
  if (!process.listeners("exit").includes(killLive)) process.on("exit", killLive)
  const target = group ? -pid : pid
  live.add(target)
  tell?.(target, true)
  return () => {
    if (live.delete(target)) tell?.(target, false)
  }
}
