// Doubts: which model calls of a log were dispatched without a word of what became of them, and what a person said of
// that. A pure fold over the events: the run that goes on is held to it, and so is one that borrows its answers.
//
// Invariants:
// U1  A call is in doubt from its dispatch until it has an end: an answer, a cancel, a parking.
// U2  A question about a doubt belongs to the last dispatch: the next one forgets it, and what was answered.
// U3  A call that ends while such a question stands was not made again: it was skipped.
// U4  A reopening that drops a skipped call brings its doubt back, without the answer: the person is asked again.
import { callId, type CallRef } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"

/** The question whether a call in doubt is made again. */
export const isAboutDoubt = ({ choices, kind }: RunEventOf<"QuestionAsked">): boolean =>
  kind === "approval" && choices?.includes("retry") === true

/** Whether that answer lets the call be made again. */
export const isRetry = (answer: Json | undefined): boolean => answer === "retry" || answer === "approve"

/** A dispatch that may have acted. */
export interface Doubt extends CallRef {
  /** How many dispatches before it are in doubt as well. */
  readonly retry: number
  /** A person said that it is not made again. */
  readonly skipped: boolean
}

interface Dispatch extends CallRef {
  readonly retry: number
}

const dispatchOf = ({ key, occurrence, retry = 0 }: RunEventOf<"CallScheduled">): Dispatch => ({
  key,
  occurrence,
  retry
})

export class Doubts {
  /** Dispatched, with no end; by call id. */
  private readonly open = new Map<string, Dispatch>()
  /** Ended by a person's word; by call id. */
  private readonly skipped = new Map<string, Dispatch>()
  /** The item that asks about the last dispatch of a call; by call id. */
  private readonly items = new Map<string, string>()
  private readonly answers = new Map<string, Json>()

  /** Folds one more event in. */
  add(event: RunEvent): void {
    switch (event.type) {
      case "CallScheduled": {
        if (event.call.verb !== "agent") return
        const id = callId(event)
        if (this.items.size > 0) this.forget(id)
        this.skipped.delete(id)
        this.open.set(id, dispatchOf(event))
        return
      }
      case "CallCompleted": {
        const id = callId(event)
        const dispatch = this.open.get(id)
        if (dispatch !== undefined && this.items.has(id)) this.skipped.set(id, dispatch)
        this.open.delete(id)
        return
      }
      case "CallCancelled":
      case "CallParked":
        this.open.delete(callId(event))
        return
      case "QuestionAsked":
        if (isAboutDoubt(event)) this.items.set(callId(event), event.item)
        return
      case "QuestionAnswered":
        if (this.items.size > 0) this.answers.set(event.item, event.answer)
        return
      case "RunReopened": {
        const only = event.only === undefined ? undefined : new Set(event.only.map(callId))
        for (const [id, dispatch] of this.skipped) {
          if (only !== undefined && !only.has(id)) continue
          this.skipped.delete(id)
          this.forget(id)
          this.open.set(id, dispatch)
        }
        return
      }
      default:
        return
    }
  }

  private forget(id: string): void {
    const item = this.items.get(id)
    if (item === undefined) return
    this.items.delete(id)
    this.answers.delete(item)
  }

  /** Forgets what was asked and answered under that item: it was answered by somebody else. */
  disown(item: string): void {
    for (const [id, known] of this.items) if (known === item) this.forget(id)
  }

  /** Whether nobody knows what became of the last dispatch of that call. */
  isOpen(id: string): boolean {
    return this.open.has(id)
  }

  /** The item that asks about the last dispatch of that call. */
  itemOf(id: string): string | undefined {
    return this.items.get(id)
  }

  /** All that is in doubt, and what was skipped. */
  get all(): ReadonlyArray<Doubt> {
    const isSkipped = (id: string): boolean => {
      const item = this.items.get(id)
      const answer = item === undefined ? undefined : this.answers.get(item)
      return answer !== undefined && !isRetry(answer)
    }
    return [
      ...[...this.open].map(([id, dispatch]) => ({ ...dispatch, skipped: isSkipped(id) })),
      ...[...this.skipped.values()].map((dispatch) => ({ ...dispatch, skipped: true }))
    ]
  }
}
