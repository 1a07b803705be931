// Flights: the calls in flight. Each runs in a fiber of its own and comes back through the inbox. In a hermetic run
// they run until quiet, and then logical time moves to what is due first. Ends them all with the scope.
import { Deferred, Effect, Fiber, Queue } from "effect"
import { Guards } from "../adapters/Guards.ts"
import type { Json } from "../domain/canonicalJson.ts"
import type { ModelRunResult } from "../domain/ModelRun.ts"
import type { IssuedCall } from "./CallBook.ts"
import type { RunContext } from "./RunContext.ts"

/** What became of a call. */
export interface Outcome {
  readonly call: IssuedCall
  readonly result: Json
  /** The same, for a model call. */
  readonly model: ModelRunResult | undefined
}

/** The adapter whose health a call depends on last: the last link of its chain. */
export const lane = (call: IssuedCall): string => call.chain.at(-1)?.adapter.id ?? "none"

/** Whether a model answers it, so that it takes one of the run's places. */
const isModelCall = (call: IssuedCall): boolean => call.chain.length > 0

type Landed = { readonly outcomes: ReadonlyArray<Outcome> } | { readonly signal: string }

export const makeFlights = Effect.fnUntraced(function* (run: RunContext) {
  const inbox = yield* Queue.unbounded<Outcome | { readonly signal: string }>()
  const fork = Effect.runForkWith(yield* Effect.context<Guards>())
  const flights = new Map<number, { readonly call: IssuedCall; readonly fiber: Fiber.Fiber<unknown> }>()
  const untilQuiet = run.hermetic?.turns.untilQuiet ?? Effect.void

  yield* Deferred.await(run.stop).pipe(
    Effect.flatMap((signal) => Queue.offer(inbox, { signal })),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      const fibers = [...flights.values()].map(({ fiber }) => fiber)
      for (const fiber of fibers) fiber.interruptUnsafe()
      return run.hermetic === undefined ? Fiber.awaitAll(fibers) : untilQuiet
    })
  )

  const launch = (call: IssuedCall, effect: Effect.Effect<Outcome, never, Guards>) =>
    Effect.sync(() => {
      const reported = Effect.flatMap(effect, (outcome) => Queue.offer(inbox, outcome))
      const fiber = fork(
        reported,
        run.hermetic === undefined ? {} : { scheduler: run.hermetic.turns.scheduler }
      )
      flights.set(call.n, { call, fiber })
    })

  /** Tells the call to stop. Its fiber still ends through `landed` if it had an answer on the way. */
  const cancel = (n: number) => Effect.sync(() => void flights.get(n)?.fiber.interruptUnsafe())

  const sort = (messages: ReadonlyArray<Outcome | { readonly signal: string }>): Landed => {
    const outcomes: Array<Outcome> = []
    for (const message of messages) {
      if ("signal" in message) return message
      flights.delete(message.call.n)
      outcomes.push(message)
    }
    // Those that land together in a hermetic run land in issue order.
    return { outcomes: run.hermetic === undefined ? outcomes : outcomes.sort((a, b) => a.call.n - b.call.n) }
  }

  /** Waits until at least one call has landed, or the run is told to stop. */
  const landed = Effect.gen(function* () {
    yield* untilQuiet
    while (run.hermetic !== undefined && Queue.sizeUnsafe(inbox) === 0) {
      if (!(yield* run.hermetic.clock.advanceToNextDue)) break
      yield* untilQuiet
    }
    return sort(yield* Queue.takeAll(inbox))
  })

  const models = () => [...flights.values()].filter(({ call }) => isModelCall(call))

  return {
    launch,
    cancel,
    landed,
    /** Forgets a call whose answer nobody waits for. */
    forget: (n: number) => void flights.delete(n),
    size: () => flights.size,
    models: () => models().length,
    inLane: (id: string) => models().some(({ call }) => lane(call) === id)
  }
})
export type Flights = Effect.Success<ReturnType<typeof makeFlights>>
