// forkOf: what an opened run says of the call that it changes, if it is a fork.
import { Effect, Schema } from "effect"
import { Fork } from "../../domain/run/Fork.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"

const decode = Schema.decodeUnknownEffect(Fork)

export const forkOf = Effect.fnUntraced(function* ({ blobs, dir, meta }: RunJournal) {
  const { fork } = meta.parts
  if (fork === undefined) return undefined
  return yield* Effect.mapError(
    decode(yield* blobs.get(fork)),
    () =>
      new JournalError({
        code: "meta_mismatch",
        path: `${dir}/meta.json`,
        problem: "its fork is not one",
        cure: "restore the run from a copy"
      })
  )
})
