// layerWithMissions: the subflows of a run that has a working directory: councils, and missions and gates on its files,
// whose proof commands run there. The mission itself is missionSubflow.ts's, loaded by the first mission.
import { Effect, Layer } from "effect"
import { FolderHashes } from "../../kernel/folder/FolderHashes.ts"
import { GivenFiles } from "../../kernel/files/GivenFiles.ts"
import { ProofRunner } from "../../mission/proofs/ProofRunner.ts"
import { lazyCouncil, lazySubflow, Subflows } from "./Subflows.ts"
import type { WorkingDirectory } from "./missionSubflow.ts"

/** The engine's own, and version control's: they change with what somebody looks at. */
const unwatched = [".git", ".git/", ".alembic/"]

/** `base` as a path below `directory`, ending in `/`; nothing where it is elsewhere. */
const below = (directory: string, base: string | undefined): ReadonlyArray<string> =>
  base !== undefined && base.startsWith(`${directory}/`) ? [`${base.slice(directory.length + 1)}/`] : []

/** SubflowsByVerb with missions on the files of `directory`. `base`: where runs are kept, absolute. */
export const layerWithMissions = (directory: string, base?: string) =>
  Layer.effect(
    Subflows,
    Effect.gen(function* () {
      const files = yield* GivenFiles
      const runner = yield* ProofRunner
      const look = yield* FolderHashes
      const own = [...unwatched, ...below(directory, base)]
      const given: WorkingDirectory = {
        readFile: (file) =>
          Effect.catch(files.read(directory, file), ({ code, message }) =>
            Effect.succeed(
              code === "missing" ? undefined : { reason: message, isOutside: code === "outside" }
            )
          ),
        ...(look === undefined
          ? {}
          : { folder: (without) => look({ root: directory, without: [...own, ...without] }) })
      }
      const mission = lazySubflow(async () =>
        (await import("./missionSubflow.ts")).makeMissionSubflow(runner, given)
      )
      const gates = lazySubflow(async () =>
        (await import("./gatesSubflow.ts")).makeGatesSubflow(runner, given)
      )
      return { council: lazyCouncil, mission, gates }
    })
  )
