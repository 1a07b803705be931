// CallsInFlight: the calls in flight. Each runs in a fiber of its own and comes back through the inbox, and so does what
// subflows ask of the run. In a hermetic run they run until quiet, and then logical time moves to what is due first.
// Ends them all with the scope.
import { Deferred, Effect, Exit, Fiber, Queue } from "effect"
import type { Guards } from "../../adapters/guard/Guards.ts"
import type { AgentOptions } from "../../domain/Call.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { ModelRunResult } from "../../domain/ModelRun.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"
import type { EndedAttempt, StartingAttempt } from "../../adapters/guard/AttemptPort.ts"
import type { ModelError } from "../../domain/ModelError.ts"
import type { Part } from "../budget/BudgetDesk.ts"
import { isOfSubflow, type IssuedCall } from "./CallBook.ts"
import type { ApprovalWanted } from "../subflows/Subflow.ts"
import type { RunContext } from "../run/RunContext.ts"

/** What became of a call. */
export interface Outcome {
  readonly call: IssuedCall
  readonly result: Json
  /** The same, for a model call. */
  readonly model: ModelRunResult | undefined
  /** Its last attempt, where that is more than the result tells. */
  readonly last?: EndedAttempt
}

/** What a call in flight says of its attempts. */
export type AttemptNote =
  | { readonly _tag: "ended"; readonly call: IssuedCall; readonly attempt: EndedAttempt }
  /** It waits for `reply` before it sends the attempt. */
  | {
      readonly _tag: "admit"
      readonly call: IssuedCall
      readonly attempt: StartingAttempt
      readonly reply: Deferred.Deferred<void, ModelError>
    }

/** What a subflow asks of the run, for the call it answers. */
export type SubflowRequest =
  | {
      readonly _tag: "ask"
      readonly subflow: IssuedCall
      readonly options: AgentOptions
      readonly part?: Part
      readonly reply: Reply
    }
  | {
      readonly _tag: "step"
      readonly subflow: IssuedCall
      readonly kind: string
      readonly spec: Json
      readonly run: Effect.Effect<Json>
      readonly reply: Reply
    }
  | {
      readonly _tag: "question"
      readonly subflow: IssuedCall
      readonly ask: Pick<RunEventOf<"QuestionAsked">, "kind" | "text" | "choices">
      readonly reply: Reply
    }
  | {
      readonly _tag: "approval"
      readonly subflow: IssuedCall
      readonly wanted: ApprovalWanted
      readonly reply: Reply
    }
  | {
      readonly _tag: "waiver"
      readonly subflow: IssuedCall
      readonly wanted: ApprovalWanted
      readonly reply: Reply
    }
  | { readonly _tag: "record"; readonly subflow: IssuedCall; readonly kind: string; readonly data: Json }
export type Reply = Deferred.Deferred<Json>

/** The adapter whose health a call depends on last: the last link of its chain. */
export const lane = (call: IssuedCall): string => call.chain.at(-1)?.adapter.id ?? "none"

/** Whether a model answers it, so that it takes one of the run's places. */
const isModelCall = (call: IssuedCall): boolean => call.chain.length > 0

/** Whether a subflow answers it: a verb that makes further calls. */
const isSubflow = (call: IssuedCall): boolean => isOfSubflow(call) && call.parent === undefined

type Message =
  | { readonly _tag: "completed"; readonly outcome: Outcome }
  | { readonly _tag: "gone"; readonly n: number }
  | { readonly _tag: "request"; readonly request: SubflowRequest }
  | { readonly _tag: "attempt"; readonly note: AttemptNote }
  | { readonly _tag: "signal"; readonly signal: string }
  | { readonly _tag: "nudge" }
  | { readonly _tag: "moved" }

/** What came in since the last look. */
export interface Landed {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly requests: ReadonlyArray<SubflowRequest>
  readonly attempts: ReadonlyArray<AttemptNote>
  readonly signal: string | undefined
  /** Somebody was told to look again. */
  readonly nudged: boolean
  /** The program went on by itself. */
  readonly moved: boolean
}

