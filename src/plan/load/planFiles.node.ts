// The files of plans on the disk: read as strict UTF-8, found below a folder, known by the npm package they belong to.
// Part of the live PlanBundler.
import { constants } from "node:fs"
import { open, readdir, realpath, stat } from "node:fs/promises"
import { basename, dirname, join, sep } from "node:path"
import { Result } from "effect"
import { sha256 } from "../../domain/fingerprint.ts"
import type { PlanFile } from "../bundler/PlanBundler.ts"
import { exportsRun } from "./scriptOpening.ts"
import { isWorkflowScript } from "./workflowScript.ts"

export const withSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"))
export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  switch ("code" in cause ? cause.code : undefined) {
    case "ENOENT":
      return "no such file"
    case "EISDIR":
      return "it is a directory"
    case "EACCES":
    case "EPERM":
      return "permission denied"
    default:
      return cause.message
  }
}

class NotText extends Error {}

const decode = (bytes: Uint8Array): string => {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (utf16) throw new NotText("it is UTF-16: save it as UTF-8")
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new NotText("it is not UTF-8 text")
  }
}

/** More is no source text that anybody wrote. */
const maxFileBytes = 64 * 1024 * 1024
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Of regular files only. A pipe that nobody writes to, or a device without end, would keep the reader for ever. */
const readBytes = async (absolute: string): Promise<Uint8Array> => {
  const found = await stat(absolute)
  if (!found.isFile() && !found.isDirectory()) throw new NotText("it is not a file")
  const handle = await open(absolute, withoutWaiting)
  try {
    // There may be something else by now.
    const opened = await handle.stat()
    if (opened.isDirectory()) throw new NotText("it is a directory")
    if (!opened.isFile()) throw new NotText("it is not a file")
    if (opened.size > maxFileBytes) throw new NotText(`it is over ${maxFileBytes} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

export const readPlanFile = async (absolute: string, path: string): Promise<PlanFile> => {
  const bytes = await readBytes(absolute)
  return { path, text: decode(bytes), sha256: sha256(bytes) }
}

const textOf = (path: string): Promise<string | undefined> =>
  readPlanFile(path, path).then(
    ({ text }) => text,
    () => undefined
  )

/** The npm package that a file belongs to. */
export interface Package {
  readonly dir: string
  readonly name: string
  readonly version: string
}

/** The package that a folder's own `package.json` describes. */
const describedIn = async (dir: string): Promise<Package | undefined> => {
  const text = await textOf(join(dir, "package.json"))
  const described = Result.getOrElse(
    Result.try((): unknown => (text === undefined ? undefined : JSON.parse(text))),
    () => undefined
  )
  if (typeof described !== "object" || described === null || !("name" in described)) return undefined
  if (typeof described.name !== "string") return undefined
  const version =
    "version" in described && typeof described.version === "string" ? described.version : "0.0.0"
  return { dir, name: described.name, version }
}

export const packageOf = async (
  file: string,
  seen: Map<string, Promise<Package | undefined>>
): Promise<Package | undefined> => {
  const dir = dirname(file)
  const known = seen.get(dir)
  if (known !== undefined) return known
  const found = describedIn(dir).then(
    (described) => described ?? (dirname(dir) === dir ? undefined : packageOf(dir, seen))
  )
  seen.set(dir, found)
  return found
}

/** The package's name in what an import asks for. */
const nameIn = (specifier: string): string => {
  const [first = "", second = ""] = specifier.split("/")
  return first.startsWith("@") ? `${first}/${second}` : first
}

/** Whether the folder, by its real path, is where an installer puts packages: in a `node_modules`, or a scope there. */
const isInstalled = (folder: string): boolean => {
  const above = dirname(folder)
  return basename(basename(above).startsWith("@") ? dirname(above) : above) === "node_modules"
}

/**
 * The real folder of the installed package that `specifier`, asked for in `from`, finds `file` in: a `node_modules` of
 * `from` or of a folder above it has the package, itself or by a link. A link makes a package only of a folder that
 * lies in a `node_modules` or whose `package.json` has the name; never of one that holds the plan's root. Undefined:
 * the file lies in no such package, whatever named it (an alias of `tsconfig.json`, a package's own `main`).
 */
export const installationOf = async (
  specifier: string,
  from: string,
  file: string,
  root: string
): Promise<string | undefined> => {
  const name = nameIn(specifier)
  if (/^\.{0,2}$/.test(name.split("/").at(-1) ?? "")) return undefined
  for (let dir = from; ; dir = dirname(dir)) {
    const folder = await realpath(join(dir, "node_modules", name)).catch(() => undefined)
    if (folder !== undefined && isInside(folder, file) && !isInside(folder, root)) {
      const isPackage = isInstalled(folder) || (await describedIn(folder))?.name === name
      if (isPackage) return folder
    }
    if (dirname(dir) === dir) return undefined
  }
}

const isPlan = async (file: string): Promise<boolean> => {
  const text = (await textOf(file)) ?? ""
  return isWorkflowScript(file, text) || exportsRun(text)
}

export const plansBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) {
      found.push(...(await plansBelow(path)))
    } else if (
      entry.isFile() &&
      /\.[cm]?[jt]s$/.test(entry.name) &&
      !entry.name.includes(".d.") &&
      (await isPlan(path))
    ) {
      found.push(path)
    }
  }
  return found
}
