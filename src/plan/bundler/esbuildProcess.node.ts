// The process that esbuild works in. It is one for all bundles of this process. It reads the disk by itself while it
// looks for a module, so it is held to a time and a memory, and it does not outlive its host.
import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Clock, Context, Effect } from "effect"
import type * as Esbuild from "esbuild"
import { keepWatch } from "../../kernel/processes/liveProcesses.node.ts"
import { residentMb } from "../../kernel/processes/processTable.node.ts"
import { PlanError } from "../PlanError.ts"

/** What bundling one plan may take. */
export const BundleLimits = Context.Reference<{ readonly ms: number; readonly mb: number }>(
  "alembic/plan/BundleLimits",
  { defaultValue: () => ({ ms: 60_000, mb: 2048 }) }
)
const watchEveryMs = 100

let running: { readonly esbuild: typeof Esbuild; readonly child: ChildProcess | undefined } | undefined
let atWork = 0

const isChildMessage = (message: unknown): message is { readonly process: ChildProcess } =>
  typeof message === "object" && message !== null && "process" in message

/**
 * esbuild, its process started. Asked for anew before each build, with nothing in between: esbuild starts a process by
 * itself where there is none, which nobody would watch. It does not say which process that is; Node does.
 */
export const startedEsbuild = (esbuild: typeof Esbuild): typeof Esbuild => {
  if (running !== undefined) return esbuild
  let child: ChildProcess | undefined
  const take = (message: unknown): void => {
    if (isChildMessage(message)) child = message.process
  }
  subscribe("child_process", take)
  try {
    // It starts the process at once; what it waits for is not needed here.
    void esbuild.initialize({}).catch(() => {})
  } finally {
    unsubscribe("child_process", take)
  }
  child?.on("exit", keepWatch(child.pid))
  running = { esbuild, child }
  return esbuild
}

/** Which process it is; undefined while there is none. */
export const esbuildPid = (): number | undefined => running?.child?.pid

/** Ends the process. What it was asked for fails; the next bundle starts another. */
const endEsbuild = Effect.promise(async () => {
  const ended = running
  running = undefined
  ended?.child?.kill("SIGKILL")
  await ended?.esbuild.stop()
})

const refused = (path: string, problem: string) =>
  new PlanError({ code: "plan_unreadable", path, problem, findings: [] })

const watchMemory = Effect.fnUntraced(function* (path: string, mb: number) {
  for (;;) {
    yield* Effect.sleep(watchEveryMs)
    const pid = esbuildPid()
    if ((pid === undefined ? 0 : (residentMb(pid) ?? 0)) <= mb) continue
    yield* endEsbuild
    return yield* refused(
      path,
      `bundling it took more than ${mb} MiB of memory: look for a very large file that it or a package imports`
    )
  }
})

/** Bundling within its limits. The time is the machine's, also in a run whose own time is logical. */
export const withinLimits = Effect.fnUntraced(function* <A>(path: string, work: Effect.Effect<A, PlanError>) {
  const { mb, ms } = yield* BundleLimits
  const counted = Effect.acquireUseRelease(
    Effect.sync(() => ++atWork),
    () => work,
    () => Effect.sync(() => --atWork)
  )
  return yield* counted.pipe(
    // Whoever is not waited for any more would work on, and hold up the end of the host.
    Effect.onInterrupt(() => Effect.suspend(() => (atWork === 0 ? endEsbuild : Effect.void))),
    Effect.raceFirst(watchMemory(path, mb)),
    Effect.timeoutOrElse({
      duration: ms,
      orElse: () =>
        Effect.andThen(
          endEsbuild,
          refused(
            path,
            `it was not bundled within ${ms / 1000} seconds: look for a file or folder among its imports and packages that is read without end`
          )
        )
    }),
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )
})
