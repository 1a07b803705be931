// How much a directory holds, links not followed.
import { Effect } from "effect"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"

/** Bytes of the files in it; 0 where nothing is. */
export const treeBytes = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<number, JournalError, FsPort> {
  const fs = yield* FsPort
  const stat = yield* Effect.mapError(fs.stat(path), fromFsError)
  if (stat?.type !== "directory") return stat?.size ?? 0
  let total = 0
  for (const name of yield* Effect.mapError(fs.list(path), fromFsError))
    total += yield* treeBytes(`${path}/${name}`)
  return total
})
