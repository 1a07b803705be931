// layerWithMissions: the rooms of a run that has a working directory: councils, and missions on its files, whose proof
// commands run there. The mission itself is missionRoom.ts's, loaded by the first mission.
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { ProofRunner } from "../../mission/ProofRunner.ts"
import { lazyCouncil, lazyRoom, RunRooms } from "../Room.ts"

/** Rooms with missions on the files of `directory`. */
export const layerWithMissions = (directory: string) =>
  Layer.effect(
    RunRooms,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const runner = yield* ProofRunner
      const readFile = (file: string) =>
        fs.readFile(path.join(directory, file)).pipe(Effect.option, Effect.map(Option.getOrUndefined))
      const mission = lazyRoom(async () =>
        (await import("./missionRoom.ts")).makeMissionRoom(runner, readFile)
      )
      return { council: lazyCouncil, mission }
    })
  )
