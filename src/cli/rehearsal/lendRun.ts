// lendRun: a copy of a run where a plan may be tried on its answers, and nothing of the run itself is touched.
import { Effect, FileSystem, Path } from "effect"
import { badInput } from "../CommandError.ts"
import { whyUnreadable } from "../inputs/textFiles.ts"

/** Copies the run into the base directory `temporary`. */
export const lendRun = Effect.fnUntraced(
  function* (baseDir: string, temporary: string, runId: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fs.makeDirectory(path.join(temporary, "runs"), { recursive: true })
    const copy = path.join(temporary, "runs", runId)
    yield* fs.copy(path.join(baseDir, "runs", runId), copy)
    // What the run has started is none of the copy's: a forecast ends nothing.
    yield* fs.remove(path.join(copy, "children"), { recursive: true, force: true })
  },
  Effect.mapError((error) => badInput("unreadable", `the run to reuse: ${whyUnreadable(error)}`))
)
