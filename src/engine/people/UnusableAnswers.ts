// UnusableAnswers: answers of people that their calls could not use, out of the log: what was said was empty, or did not
// fit. Once such a call is made again its person is asked anew. Pure.
import { callId, type CallRef } from "../../domain/Call.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"

export class UnusableAnswers {
  /** Calls that were answered by a person, with the item; those that then failed; those that are asked anew. */
  private readonly answered = new Map<string, string>()
  private readonly failed = new Set<string>()
  private readonly anew = new Set<string>()

  asked(event: RunEventOf<"QuestionAsked">): void {
    if (event.kind !== "question") return
    this.answered.set(callId(event), event.item)
    this.anew.delete(callId(event))
  }

  /** `code`: of the failure that the call ended with, if it did. */
  completed(ref: CallRef, code: unknown): void {
    if (this.answered.size === 0) return
    const id = callId(ref)
    if (code === "invalid_response" && this.answered.has(id)) this.failed.add(id)
    else this.failed.delete(id)
  }

  /** Forgets the answers of the failed calls that are made again: those that `only` names, or all. Gives their items. */
  reopened(only: ReadonlyArray<CallRef> | undefined): ReadonlyArray<string> {
    const named = only === undefined ? undefined : new Set(only.map(callId))
    const dropped = [...this.failed].filter((id) => named === undefined || named.has(id))
    return dropped.flatMap((id) => {
      const item = this.answered.get(id)
      this.failed.delete(id)
      this.answered.delete(id)
      this.anew.add(id)
      return item === undefined ? [] : [item]
    })
  }

  /** Whether the call's person is to be asked anew, and not those before them in its chain. */
  isAskedAnew(id: string): boolean {
    return this.anew.has(id)
  }
}
