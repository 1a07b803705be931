// layerWithMissions: the rooms of a run that has a working directory: councils, and missions and gates on its files,
// whose proof commands run there. The mission itself is missionRoom.ts's, loaded by the first mission.
import { Effect, Layer } from "effect"
import { GivenFiles } from "../../kernel/GivenFiles.ts"
import { ProofRunner } from "../../mission/ProofRunner.ts"
import { lazyCouncil, lazyRoom, RunRooms } from "../Room.ts"

/** Rooms with missions on the files of `directory`. */
export const layerWithMissions = (directory: string) =>
  Layer.effect(
    RunRooms,
    Effect.gen(function* () {
      const files = yield* GivenFiles
      const runner = yield* ProofRunner
      const readFile = (file: string) =>
        Effect.catch(files.read(directory, file), ({ code, message }) =>
          Effect.succeed(code === "missing" ? undefined : { reason: message })
        )
      const mission = lazyRoom(async () =>
        (await import("./missionRoom.ts")).makeMissionRoom(runner, readFile)
      )
      const gates = lazyRoom(async () => (await import("./gatesRoom.ts")).makeGatesRoom(runner, readFile))
      return { council: lazyCouncil, mission, gates }
    })
  )
