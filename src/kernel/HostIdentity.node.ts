// HostIdentity of the machine: /proc on Linux, `sysctl` elsewhere; processes by processTable.node.ts.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import process from "node:process"
import { Effect, Layer } from "effect"
import { endLeft } from "./processes/endLeft.node.ts"
import { HostIdentity, type Liveness, type ProcessIdentity } from "./HostIdentity.ts"
import { attempt, linux, look, systemPath } from "./processes/processTable.node.ts"

const boot = (): string =>
  (linux
    ? attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))
    : attempt(() =>
        execFileSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8", stdio: "pipe", env: systemPath })
      )
  )?.trim() ?? ""

/** Signal 0 asks whether the process is there; a refusal for lack of rights says that it is. */
const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return typeof cause === "object" && cause !== null && "code" in cause && cause.code !== "ESRCH"
  }
}

const livenessOf = (self: ProcessIdentity, other: ProcessIdentity): Liveness => {
  if (other.host !== self.host) return "elsewhere"
  if (other.boot !== self.boot) return "dead"
  if (other.pid <= 0 || !answers(other.pid)) return "dead"
  const seen = look(other.pid)
  // It answers and cannot be looked at: better to wait for a stranger than to share a run with the owner.
  if (seen === undefined) return "alive"
  if (seen.zombie) return "dead"
  return seen.started === "" || other.started === "" || seen.started === other.started ? "alive" : "dead"
}

/** The live layer. */
export const layer: Layer.Layer<HostIdentity> = Layer.sync(HostIdentity, () => {
  const self: ProcessIdentity = {
    pid: process.pid,
    started: look(process.pid)?.started ?? "",
    boot: boot(),
    host: hostname()
  }
  return HostIdentity.of({
    self,
    liveness: (identity) => Effect.sync(() => livenessOf(self, identity)),
    startOf: (pid) => Effect.sync(() => look(pid)?.started),
    endLeft
  })
})
