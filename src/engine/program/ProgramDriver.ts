// ProgramDriver: drives an Effect program in process, by the same words as a plan in the VM. The program's fibers
// run in microtasks, so that a turn of the host's event loop later all that its answers led to is done. It may also
// wait for what is no call; then it goes on by itself, and that is a turn of its own (`own`). Nothing here guards
// against a program that reads a clock behind Effect's back: who runs in process is trusted to use its services.
//
// Invariants:
// G1  A program that waits is never called stalled: it waits as long as its own fiber does.
// G2  What it does between two exchanges is told once, and is in the next turn.
// G3  When the scope has ended, its fiber has ended, finalizers included. Meanwhile sleeps last on the host's clock, and
//     every other call is answered with a failure at once, so that no finalizer waits for a run that is over.
import { Clock, Effect, Exit, Fiber, Result, type Cause, type Context, type Schema, type Scope } from "effect"
import { canonicalJson, maxValueDepth, type Json } from "../../domain/json/canonicalJson.ts"
import type { HookBridge } from "../../plan/hooks/HookBridge.ts"
import type { Hooks } from "../../plan/hooks/Hooks.ts"
import type { Answer, DrivenTurn, PlanDriver, PlanState } from "../../plan/host/PlanProtocol.ts"
import { planProgram } from "../../plan/hooks/planServices.ts"
import {
  CurrentSteps,
  hostServices,
  makeBegunStep,
  StepCollisionError,
  type StepPort
} from "../../plan/hooks/steps.ts"
import { encodedBy, thrownBy } from "../../plan/host/thrown.ts"
import { makeError } from "../../domain/ModelError.ts"
import { defined } from "../../domain/defined.ts"
import { undispatched } from "../calls/CallBook.ts"

const outside = { maxDepth: maxValueDepth }

/** As the plan's own process says it (plan/inside/plainJson.ts). */
const keptNotice = ([first, ...more]: ReadonlyArray<string>, what: string): ReadonlyArray<string> =>
  first === undefined
    ? []
    : [`result: ${first}${more.length === 0 ? "" : ` and ${more.length} more`}: ${what}`]

const planError = (code: string, message: string): PlanState => ({ t: "failed", error: { code, message } })

/** Schemas by which a program's ends are kept; without them, as JSON. */
export interface EndSchemas {
  readonly success?: Schema.Constraint | undefined
  readonly error?: Schema.Constraint | undefined
}

/** A yield to the host's event loop comes after every microtask, however many hops it takes. */
const untilQuiet = Effect.yieldNow

/** What a finalizer gets that makes a call of a run that is over. */
const overAnswer: Json = {
  ...undispatched(
    makeError("cancelled", "the run is over in this process: a finalizer makes no calls"),
    { adapterId: "none", modelId: "", requestId: "" },
    "cancelled"
  )
}

const sleepMsOf = (options: Json): number =>
  typeof options === "object" && options !== null && "ms" in options && typeof options.ms === "number"
    ? options.ms
    : 0

/**
 * A driver for `program`, which gets `Hooks`, a logical Clock and a Random seeded with `seed` besides `context`. Its
 * fiber ends with the scope.
 */
