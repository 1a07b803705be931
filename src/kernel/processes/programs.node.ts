// The programs that are named without a path: proof commands, command models. They are found on the path as it was
// when the command began, and never in the project, where a worker or whoever wrote the project may have put one of
// the same name: `npm run` puts `node_modules/.bin` first on the path. What a program is, is told as its hash. One that
// is named by a path is that file, wherever it is.
import { constants, createReadStream, existsSync, realpathSync } from "node:fs"
import { access, realpath, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path"
import process from "node:process"
import { sha256Stream } from "../../domain/fingerprint.ts"

/** Where a program is. `inside`: only in the project, at `path`. */
export type Located =
  | { readonly _tag: "found"; readonly path: string }
  | { readonly _tag: "inside"; readonly path: string }
  | { readonly _tag: "none" }

export type FoundProgram =
  | { readonly _tag: "found"; readonly path: string; readonly sha256: string }
  | { readonly _tag: "none"; readonly problem: string }

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const isWithin = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

const hashOf = async (path: string): Promise<string> => {
  const hash = sha256Stream()
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest()
}

const marks = [".git", ".hg", ".jj", "package.json", "node_modules", "alembic.json"]
const isMarked = (directory: string): boolean => marks.some((mark) => existsSync(join(directory, mark)))

const withParents = (directory: string): ReadonlyArray<string> => {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...withParents(parent)]
}

/**
 * The folders of the project that `directory` is in, by their real paths: itself, and the topmost one above it that
 * looks like a project. The person's home, and what holds it, is no project unless it is a repository and `directory`
 * itself: programs of the person's own are in there.
 */
export const projectOf = (directory: string, home = homedir()): ReadonlyArray<string> => {
  const own = realOf(directory)
  const ownHome = realOf(home)
  const holdsHome = (path: string): boolean => isWithin(ownHome, path)
  if (holdsHome(own)) return existsSync(join(own, ".git")) ? [own] : []
  const top = withParents(own).findLast((path) => !holdsHome(path) && isMarked(path))
  return top === undefined || top === own ? [own] : [own, top]
}

/** Windows names programs by endings that nobody writes. */
const endings =
  process.platform === "win32" ? ["", ...(process.env["PATHEXT"] ?? ".EXE").split(delimiter)] : [""]

const isPath = (name: string): boolean => name.includes("/") || name.includes(sep)

/** Programs outside `folders`, which are real paths, on `given`, a path as the environment holds it. */
export const programsOutside = (folders: ReadonlyArray<string>, given: string) => {
  const isInside = (path: string): boolean => folders.some((folder) => isWithin(path, folder))
  const entries = given.split(delimiter).filter((entry) => entry !== "")
  // A relative entry is inside by what it says: it leads to wherever the command is typed.
  const outside = entries.filter((entry) => isAbsolute(entry) && !isInside(realOf(entry)))

  const locate = async (name: string): Promise<Located> => {
    if (name === "") return { _tag: "none" }
    let inside: string | undefined
    for (const entry of entries) {
      for (const ending of endings) {
        const path = resolve(entry, `${name}${ending}`)
        if (!(await isProgram(path))) continue
        if (outside.includes(entry) && !isInside(await realpath(path))) return { _tag: "found", path }
        inside ??= path
      }
    }
    return inside === undefined ? { _tag: "none" } : { _tag: "inside", path: inside }
  }

  /** `path`: without the entries that lead into the project. */
  return { locate, path: outside.join(delimiter) }
}

/** Programs of proof commands that run in `directory`, with what they are. */
export const provingPrograms = (directory: string, given: string) => {
  const root = realOf(directory)
  const programs = programsOutside([root, ...projectOf(directory)], given)
  const hashes = new Map<string, Promise<string>>()

  const hashed = async (path: string): Promise<FoundProgram> => {
    const { ctimeMs, ino, size } = await stat(path)
    const key = [path, ino, size, ctimeMs].join(" ")
    const hash = hashes.get(key) ?? hashOf(path)
    hashes.set(key, hash)
    return { _tag: "found", path, sha256: await hash }
  }

  const find = async (name: string): Promise<FoundProgram> => {
    const missing: FoundProgram = { _tag: "none", problem: "the command could not be started (ENOENT)" }
    if (isPath(name)) {
      const path = resolve(root, name)
      return (await isProgram(path)) ? hashed(path) : missing
    }
    const located = await programs.locate(name)
    if (located._tag === "found") return hashed(located.path)
    const problem = `the command could not be started: ${name} is only in the working directory or its project, where a worker may change it; the contract can name it by its path`
    return located._tag === "none" ? missing : { _tag: "none", problem }
  }

  return { find, path: programs.path }
}

export type ModelProgram =
  | {
      readonly _tag: "program"
      readonly argv: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly _tag: "refused"; readonly problem: string }

/**
 * The program of a command model that is typed in `directories`: found once, and given a path on which it finds no
 * program of the project either. One that is not there is left to the system, which says so.
 */
export const modelPrograms = (directories: ReadonlyArray<string>, given: string) => {
  const programs = programsOutside(
    directories.flatMap((directory) => projectOf(directory)),
    given
  )
  const found = new Map<string, Promise<Located>>()

  return async (
    [name = "", ...args]: ReadonlyArray<string>,
    env: Readonly<Record<string, string>>
  ): Promise<ModelProgram> => {
    const isPathVariable = (variable: string): boolean => /^path$/i.test(variable)
    const outside = Object.fromEntries(
      Object.entries(env).map(([variable, value]) =>
        isPathVariable(variable) && value === given ? [variable, programs.path] : [variable, value]
      )
    )
    // A path that the configuration sets was agreed to as it stands.
    const isOwn = Object.entries(env).some(([variable, value]) => isPathVariable(variable) && value !== given)
    if (isOwn || isPath(name)) return { _tag: "program", argv: [name, ...args], env: outside }
    const looking = found.get(name) ?? programs.locate(name)
    found.set(name, looking)
    const located = await looking
    if (located._tag === "inside") {
      const problem = `${name} is only in the project (${located.path}), and nobody has agreed that a program of the project is run; if you trust it, alembic.json can name it by its path ("commands")`
      return { _tag: "refused", problem }
    }
    return { _tag: "program", argv: [located._tag === "found" ? located.path : name, ...args], env: outside }
  }
}
