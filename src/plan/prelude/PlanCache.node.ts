// PlanCache, live: files in the user's own cache. Where there is no directory that the user alone may write to, nothing
// is kept.
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { Effect, Layer } from "effect"
import { sha256 } from "../../domain/fingerprint.ts"
import { userCache } from "../../kernel/userDirectories.node.ts"
import { PlanCache, type PlanCacheStore } from "./PlanCache.ts"

const pathFor = (name: string): string | undefined => {
  const directory = userCache("plans")
  return directory === undefined ? undefined : join(directory, name)
}

const live: PlanCacheStore = {
  pathFor,
  read: (name) =>
    Effect.promise(async () => {
      const path = pathFor(name)
      return path === undefined ? undefined : readFile(path, "utf8").catch(() => undefined)
    }),
  // A reader never sees half of it.
  keep: (name, text) =>
    Effect.promise(async () => {
      const path = pathFor(name)
      if (path === undefined) return
      const unfinished = `${path}.${sha256(`${process.pid}${process.hrtime.bigint()}`).slice(0, 12)}`
      try {
        await writeFile(unfinished, text)
        await rename(unfinished, path)
      } catch {
        await rm(unfinished, { force: true }).catch(() => {})
      }
    })
}

export const layer: Layer.Layer<never> = Layer.succeed(PlanCache, live)
