// Workflow scripts of a project that another script reaches by path: where the project is, and which scripts of it a
// computed path may mean. Part of the live PlanBundler.
import { lstat, readdir, realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, dirname, join, relative, resolve } from "node:path"
import type { FoundScripts, PlanFile, ScriptPaths } from "../bundler/PlanBundler.ts"
import { isInside, readPlanFile, withSlashes } from "./planFiles.node.ts"
import { isWorkflowScript } from "./workflowScript.ts"

const markers = [".git", "package.json", "alembic.json"]

/** How many files and folders are looked at, and how large a script may be. */
const maxEntries = 20_000
const maxBytes = 4 * 1024 * 1024

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false
  )

/** The folder of the project that the plan's folder is in; the plan's folder itself if nothing says that there is one. */
const projectOf = async (root: string): Promise<string> => {
  for (let at = root; ; at = dirname(at)) {
    const above = dirname(at)
    if (basename(at) === ".claude") return above === homedir() ? root : above
    for (const marker of markers) if (await isThere(join(at, marker))) return at
    if (above === at) return root
  }
}

/** A script of the project by a path that starts at the plan's folder or at the project's; by link too, if inside. */
export const scriptInProject = async (root: string, path: string): Promise<PlanFile | undefined> => {
  const project = await projectOf(root)
  for (const from of [root, project]) {
    const absolute = await realpath(resolve(from, path)).catch(() => undefined)
    if (absolute === undefined || !isInside(project, absolute)) continue
    return await readPlanFile(absolute, withSlashes(relative(root, absolute)))
  }
  return undefined
}

/** JavaScript files below `folder`, in the order of their paths, not in `node_modules` or folders that hide. */
const scriptsBelow = async (folder: string, budget: { left: number }): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const waiting = [folder]
  for (let at = waiting.shift(); at !== undefined && budget.left > 0; at = waiting.shift()) {
    const here = at
    const entries = await readdir(here, { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (budget.left-- <= 0) break
      const hides = entry.name === "node_modules" || (entry.name.startsWith(".") && entry.name !== ".claude")
      if (entry.isDirectory() && !hides) waiting.push(join(here, entry.name))
      else if (entry.isFile() && /\.m?js$/.test(entry.name)) found.push(join(here, entry.name))
    }
  }
  return found
}

/**
 * The scripts that a computed path may mean, each by its path from the project's folder and from the plan's. Where
 * both mean something else, the plan's folder comes first, so it comes last here.
 */
export const scriptsOfProject = async (
  plan: { readonly root: string; readonly path: string },
  { head, tail }: ScriptPaths
): Promise<FoundScripts> => {
  const { root } = plan
  const project = await projectOf(root)
  const budget = { left: maxEntries }
  const files = new Map<string, PlanFile>()
  for (const from of new Set([resolve(root, head), resolve(project, head)])) {
    if (!isInside(project, from)) continue
    for (const path of await scriptsBelow(from, budget)) {
      if (!path.endsWith(tail) || files.has(path)) continue
      const { size } = await lstat(path)
      const own = withSlashes(relative(root, path))
      const file = size > maxBytes ? undefined : await readPlanFile(path, own).catch(() => undefined)
      if (file !== undefined && own !== plan.path && isWorkflowScript(path, file.text)) files.set(path, file)
    }
  }
  const byName = new Map<string, PlanFile>()
  for (const [path, file] of files) byName.set(withSlashes(relative(project, path)), file)
  for (const file of files.values()) byName.set(file.path, file)
  return { scripts: [...byName], complete: budget.left > 0 }
}
