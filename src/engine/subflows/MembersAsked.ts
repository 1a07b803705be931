// MembersAsked: which call asked which member of a debate, so that a statement that nobody could read can be asked for
// again. The call itself has succeeded: only its debate says that the answer is of no use.
import { Option, Schema } from "effect"
import type { CallRef } from "../../domain/Call.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"

/** A member's call, and the id of the council or mission that it was made for. */
export interface Unreadable {
  readonly call: CallRef
  readonly subflow: CallRef
}

const decodeFailure = Schema.decodeUnknownOption(
  Schema.Struct({ phase: Schema.String, member: Schema.String })
)
const decodeSpec = Schema.decodeUnknownOption(Schema.Struct({ of: Schema.String }))

const idOf = ({ key, occurrence }: CallRef) => `${key}#${occurrence}`

/**
 * 1. A call is unreadable only if a debate has recorded the failure of the member that it asked, in that phase.
 * 2. A reopening forgets what is unreadable, not what was asked: it is recorded anew, or was answered.
 */
export class MembersAsked {
  private readonly calls = new Map<string, Array<{ readonly label: string; readonly call: CallRef }>>()
  private found: Array<Unreadable> = []

  scheduled({ call, key, label, occurrence }: RunEventOf<"CallScheduled">): void {
    if (label === undefined || !label.startsWith("council/")) return
    const subflow = Option.getOrUndefined(decodeSpec(call.spec))?.of
    if (subflow === undefined) return
    const known = this.calls.get(subflow) ?? []
    this.calls.set(subflow, [...known, { label, call: { key, occurrence } }])
  }

  recorded({ data, key, kind, occurrence }: RunEventOf<"RoomRecorded">): void {
    if (kind !== "member_failure") return
    const failure = Option.getOrUndefined(decodeFailure(data))
    if (failure === undefined) return
    const subflow = { key, occurrence }
    const said = `council/${failure.phase}/${failure.member}`
    for (const { call, label } of this.calls.get(idOf(subflow)) ?? []) {
      // A phase that is held again in other orders has a suffix for each.
      if (label === said || label.startsWith(`${said}/order-`)) this.found.push({ call, subflow })
    }
  }

  clear(): void {
    this.found = []
  }

  get unreadable(): ReadonlyArray<Unreadable> {
    return this.found
  }
}
