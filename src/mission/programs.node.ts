// The programs of proof commands: found on the path as it was before the run, never in the working directory, where
// a worker may put one of the same name; and what they are, as a hash. A program that the contract names by a path is
// that file, wherever it is.
import { constants, createReadStream, realpathSync } from "node:fs"
import { access, realpath, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join, resolve, sep } from "node:path"
import { sha256Stream } from "../domain/fingerprint.ts"

export type FoundProgram =
  | { readonly t: "found"; readonly path: string; readonly sha256: string }
  | { readonly t: "none"; readonly problem: string }

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

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

/** Programs for commands in `directory`, on `given`, a path as the environment holds it. */
export const programsOutside = (directory: string, given: string) => {
  const root = realOf(directory)
  const isWithin = (path: string): boolean => path === root || path.startsWith(`${root}${sep}`)
  const entries = given.split(delimiter).filter((entry) => entry !== "")
  const outside = entries.filter((entry) => isAbsolute(entry) && !isWithin(realOf(entry)))
  const within = entries.filter((entry) => !outside.includes(entry))
  const hashes = new Map<string, Promise<string>>()

  const hashed = async (path: string): Promise<FoundProgram> => {
    const { ctimeMs, ino, size } = await stat(path)
    const key = [path, ino, size, ctimeMs].join(" ")
    const hash = hashes.get(key) ?? hashOf(path)
    hashes.set(key, hash)
    return { t: "found", path, sha256: await hash }
  }

  const find = async (name: string): Promise<FoundProgram> => {
    const missing: FoundProgram = { t: "none", problem: "the command could not be started (ENOENT)" }
    if (name.includes("/") || name.includes(sep)) {
      const path = resolve(root, name)
      return (await isProgram(path)) ? hashed(path) : missing
    }
    if (name === "") return missing
    for (const entry of outside) {
      const path = join(entry, name)
      if ((await isProgram(path)) && !isWithin(await realpath(path))) return hashed(path)
    }
    for (const entry of within) {
      const path = resolve(root, entry, name)
      if (await isProgram(path)) {
        const problem = `the command could not be started: ${name} is only in the working directory, where a worker may change it; the contract can name it by its path`
        return { t: "none", problem }
      }
    }
    return missing
  }

  return { find, path: outside.join(delimiter) }
}
