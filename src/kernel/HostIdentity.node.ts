// HostIdentity of the machine: /proc on Linux, `ps` and `sysctl` elsewhere.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import process from "node:process"
import { Effect, Layer } from "effect"
import { HostIdentity, type Liveness, type ProcessIdentity } from "./HostIdentity.ts"

/** What `read` gives, or nothing where it throws: a process that is gone has no file to read. */
const attempt = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const linux = process.platform === "linux"

const boot = (): string =>
  (linux
    ? attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))
    : attempt(() => execFileSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8", stdio: "pipe" }))
  )?.trim() ?? ""

interface Seen {
  readonly started: string
  /** Ended, but its parent has not asked for its exit code yet. */
  readonly zombie: boolean
}

const look = (pid: number): Seen | undefined => {
  if (linux) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
    if (stat === undefined) return undefined
    // The command's name, in parentheses, may hold spaces and parentheses; fields are counted after the last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { started: fields[19] ?? "", zombie: fields[0] === "Z" || fields[0] === "X" }
  }
  const line = attempt(() =>
    execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" })
  )
  const [state = "", ...started] = line?.trim().split(/\s+/) ?? []
  return state === "" ? undefined : { started: started.join(" "), zombie: state.startsWith("Z") }
}

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
  return HostIdentity.of({ self, liveness: (identity) => Effect.sync(() => livenessOf(self, identity)) })
})
