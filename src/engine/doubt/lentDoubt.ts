// LentDoubt: a call that another run was making when it was stopped, asked for by a run that takes its answers. It may
// have acted, so that it is in doubt here too: journaled as a dispatch of this run, and asked about like one.
import { Effect } from "effect"
import type { JournalError } from "../../journal/JournalError.ts"
import type { IssuedCall } from "../calls/CallBook.ts"
import type { Dispatcher } from "../calls/Dispatcher.ts"
import { mayActAgain, type PendingItems } from "../people/pendingItems.ts"
import type { Alike } from "../reuse/lentCopy.ts"
import type { RunContext } from "../run/RunContext.ts"

/** The call, in doubt if it was lent so. For calls to which nothing was answered. */
export type TakeLentDoubt = (call: IssuedCall, alike?: Alike) => Effect.Effect<IssuedCall, JournalError>

export const makeLentDoubt = (
  run: RunContext,
  items: PendingItems,
  { schedule }: Pick<Dispatcher, "schedule">
): TakeLentDoubt =>
  Effect.fnUntraced(function* (call, alike) {
    // A call that this run knows has doubts of its own.
    if (call.earlier !== undefined || !mayActAgain(call)) return call
    const lent = run.reuse.doubt(call.id, alike)
    if (lent === undefined) return call
    yield* schedule(call, {}, lent.retry === 0 ? undefined : lent.retry)
    return yield* items.takeOver(call, lent)
  })
