// turnProtocol: what a plan's process may say, held against what it was told and what it said before. A process that
// breaks it is believed in nothing more: the run ends as `plan_protocol`. Pure; decoding a line is planTurn.ts's.
//
// Invariants of the turns of one plan:
// T1  Calls are numbered from 1, by one, through the whole run, and are at most as many as the limits allow.
// T2  A cancel is of a call that is pending: issued, neither cancelled nor answered.
// T3  Slots hold no more answers than there are, and their sums stay small enough to be counted.
// T4  Of a batch as many answers are taken as can be: all, or those before the first whose call is not pending, or
//     those before the plan ended.
// T5  A plan waits only while a call is pending.
// T6  Every string has a UTF-8 form, every number is finite, nothing nests deeper than a value may.
import { maxValueDepth } from "../../domain/json/canonicalJson.ts"
import type { Limits } from "../inside/record.ts"
import type { Answer, PlanRequest, Turn } from "./PlanProtocol.ts"

/** A turn as the process says it: `ended` where the plan does not wait any more. */
interface SaidTurn {
  readonly requests: ReadonlyArray<PlanRequest>
  readonly delivered: number
  readonly ended: boolean
}

/** Far above what any plan gathers, and far below what cannot be counted. */
const mostSlots = 1e12

/** Room for what is put around a value in a request. */
const maxDepth = maxValueDepth + 8

/** T6. Without calling itself: the value may nest as deep as it likes. */
export const isPlainSaid = (value: unknown): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return false
    const next: Array<unknown> = []
    for (const one of level) {
      if (typeof one === "string" ? !one.isWellFormed() : typeof one === "number" && !Number.isFinite(one))
        return false
      if (typeof one !== "object" || one === null) continue
      if (Array.isArray(one)) for (const element of one) next.push(element)
      else {
        for (const [key, member] of Object.entries(one)) {
          if (!key.isWellFormed()) return false
          next.push(member)
        }
      }
    }
    level = next
  }
  return true
}

export class TurnProtocol {
  private readonly limits: Pick<Limits, "calls">
  private readonly pending = new Set<number>()
  private issued = 0
  private slots = 0

  constructor(limits: Pick<Limits, "calls">) {
    this.limits = limits
  }

  /** What is wrong with the turn; undefined if nothing is. `batch`: the answers that it follows. */
  problem({ delivered, ended, requests }: SaidTurn, batch: ReadonlyArray<Answer>): string | undefined {
    if (delivered < 0 || delivered > batch.length) return `it took ${delivered} of ${batch.length} answers`
    for (const { n } of batch.slice(0, delivered)) {
      if (!this.pending.delete(n) && n > this.issued) {
        // Its call may have been issued within this very batch.
        if (!requests.some((request) => request.t === "call" && request.n === n))
          return `it took the answer of call ${n}, which it never made`
      }
    }
    const taken = new Set(batch.slice(0, delivered).map(({ n }) => n))
    for (const request of requests) {
      const wrong = this.request(request, taken)
      if (wrong !== undefined) return wrong
    }
    if (ended) return undefined
    const next = batch[delivered]
    if (next !== undefined && this.pending.has(next.n)) return `it left the answer of call ${next.n}`
    return this.pending.size === 0 ? "it waits, and no call is pending" : undefined
  }

  private request(request: PlanRequest, taken: ReadonlySet<number>): string | undefined {
    switch (request.t) {
      case "call":
        if (request.n !== this.issued + 1 || request.n > this.limits.calls)
          return `call ${request.n} follows call ${this.issued}`
        this.issued = request.n
        if (!taken.has(request.n)) this.pending.add(request.n)
        return undefined
      case "cancel":
        return this.pending.delete(request.n)
          ? undefined
          : `it cancelled call ${request.n}, which is not pending`
      case "slots":
        this.slots += request.of
        return request.done >= 0 && request.done <= request.of && this.slots <= mostSlots
          ? undefined
          : `it counted ${request.done} of ${request.of} slots`
      default:
        return undefined
    }
  }
}

/** A turn that broke the protocol: nothing it says is taken. */
export const brokenTurn = (problem: string): Turn => ({
  requests: [],
  delivered: 0,
  state: {
    t: "failed",
    error: {
      code: "plan_protocol",
      message: `the plan's process said what no plan's process says: ${problem.slice(0, 500)}`,
      cure: "look at the plan for code that reaches into the engine; nothing of this turn was taken"
    }
  }
})
