// planServices: what an Effect plan runs on besides its hooks: a logical clock, seeded randomness, a scheduler that
// runs until quiet, a logger that writes to the journal. The same in the VM and in process, so that a plan's calls
// are a function of its input and its answers only.
import { Clock, Duration, Effect, Layer, Logger, Random, References, Scheduler } from "effect"
import { effectHooks } from "./effectHooks.ts"
import type { HookBridge } from "./HookBridge.ts"
import { Hooks } from "./Hooks.ts"

const nanosPerMilli = 1_000_000n

/**
 * Time as the plan sees it: starts at 0 and moves only when a sleep ends, to when that sleep was due. `sleep` is a
 * call (`{ ms }`), so its end is an event like any other, and replay does not wait.
 */
class PlanClock implements Clock.Clock {
  #now = 0
  // A plan gets this clock, and must not get the bridge by it.
  readonly #bridge: HookBridge
  constructor(bridge: HookBridge) {
    this.#bridge = bridge
  }
  currentTimeMillisUnsafe() {
    return this.#now
  }
  readonly currentTimeMillis = Effect.sync(() => this.#now)
  currentTimeNanosUnsafe() {
    return BigInt(Math.trunc(this.#now)) * nanosPerMilli
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe() {
    return this.currentTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos = this.currentTimeNanos
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback((resume) => {
      const due = this.#now + ms
      const n = this.#bridge.call("sleep", { ms }, undefined, () => {
        this.#now = Math.max(this.#now, due)
        resume(Effect.void)
      })
      return Effect.sync(() => this.#bridge.cancel(n))
    })
  }
}

/** Everything due now runs before the plan is quiet; nothing waits for a timer. */
const scheduler = () =>
  new Scheduler.MixedScheduler("async", (task) => {
    let cancelled = false
    void Promise.resolve().then(() => {
      if (!cancelled) task()
    })
    return () => {
      cancelled = true
    }
  })

const asText = (part: unknown): string => {
  if (typeof part === "string") return part
  return part instanceof Error
    ? `${part.name}: ${part.message}`
    : String(JSON.stringify(part) ?? String(part))
}

const journalLogger = (bridge: HookBridge) =>
  Logger.make<unknown, void>(({ message, fiber, logLevel }) => {
    const text = (Array.isArray(message) ? message : [message]).map(asText).join(" ")
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    const plain = Object.fromEntries(annotations.map(([name, value]) => [name, asText(value)]))
    bridge.log(text, { level: logLevel, ...plain })
  })

/** The services of a plan that is given `bridge`: `Hooks`, clock, scheduler, logger. */
export const planServices = (bridge: HookBridge): Layer.Layer<Hooks> =>
  Layer.mergeAll(
    Layer.succeed(Hooks, effectHooks(bridge)),
    Layer.succeed(Clock.Clock, new PlanClock(bridge)),
    Layer.succeed(Scheduler.Scheduler, scheduler()),
    Logger.layer([journalLogger(bridge)])
  )

/** The program with everything a plan may use; `seed` (the run's goal) seeds `Random`. */
export const planProgram = <A, E, R>(
  program: Effect.Effect<A, E, R>,
  bridge: HookBridge,
  seed: string
): Effect.Effect<A, E, Exclude<R, Hooks>> =>
  program.pipe(Random.withSeed(seed), Effect.provide(planServices(bridge)))
