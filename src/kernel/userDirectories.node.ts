// The user's own directories for Alembic, outside every project: a cache for what can be executed (compiled code, a
// bundled prelude), and a state directory for what this user has agreed to. Nobody else may write to either: without
// such a directory nothing is kept.
import { lstatSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import process from "node:process"

type Kind = "cache" | "state"

/** By the XDG base directory specification: the variable, and where it leads when it is not set. */
const xdg = {
  cache: { variable: "XDG_CACHE_HOME", below: [".cache"], mac: ["Library", "Caches"] },
  state: {
    variable: "XDG_STATE_HOME",
    below: [".local", "state"],
    mac: ["Library", "Application Support"]
  }
} as const

const baseOf = (kind: Kind): string | undefined => {
  const { below, mac, variable } = xdg[kind]
  const named = process.env[variable]
  if (named !== undefined && isAbsolute(named)) return named
  if (process.platform === "win32") return process.env["LOCALAPPDATA"]
  const home = homedir()
  return isAbsolute(home) ? join(home, ...(process.platform === "darwin" ? mac : below)) : undefined
}

/** Whether the folder is one that nobody but this user can write to. A link is none. */
const isOwn = (path: string): boolean => {
  const seen = lstatSync(path)
  if (!seen.isDirectory()) return false
  const uid = process.getuid?.()
  return uid === undefined || (seen.uid === uid && (seen.mode & 0o077) === 0)
}

const ownDirectory = (kind: Kind, name: string): string | undefined => {
  try {
    const base = baseOf(kind)
    if (base === undefined) return undefined
    const own = join(base, "alembic")
    const path = join(own, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return isOwn(own) && isOwn(path) ? path : undefined
  } catch {
    return undefined
  }
}

/** A folder `name` of the user's cache, mode 0700, made if it is missing; undefined where there can be none. */
export const userCache = (name: string): string | undefined => ownDirectory("cache", name)

/** The same of what is kept for good. */
export const userState = (name: string): string | undefined => ownDirectory("state", name)
