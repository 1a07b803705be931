// What a host that is killed leaves behind: nothing that goes on eating the machine.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../support/commandProcess.ts"
import { planFolder } from "../support/planFolder.ts"

const endless = `export const run = async (h) => { h.phase("begun"); await h.agent("go on"); for (;;) {} }`

const childrenOf = (pid: number): ReadonlyArray<number> =>
  execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : [Number(line)]))

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")

// Only the kernel can end a process that hears nothing, and it is asked to with util-linux's setpriv.
const canAsk = process.platform === "linux" && existsSync("/usr/bin/setpriv")

it.live.runIf(canAsk)("a plan in an endless loop ends with a host that was killed", () =>
  Effect.gen(function* () {
    const cwd = yield* planFolder({ "GOAL.md": "# Goal\n", "alembic.plan.ts": endless })
    const { child, ended } = yield* start(cwd, "run", "--yes", "--json")
    // The answer is journaled, and the plan gets it: from then on it loops.
    yield* Effect.callback<void>((resume) => {
      let said = ""
      child.stdout?.on("data", (chunk: string) => {
        said += chunk
        if (said.includes('"CallCompleted"')) resume(Effect.void)
      })
    })
    const plans = childrenOf(child.pid ?? 0)
    assert.isNotEmpty(plans)
    child.kill("SIGKILL")
    yield* ended
    // The kernel has sent the signal before the parent could be waited for.
    for (const pid of plans) {
      while (isAlive(pid)) yield* Effect.yieldNow
    }
  })
)
