// What a run keeps beside its spec, by role, as it changes while the run is open: settings given anew, answers lent by
// another run. meta.json names it and is replaced whole, so that a reader sees the old roles or the new ones.
import { Effect } from "effect"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { fromFsError, type JournalError } from "../JournalError.ts"
import { encodeMeta, type RunMeta } from "./RunMeta.ts"

export interface KeptRoles {
  /** Current with what `keep` was told. */
  readonly meta: RunMeta
  /**
   * Names the blobs kept under these roles from now on; `undefined` drops a role. Durable when it returns. The blobs
   * themselves are stored before.
   */
  readonly keep: (roles: Readonly<Record<string, string | undefined>>) => Effect.Effect<void, JournalError>
}

export const makeKeptRoles = Effect.fnUntraced(function* (
  path: string,
  given: RunMeta,
  readOnly: JournalError | undefined
): Effect.fn.Return<KeptRoles, never, FsPort> {
  const fs = yield* FsPort
  let meta = given
  const keep: KeptRoles["keep"] = (roles) =>
    Effect.suspend(() => {
      if (readOnly !== undefined) return Effect.fail(readOnly)
      const blobs: Record<string, string> = {}
      for (const [role, name] of Object.entries({ ...meta.blobs, ...roles })) {
        if (name !== undefined) blobs[role] = name
      }
      const next = { ...meta, blobs }
      return Effect.map(Effect.mapError(fs.replace(path, encodeMeta(next)), fromFsError), () => {
        meta = next
      })
    })
  return {
    get meta() {
      return meta
    },
    keep
  }
})
