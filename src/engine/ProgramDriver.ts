// ProgramDriver: drives an Effect program in process, by the same words as a plan in the VM. The program's fibers
// run in microtasks, so that a turn of the host's event loop later the program is quiet. Nothing here guards against
// a program that reads a clock behind Effect's back: who runs in process is trusted to use the services it is given.
import { Cause, Effect, Exit, type Fiber, Result, type Context, type Scope } from "effect"
import { canonicalJson, maxValueDepth, type Json } from "../domain/canonicalJson.ts"
import type { RunErrorInfo } from "../domain/RunEvent.ts"
import type { HookBridge } from "../plan/HookBridge.ts"
import type { Hooks } from "../plan/Hooks.ts"
import type { Answer, PlanDriver, PlanRequest, PlanState, Turn } from "../plan/PlanProtocol.ts"
import { planProgram } from "../plan/planServices.ts"

const outside = { maxDepth: maxValueDepth }

/** As the plan's own process says it (plan/inside/plainJson.ts). */
const keptNotice = ([first, ...more]: ReadonlyArray<string>, what: string): ReadonlyArray<string> =>
  first === undefined
    ? []
    : [`result: ${first}${more.length === 0 ? "" : ` and ${more.length} more`}: ${what}`]

const planError = (code: string, message: string): PlanState => ({ t: "failed", error: { code, message } })

const describe = (cause: Cause.Cause<unknown>): RunErrorInfo => {
  const error = Cause.squash(cause)
  return { code: "plan_error", message: error instanceof Error ? error.message : Cause.pretty(cause) }
}

/** A yield to the host's event loop comes after every microtask, however many hops it takes. */
const untilQuiet = Effect.yieldNow

/**
 * A driver for `program`, which gets `Hooks`, a logical Clock and a Random seeded with `seed` besides `context`. Its
 * fiber ends with the scope.
 */
export const programDriver = Effect.fnUntraced(function* <A, E, R>(
  program: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Hooks>>,
  seed: string
): Effect.fn.Return<PlanDriver, never, Scope.Scope> {
  const waiting = new Map<number, (answer: Json) => void>()
  let requests: Array<PlanRequest> = []
  let issued = 0
  let state: PlanState = { t: "waiting" }
  let closed = false

  const copy = (value: unknown): Json => JSON.parse(Result.getOrThrow(canonicalJson(value, outside)))
  const bridge: HookBridge = {
    call: (verb, options, phase, settle) => {
      const plain = copy(options)
      const n = ++issued
      if (!closed) {
        waiting.set(n, settle)
        requests.push({ t: "call", n, verb, options: plain, ...(phase === undefined ? {} : { phase }) })
      }
      return n
    },
    cancel: (n) => {
      if (waiting.delete(n)) requests.push({ t: "cancel", n })
    },
    phase: (title) => void requests.push({ t: "phase", title }),
    log: (message, data) =>
      void requests.push({ t: "log", message, ...(data === undefined ? {} : { data: copy(data) }) }),
    slots: (slots) => void requests.push({ t: "slots", ...slots })
  }

  const returned = (value: A): PlanState => {
    if (waiting.size > 0) {
      return planError("hook_pending", `the program returned with ${waiting.size} call(s) still pending`)
    }
    if (value === undefined) return { t: "returned" }
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

  const fork = Effect.runForkWith(context)
  let fiber: Fiber.Fiber<A, E> | undefined
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      if (fiber === undefined) return Effect.void
      fiber.interruptUnsafe()
      return untilQuiet
    })
  )

  /** The turn, once the program is quiet. */
  const turn = (delivered: number): Turn => {
    if (state.t === "waiting" && waiting.size === 0) {
      state = planError("plan_stalled", "the program waits, but for no call: nothing can wake it")
    }
    const done = { requests, delivered, state }
    requests = []
    return done
  }

  return {
    start: Effect.suspend(() => {
      fiber = fork(planProgram(program, bridge, seed))
      fiber.addObserver((exit) => {
        state = Exit.isSuccess(exit) ? returned(exit.value) : { t: "failed", error: describe(exit.cause) }
      })
      return Effect.map(untilQuiet, () => turn(0))
    }),
    deliver: Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
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
      return turn(delivered)
    })
  }
})
