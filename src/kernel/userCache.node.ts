// The user's cache directory for Alembic. What can be executed (compiled code, a bundled prelude) is kept here and
// never in a project's folder or a shared temporary one, where somebody else could have put it. It is a cache: without
// a directory that only the user can write to, nothing is kept.
import { lstatSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import process from "node:process"

/** Where caches of this user live: the XDG base directory specification, or what the platform has in its place. */
const cachesOfUser = (): string | undefined => {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  if (XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME
  if (process.platform === "win32") return LOCALAPPDATA
  const home = homedir()
  if (!isAbsolute(home)) return undefined
  return process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache")
}

/** Whether the folder is one that nobody but this user can write to. A link is none. */
const isOwn = (path: string): boolean => {
  const seen = lstatSync(path)
  if (!seen.isDirectory()) return false
  const uid = process.getuid?.()
  return uid === undefined || (seen.uid === uid && (seen.mode & 0o077) === 0)
}

/** A folder `name` of the user's cache, mode 0700, made if it is missing; undefined where there can be none. */
export const userCache = (name: string): string | undefined => {
  try {
    const caches = cachesOfUser()
    if (caches === undefined) return undefined
    const own = join(caches, "alembic")
    const path = join(own, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return isOwn(own) && isOwn(path) ? path : undefined
  } catch {
    return undefined
  }
}
