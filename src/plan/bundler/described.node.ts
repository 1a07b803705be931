// What esbuild reads by itself while it looks for a module: the `package.json` of folders on the way, and what Yarn
// writes in the place of `node_modules`. It would wait for ever at a pipe, and read a device without end, so each is
// looked at before esbuild is asked.
import { realpath, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

const names = ["package.json", ".pnp.data.json", ".pnp.cjs", ".pnp.js"]
const maxBytes = 16 * 1024 * 1024

const ancestors = function* (from: string): Generator<string> {
  for (let dir = from; ; dir = dirname(dir)) {
    yield dir
    if (dirname(dir) === dir) return
  }
}

/** The folders on the way to what `specifier` may mean in `from`. */
const foldersFor = (specifier: string, from: string): ReadonlyArray<string> => {
  const parts = specifier.split("/")
  if (specifier.startsWith(".")) return [resolve(from, specifier), dirname(resolve(from, specifier))]
  const steps = parts.map((_, index) => parts.slice(0, index + 1).join("/"))
  return [...ancestors(from)].flatMap((dir) => steps.map((step) => join(dir, "node_modules", step)))
}

export interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** One for each build: a folder is looked at once. */
export class Descriptions {
  private readonly seen = new Map<string, Promise<Unreadable | undefined>>()

  /** The first file on the way that nobody may read; undefined if there is none. */
  async unreadable(specifier: string, from: string): Promise<Unreadable | undefined> {
    for (const folder of [from, ...foldersFor(specifier, from)]) {
      const problem = await this.onTheWay(folder)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  /** In a folder and above it, and the same where the folder really is. */
  private async onTheWay(folder: string): Promise<Unreadable | undefined> {
    const known = this.seen.get(folder)
    if (known !== undefined) return known
    const found = this.lookAbove(folder)
    this.seen.set(folder, found)
    return found
  }

  private async lookAbove(folder: string): Promise<Unreadable | undefined> {
    const real = await realpath(folder).catch(() => undefined)
    if (real !== undefined) {
      const here = await unreadableIn(folder)
      if (here !== undefined) return here
      const there = real === folder ? undefined : await this.onTheWay(real)
      if (there !== undefined) return there
    }
    return dirname(folder) === folder ? undefined : this.onTheWay(dirname(folder))
  }
}

const unreadableIn = async (folder: string): Promise<Unreadable | undefined> => {
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || found.isDirectory()) continue
    if (!found.isFile()) return { path, reason: "is not a regular file" }
    if (found.size > maxBytes) return { path, reason: `is over ${maxBytes} bytes` }
  }
  return undefined
}
