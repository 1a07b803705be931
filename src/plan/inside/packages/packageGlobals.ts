// packageGlobals: what npm packages get where a plan is refused: random numbers by a seed, the plan's clock, timers that
// are sleeps of the run, events. Evaluated inside the plan's context: see ../intrinsics.ts.
import type { Forbid } from "../forbid.ts"
import type { Intrinsics } from "../intrinsics.ts"
import type { Recorder } from "../record.ts"
import type { Callers, PackageLines } from "./callers.ts"
import type { eventObjects } from "./eventObjects.ts"
import type { timers } from "./timers.ts"

export const packageGlobals = (
  own: Intrinsics,
  recorder: Recorder,
  { reach, advice }: Forbid,
  { begin: beginCallers, caller }: Callers,
  timersOf: typeof timers,
  eventsOf: typeof eventObjects
) => {
  const { mapGet, mapSet, create, freeze, member, put } = own
  const { imul } = Math
  const charCodeAt = own.uncurry(String.prototype.charCodeAt)
  const { isView } = ArrayBuffer
  const OwnBytes = Uint8Array
  const OwnMath = Math
  const lower = own.uncurry(Number.prototype.toString)

  let seed = ""
  let time = 0
  const generators = new own.Map<string, () => number>()

  /** Thirty-two bits at a time, by a text: the small fast counter of R. Hipp and C. Doty-Humphrey (sfc32). */
  const generator = (text: string): (() => number) => {
    let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
    for (let index = 0; index < text.length; index++) {
      const code = charCodeAt(text, index)
      a = imul(a ^ code, 0x01000193)
      b = imul(b ^ (code + index), 0x85ebca6b)
      c = imul(c ^ a, 0xc2b2ae35)
    }
    const next = (): number => {
      const sum = (((a + b) | 0) + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      return sum >>> 0
    }
    for (let round = 0; round < 16; round++) next()
    return next
  }

  /** Each package has its own: what one draws changes nothing for another. */
  const generatorOf = (name: string): (() => number) => {
    const made = mapGet(generators, name) ?? generator(`${seed}\n${name}`)
    mapSet(generators, name, made)
    return made
  }

  /** The generator of the package that calls. */
  const drawn = (): (() => number) | undefined => {
    const name = caller()
    return name === undefined ? undefined : generatorOf(name)
  }

  const fraction = (next: () => number): number =>
    ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000

  const random = (): number | undefined => {
    const next = drawn()
    return next === undefined ? undefined : fraction(next)
  }

  const fill = (bytes: Uint8Array, next: () => number): void => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = next() >>> 24
  }

  const getRandomValues = (view: unknown): unknown => {
    const next = drawn() ?? reach("crypto.getRandomValues()", advice.ids)
    if (!isView(view)) throw new own.TypeError("crypto.getRandomValues takes a view of bytes")
    fill(new OwnBytes(view.buffer, view.byteOffset, view.byteLength), next)
    return view
  }

  const randomUUID = (): string => {
    const next = drawn() ?? reach("crypto.randomUUID()", advice.ids)
    let text = ""
    for (let index = 0; index < 32; index++) {
      const digit = next() >>> 28
      if (index === 8 || index === 12 || index === 16 || index === 20) text += "-"
      text += index === 12 ? "4" : lower(index === 16 ? (digit & 3) | 8 : digit, 16)
    }
    return text
  }

  const now = (): number | undefined => (caller() === undefined ? undefined : time)

  /** A sleep begins; when it ends, the clock moves to when it was due. As an Effect plan's clock does. */
  const sleeping = (ms: unknown): (() => void) => {
    const due = typeof ms === "number" ? time + ms : time
    return () => {
      if (due > time) time = due
    }
  }

  const timed = timersOf(own, recorder, { advice, caller, reach, sleeping })
  const events = eventsOf(own, () => now() ?? reach("new Event().timeStamp", advice.clock))

  /**
   * The clock and the random numbers where a package calls them by their own names: the bundler writes these there, and
   * nobody needs to look who calls. What the plan has put in their place is called as ever, save by who had taken the
   * original before (`drawn`, `time`).
   */
  const written = (packages: ReadonlyArray<PackageLines>) => {
    const random: Record<string, () => number> = create(null)
    const drawnBy: Record<string, () => number> = create(null)
    const unchanged = OwnMath.random
    for (let index = 0; index < packages.length; index++) {
      const one = packages[index]
      if (one === undefined) continue
      const next = generatorOf(one.name)
      put(drawnBy, one.name, () => fraction(next))
      put(random, one.name, () => (OwnMath.random === unchanged ? fraction(next) : OwnMath.random()))
    }
    const clock: unknown = own.global.Date
    const unchangedNow = member(clock, "now")
    return {
      random: freeze(random),
      drawn: freeze(drawnBy),
      time: () => time,
      now: (): unknown =>
        own.global.Date === clock && member(clock, "now") === unchangedNow ? time : own.global.Date.now()
    }
  }

  return {
    /** `threw` ends the run by what a timer's callback threw. What packages have is the third thing their script takes. */
    begin: (
      entry: string,
      goal: string,
      packages: ReadonlyArray<PackageLines>,
      threw: (error: unknown) => void
    ): object => {
      seed = goal
      beginCallers(entry, packages)
      timed.begin(threw)
      return freeze({
        ...written(packages),
        ...timed.globals,
        EventTarget: events.EventTarget,
        Event: events.Event,
        CustomEvent: events.CustomEvent,
        crypto: freeze({ getRandomValues, randomUUID }),
        performance: freeze({
          timeOrigin: 0,
          now: () => now() ?? reach("performance.now()", advice.clock)
        })
      })
    },
    random,
    /** The plan's clock, for a package. */
    now,
    sleeping,
    EventTarget: events.EventTarget,
    /** Whether a package calls. */
    isCalling: () => caller() !== undefined,
    after: timed.after,
    runDue: timed.runDue
  }
}

export type PackageGlobals = ReturnType<typeof packageGlobals>
