// The processes of this machine: /proc on Linux, `ps` elsewhere. It reads, and signals nobody. `ps` is started by hand
// and waited for: it is asked before anything of a run is there, and ends at once.
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"

/** What `read` gives, or nothing where it throws: a process that is gone has no file to read. */
export const attempt = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export const linux = process.platform === "linux"

/** Where the system's own programs are: the person's path may lead into a project that has a `ps` too. */
export const systemPath = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" }

const ps = (...args: ReadonlyArray<string>): string =>
  attempt(() =>
    execFileSync("ps", args, {
      encoding: "utf8",
      stdio: "pipe",
      maxBuffer: 64 * 1024 * 1024,
      env: systemPath
    })
  ) ?? ""

export interface Seen {
  readonly started: string
  /** Ended, but its parent has not asked for its exit code yet. */
  readonly zombie: boolean
  readonly group: number
}

export const look = (pid: number): Seen | undefined => {
  if (linux) {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
    if (stat === undefined) return undefined
    // The command's name, in parentheses, may hold spaces and parentheses; fields are counted after the last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return {
      started: fields[19] ?? "",
      zombie: fields[0] === "Z" || fields[0] === "X",
      group: Number(fields[2])
    }
  }
  const [state = "", group = "", ...started] = ps("-o", "stat=,pgid=,lstart=", "-p", String(pid))
    .trim()
    .split(/\s+/)
  return state === ""
    ? undefined
    : { started: started.join(" "), zombie: state.startsWith("Z"), group: Number(group) }
}

/** Resident memory in MiB; undefined where the platform does not say. */
export const residentMb = (pid: number): number | undefined => {
  const status = linux ? attempt(() => readFileSync(`/proc/${pid}/status`, "utf8")) : undefined
  const kb = /^VmRSS:\s+(\d+)/m.exec(status ?? "")?.[1]
  return kb === undefined ? undefined : Number(kb) / 1024
}

/** A process that has not ended. */
export interface Living {
  readonly pid: number
  readonly group: number
  readonly marked: boolean
}

/** All processes that have not ended, and whether `mark` (`NAME=value`) stands in the environment of each. */
export const livingProcesses = (mark: string): ReadonlyArray<Living> => {
  if (!linux) {
    // The environment follows the command line, where the process is one's own.
    return ps("-axEww", "-o", "pid=,pgid=,stat=,command=")
      .split("\n")
      .flatMap((line) => {
        const [pid = "", group = "", state = ""] = line.trim().split(/\s+/)
        if (pid === "" || state.startsWith("Z")) return []
        return [{ pid: Number(pid), group: Number(group), marked: `${line} `.includes(` ${mark} `) }]
      })
  }
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    const seen = Number.isInteger(pid) ? look(pid) : undefined
    if (seen === undefined || seen.zombie) return []
    const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8")) ?? ""
    return [{ pid, group: seen.group, marked: `\0${environment}`.includes(`\0${mark}\0`) }]
  })
}