export const programDriver = Effect.fnUntraced(function* <A, E, R>(
  program: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Hooks>>,
  seed: string,
  ends: EndSchemas = {}
): Effect.fn.Return<PlanDriver, never, Scope.Scope> {
  const hostClock = yield* Clock.Clock
  const host = yield* hostServices
  const waiting = new Map<number, (answer: Json) => void>()
  let requests: Array<DrivenTurn["requests"][number]> = []
  let issued = 0
  let state: PlanState = { t: "waiting" }
  let isClosed = false
  let isExchanging = false
  let isTold = false
  let tell: () => void = () => {}
  const fork = Effect.runForkWith(context)

  /** G2 */
  const moved = (): void => {
    if (isExchanging || isTold || isClosed) return
    isTold = true
    tell()
  }
  const request = (one: DrivenTurn["requests"][number]): void => {
    requests.push(one)
    moved()
  }

  const copy = (value: unknown): Json => JSON.parse(Result.getOrThrow(canonicalJson(value, outside)))

  /** G3: sleeps that finalizers sleep. */
  const sleeping = new Map<number, Fiber.Fiber<void>>()
  const afterTheRun = (n: number, verb: string, options: Json, settle: (answer: Json) => void): void => {
    const ms = verb === "sleep" ? sleepMsOf(options) : 0
    const slept = Effect.provideService(Effect.sleep(ms), Clock.Clock, hostClock)
    const fiber = fork(Effect.andThen(Effect.yieldNow, slept))
    sleeping.set(n, fiber)
    fiber.addObserver((exit) => {
      if (sleeping.delete(n) && Exit.isSuccess(exit)) settle(verb === "sleep" ? null : overAnswer)
    })
  }

  const bridge: HookBridge = {
    call: (verb, options, phase, settle) => {
      const plain = copy(options)
      const n = ++issued
      if (isClosed) afterTheRun(n, verb, plain, settle)
      else {
        waiting.set(n, settle)
        request({ t: "call", n, verb, options: plain, ...defined({ phase }) })
      }
      return n
    },
    cancel: (n) => {
      const slept = sleeping.get(n)
      sleeping.delete(n)
      slept?.interruptUnsafe()
      if (waiting.delete(n)) request({ t: "cancel", n })
    },
    phase: (title) => request({ t: "phase", title }),
    log: (message, data) =>
      request({ t: "log", message, ...(data === undefined ? {} : { data: copy(data) }) }),
    slots: (slots) => request({ t: "slots", ...slots })
  }

  /** T2 of steps.ts */
  const inFlight = new Set<string>()
  const steps: StepPort = {
    host,
    begin: (name, key) => {
      const options = copy({ name, key })
      const identity = JSON.stringify(options)
      if (inFlight.has(identity)) throw new StepCollisionError({ step: name, ...defined({ key }) })
      const n = ++issued
      const { answered, begun, toItsExit } = makeBegunStep(() => {
        inFlight.delete(identity)
        bridge.cancel(n)
      })
      const settle = (answer: Json): void => {
        inFlight.delete(identity)
        answered(answer)
      }
      if (isClosed) afterTheRun(n, "step", options, settle)
      else {
        inFlight.add(identity)
        waiting.set(n, settle)
        request({ t: "call", n, verb: "step", options, toItsExit })
      }
      return begun
    }
  }

  const returned = (value: A): PlanState => {
    if (waiting.size > 0) {
      return planError("hook_pending", `the program returned with ${waiting.size} call(s) still pending`)
    }
    if (value === undefined) return { t: "returned" }
    if (ends.success !== undefined) {
      const encoded = encodedBy(ends.success, value)
      return encoded === undefined
        ? planError("result_refused", "the result is not what its schema (`success`) says")
        : { t: "returned", result: Result.getOrThrow(canonicalJson(encoded, outside)) }
    }
    const kept = { date: new Array<string>(), undefined: new Array<string>() }
    const asResult = (what: keyof typeof kept, path: string) => void kept[what].push(path)
    return Result.match(canonicalJson(value, { ...outside, asResult }), {
      onSuccess: (result): PlanState => {
        const notices = [
          ...keptNotice(kept.date, "a Date, kept as its ISO text"),
          ...keptNotice(kept.undefined, "undefined in an array, kept as null")
        ]
        return { t: "returned", result, ...(notices.length === 0 ? {} : { notices }) }
      },
      onFailure: (error) => planError("result_not_json", `the result is not JSON: ${error.message}`)
    })
  }

  const failed = (cause: Cause.Cause<E>): PlanState => ({
    t: "failed",
    error: { code: "plan_error", ...thrownBy(cause, ends.error) }
  })

  let fiber: Fiber.Fiber<A, E> | undefined
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosed = true
      if (fiber === undefined) return Effect.void
      fiber.interruptUnsafe()
      return Effect.asVoid(Fiber.await(fiber))
    })
  )

  /** What the program has done since the exchange before, once that is quiet. */
  const exchange = (deliver: Effect.Effect<number>): Effect.Effect<DrivenTurn> =>
    Effect.suspend(() => {
      isExchanging = true
      return Effect.map(deliver, (delivered): DrivenTurn => {
        const done = { requests, delivered, state }
        requests = []
        isExchanging = false
        isTold = false
        return done
      })
    })

  const begin = Effect.suspend(() => {
    fiber = fork(Effect.provideService(planProgram(program, bridge, seed), CurrentSteps, steps))
    fiber.addObserver((exit) => {
      state = Exit.isSuccess(exit) ? returned(exit.value) : failed(exit.cause)
      moved()
    })
    return Effect.as(untilQuiet, 0)
  })

  const give = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
    let delivered = 0
    for (const { json, n } of answers) {
      const settle = waiting.get(n)
      if (settle === undefined || state.t !== "waiting") break
      waiting.delete(n)
      const answer: Json = JSON.parse(json)
      settle(answer)
      yield* untilQuiet
      delivered++
    }
    return delivered
  })

  return {
    own: {
      onMoved: (listener) => {
        tell = listener
      },
      turn: exchange(Effect.as(untilQuiet, 0)),
      goesOn: () =>
        fiber === undefined || state.t !== "waiting" ? "no" : waiting.size > 0 ? "perhaps" : "surely"
    },
    start: exchange(begin),
    deliver: (answers) => exchange(give(answers))
  }
})