export const makeCallsInFlight = Effect.fnUntraced(function* (run: RunContext) {
  const inbox = yield* Queue.unbounded<Message>()
  const fork = Effect.runForkWith(yield* Effect.context<Guards>())
  const inFlight = new Map<number, { readonly call: IssuedCall; readonly fiber: Fiber.Fiber<unknown> }>()
  const untilQuiet = run.hermetic?.turns.untilQuiet ?? Effect.void
  // Counted, not looked for: they are asked for at every step, with thousands in flight.
  let models = 0
  const resting = new Set<number>()
  const subflows = new Map<number, IssuedCall>()
  const lanes = new Map<string, number>()

  const count = (call: IssuedCall, by: 1 | -1): void => {
    if (isSubflow(call)) {
      if (by > 0) subflows.set(call.n, call)
      else subflows.delete(call.n)
    }
    if (!isModelCall(call)) return
    models += by
    lanes.set(lane(call), (lanes.get(lane(call)) ?? 0) + by)
  }

  const remove = (n: number): void => {
    const flight = inFlight.get(n)
    if (flight === undefined) return
    inFlight.delete(n)
    if (resting.delete(n)) models++
    count(flight.call, -1)
  }

  yield* Deferred.await(run.stop).pipe(
    Effect.flatMap((signal) => Queue.offer(inbox, { _tag: "signal", signal })),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      const fibers = [...inFlight.values()].map(({ fiber }) => fiber)
      for (const fiber of fibers) fiber.interruptUnsafe()
      return run.hermetic === undefined ? Fiber.awaitAll(fibers) : untilQuiet
    })
  )

  const launch = (call: IssuedCall, effect: Effect.Effect<Outcome, never, Guards>) =>
    Effect.sync(() => {
      const fiber = fork(
        effect,
        run.hermetic === undefined ? {} : { scheduler: run.hermetic.turns.scheduler }
      )
      inFlight.set(call.n, { call, fiber })
      count(call, 1)
      fiber.addObserver((exit) => {
        const message: Message = Exit.isSuccess(exit)
          ? { _tag: "completed", outcome: exit.value }
          : { _tag: "gone", n: call.n }
        Queue.offerUnsafe(inbox, message)
      })
    })

  const note = (note: AttemptNote) => Effect.asVoid(Queue.offer(inbox, { _tag: "attempt", note }))

  const request = (request: SubflowRequest) => Effect.asVoid(Queue.offer(inbox, { _tag: "request", request }))

  /** Tells the call to stop. What it had on the way still lands; otherwise it is gone. */
  const cancel = (n: number) => Effect.sync(() => void inFlight.get(n)?.fiber.interruptUnsafe())

  const sort = (messages: ReadonlyArray<Message>): Landed => {
    const outcomes: Array<Outcome> = []
    const requests: Array<SubflowRequest> = []
    const attempts: Array<AttemptNote> = []
    let signal: string | undefined
    let nudged = false
    let moved = false
    for (const message of messages) {
      switch (message._tag) {
        case "completed":
          remove(message.outcome.call.n)
          outcomes.push(message.outcome)
          break
        case "gone":
          remove(message.n)
          break
        case "request":
          requests.push(message.request)
          break
        case "attempt":
          attempts.push(message.note)
          break
        case "nudge":
          nudged = true
          break
        case "moved":
          moved = true
          break
        case "signal":
          signal = message.signal
          break
      }
    }
    // Those that complete together in a hermetic run complete in issue order.
    if (run.hermetic !== undefined) outcomes.sort((a, b) => a.call.n - b.call.n)
    return { outcomes, requests, attempts, signal, nudged, moved }
  }

  /** Waits until something has come in: a call completed, a subflow requested something, the run is told to stop. */
  const arrivals = Effect.gen(function* () {
    yield* untilQuiet
    while (run.hermetic !== undefined && Queue.sizeUnsafe(inbox) === 0) {
      if (!(yield* run.hermetic.clock.advanceToNextDue)) break
      yield* untilQuiet
    }
    return sort(yield* Queue.takeAll(inbox))
  })

  return {
    launch,
    note,
    /** The call waits for something and leaves its place to others; or has taken one again. */
    rest: (n: number) => {
      if (inFlight.has(n) && !resting.has(n)) {
        resting.add(n)
        models--
      }
    },
    isResting: (n: number) => resting.has(n),
    wake: (n: number) => {
      if (resting.delete(n)) models++
    },
    cancel,
    request,
    arrivals,
    /** Makes whoever waits look again. */
    nudge: Effect.sync(() => void Queue.offerUnsafe(inbox, { _tag: "nudge" })),
    /** Says that the program went on by itself. */
    moved: () => void Queue.offerUnsafe(inbox, { _tag: "moved" }),
    /** Lets everything that can go on now go on as far as it can. */
    calm: run.hermetic === undefined ? Effect.repeat(Effect.yieldNow, { times: 2 }) : untilQuiet,
    /** Whether something has come in that nobody has looked at. */
    hasMail: () => Queue.sizeUnsafe(inbox) > 0,
    models: () => models,
    has: (n: number) => inFlight.has(n),
    /** Subflows in flight. */
    subflows: (): ReadonlyArray<IssuedCall> => [...subflows.values()],
    /** Whether anything is in flight that is not a subflow. */
    hasWork: () => inFlight.size > subflows.size,
    inLane: (id: string) => (lanes.get(id) ?? 0) > 0
  }
})
export type CallsInFlight = Effect.Success<ReturnType<typeof makeCallsInFlight>>
