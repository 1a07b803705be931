// Plans by name and in folders: what `check` looks at when it is given a directory.
import { Effect, FileSystem, Path } from "effect"
import { isWorkflowScript } from "../../plan/load/workflowScript.ts"
import { badInput } from "../CommandError.ts"
import { resolvePath, textOf, whyUnreadable } from "./textFiles.ts"

export interface PlanPath {
  /** As it was given, or found below what was given. */
  readonly shown: string
  readonly path: string
}

const module = /\.plan\.[cm]?[jt]sx?$/
const skipped = new Set(["node_modules", ".git", ".alembic"])

const inFolder = Effect.fnUntraced(function* (shown: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const found: Array<PlanPath> = []
  const pending: Array<PlanPath> = [{ shown, path }]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(folder.path), (): Array<string> => [])
    for (const name of names) {
      const one = { shown: paths.join(folder.shown, name), path: paths.join(folder.path, name) }
      const type = yield* Effect.orElseSucceed(
        Effect.map(fs.stat(one.path), (info) => info.type),
        () => "Unknown" as const
      )
      if (type === "Directory" && !skipped.has(name)) pending.push(one)
      else if (type === "File" && module.test(name)) found.push(one)
      else if (type === "File" && /\.m?js$/.test(name)) {
        const text = yield* Effect.orElseSucceed(Effect.map(fs.readFile(one.path), textOf), () => undefined)
        if (text !== undefined && isWorkflowScript(name, text)) found.push(one)
      }
    }
  }
  return found.toSorted((left, right) => (left.shown < right.shown ? -1 : 1))
})

/** Every file that is named, and every plan in the folders that are. */
export const findPlans = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const found: Array<PlanPath> = []
  for (const shown of given) {
    const path = yield* resolvePath(shown)
    const type = yield* Effect.orElseSucceed(
      Effect.map(fs.stat(path), (info) => info.type),
      () => "Unknown" as const
    )
    if (type !== "Directory") {
      found.push({ shown, path })
      continue
    }
    yield* Effect.mapError(fs.readDirectory(path), (error) =>
      badInput("unreadable", `folder ${shown}: ${whyUnreadable(error)}`, { path: shown })
    )
    const plans = yield* inFolder(shown, path)
    if (plans.length === 0) {
      return yield* badInput("no_plan", `folder ${shown} holds no plan (*.plan.ts) and no workflow script`, {
        path: shown,
        cure: "alembic init, or name the file"
      })
    }
    found.push(...plans)
  }
  return found
})
