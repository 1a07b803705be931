// Boards as people name them: a file, or a name in alembic.json's `boards`. Read and checked before anything is
// begun, every problem with its code, its place in the file, and its line. What a board is, is the council room's.
import { Effect, FileSystem, Path, Result, Schema } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { parseConfig } from "../../adapters/registry/Config.ts"
import { Board } from "../../council/Board.ts"
import type { BoardError } from "../../council/BoardError.ts"
import { checkModels, decodeBoard, loadBoard } from "../../council/loadBoard.ts"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { badInput } from "../CommandError.ts"
import { readText, resolvePath } from "./textFiles.ts"

export interface NamedBoard {
  readonly board: Board
  /** The file as errors call it, and its text. */
  readonly file: string
  readonly text: string
}
export type NamedBoards = Readonly<Record<string, NamedBoard>>

const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Json))
const encodeBoard = Schema.encodeUnknownSync(Schema.toCodecJson(Board))

const refused = (file: string, error: BoardError) => {
  const { column, line, path } = error.problems[0]
  return badInput(error.code, `board ${file}: ${error.message}`, {
    file,
    path,
    cure: `correct ${file}`,
    ...defined({ line, column })
  })
}

export const readBoard = Effect.fnUntraced(function* (file: string) {
  const text = yield* readText("board", file, "name a board's file, or a name in alembic.json's boards")
  const board = loadBoard(text)
  return Result.isFailure(board)
    ? yield* refused(file, board.failure)
    : ({ board: board.success, file, text } satisfies NamedBoard)
})

/** What alembic.json says of boards: paths from the working directory, by name. */
const boardPaths = Effect.fnUntraced(function* (config: string | undefined, configPath: string) {
  if (config === undefined) return {}
  const paths = yield* Path.Path
  const { boards = {} } = yield* Effect.mapError(parseConfig(config), ({ message }) =>
    badInput("invalid_config", `${configPath}: ${message}`, {
      cure: `correct ${configPath} (alembic init --schema prints its schema)`
    })
  )
  const folder = paths.dirname(configPath)
  return Object.fromEntries(
    Object.entries(boards).map(([name, path]) => [
      name,
      paths.isAbsolute(path) ? path : paths.join(folder, path)
    ])
  )
})

/** The board that `given` names: a name in the configuration, else a file. */
export const oneBoard = Effect.fnUntraced(function* (
  given: string,
  config: string | undefined,
  configPath: string
) {
  const named = yield* boardPaths(config, configPath)
  return yield* readBoard(Object.hasOwn(named, given) ? (named[given] ?? given) : given)
})

/**
 * The boards of the configuration, by name. What the contract's council names otherwise is the path of a file, and
 * is known by that.
 */
const allBoards = Effect.fnUntraced(function* (
  config: string | undefined,
  configPath: string,
  wanted: string | undefined
) {
  const found: Record<string, NamedBoard> = {}
  for (const [name, path] of Object.entries(yield* boardPaths(config, configPath))) {
    found[name] = yield* readBoard(path)
  }
  if (wanted === undefined || Object.hasOwn(found, wanted)) return found
  const fs = yield* FileSystem.FileSystem
  const there = yield* Effect.orElseSucceed(fs.exists(yield* resolvePath(wanted)), () => false)
  if (!there) {
    return yield* badInput(
      "unknown_board",
      `the contract's council names the board "${wanted}": alembic.json has no such name, and there is no such file`,
      {
        path: "$.council.board",
        cure: `name its file in alembic.json: { "boards": { "${wanted}": "FILE" } }`
      }
    )
  }
  found[wanted] = yield* readBoard(wanted)
  return found
})

/** As the engine takes them. */
export const boardValues = (boards: NamedBoards): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(boards).map(([name, { board }]) => [name, encodeBoard(board)]))

/** Every model that a member of a board is bound to, for the preflight. */
const modelsOf = (board: Board): ReadonlyArray<string> =>
  board.members.flatMap(({ model }) => (model === undefined ? [] : [model]))

export const boardModels = (boards: NamedBoards): ReadonlyArray<string> => [
  ...new Set(Object.values(boards).flatMap(({ board }) => modelsOf(board)))
]

/** As a run needs them. */
export const boardsOfRun = Effect.fnUntraced(function* (
  config: string | undefined,
  configPath: string,
  wanted: string | undefined
) {
  const boards = yield* allBoards(config, configPath, wanted)
  return { values: boardValues(boards), models: boardModels(boards), check: checkBoardModels(boards) }
})

/** Of boards that a run has kept, by name. */
export const keptModels = (boards: Json): ReadonlyArray<string> => [
  ...new Set(
    Object.values(isRecord(boards) ? boards : {}).flatMap((value) =>
      Result.match(decodeBoard(value), { onFailure: () => [], onSuccess: modelsOf })
    )
  )
]

/** Refuses a member whose model names nothing, at its place in the file. */
export const checkBoardModels = Effect.fnUntraced(function* (boards: NamedBoards) {
  const registry = yield* AdapterRegistry
  for (const { board, file, text } of Object.values(boards)) {
    yield* Effect.mapError(checkModels(board, registry, text), (error) => refused(file, error))
  }
})
