// packageGlobals: what npm packages get where a plan is refused: random numbers by a seed, the plan's clock. Who asks is
// told by the place of the call: `Math`, `Date` and the global object stay one for all, so that identities hold, and
// whoever takes a package's by another name is refused where it is called. Evaluated inside the plan's context: see
// intrinsics.ts.
import type { Forbid } from "./forbid.ts"
import type { Intrinsics } from "./intrinsics.ts"
import type { Recorder } from "./record.ts"

/** A package and where it stands in the plan's script: first and last line of each of its parts. */
export interface PackageLines {
  readonly name: string
  readonly lines: ReadonlyArray<readonly [from: number, to: number]>
}

export const packageGlobals = (own: Intrinsics, recorder: Recorder, { reach, advice }: Forbid) => {
  const { mapGet, mapSet } = own
  const { imul } = Math
  const charCodeAt = own.uncurry(String.prototype.charCodeAt)
  const { isView } = ArrayBuffer
  const OwnBytes = Uint8Array
  const lower = own.uncurry(Number.prototype.toString)

  const nearFrames = 5

  let file = ""
  let seed = ""
  let time = 0
  let known: ReadonlyArray<PackageLines> = []
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

  /** The package whose code calls; undefined where it is the author's, or nobody of the plan. */
  const caller = (): string | undefined => {
    if (known.length === 0) return undefined
    // The plan's nearest frame is mostly just above the engine's own; fewer frames cost less.
    const site = recorder.mark(caller, nearFrames) ?? recorder.mark(caller)
    if (site === undefined || site.file !== file) return undefined
    for (let index = 0; index < known.length; index++) {
      const one = known[index]
      if (one === undefined) continue
      let low = 0
      let high = one.lines.length - 1
      while (low <= high) {
        const middle = (low + high) >> 1
        const part = one.lines[middle]
        if (part === undefined) break
        if (site.line < part[0]) high = middle - 1
        else if (site.line > part[1]) low = middle + 1
        else return one.name
      }
    }
    return undefined
  }

  /** The generator of the package that calls. Each has its own: what one draws changes nothing for another. */
  const drawn = (): (() => number) | undefined => {
    const name = caller()
    if (name === undefined) return undefined
    const made = mapGet(generators, name) ?? generator(`${seed}\n${name}`)
    mapSet(generators, name, made)
    return made
  }

  const random = (): number | undefined => {
    const next = drawn()
    return next === undefined ? undefined : ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000
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

  return {
    begin: (entry: string, goal: string, packages: ReadonlyArray<PackageLines>): void => {
      file = `plan:${entry}`
      seed = goal
      known = packages
    },
    random,
    /** The plan's clock, for a package. */
    now,
    /** A sleep begins; when it ends, the clock moves to when it was due. As an Effect plan's clock does. */
    sleeping: (ms: unknown): (() => void) => {
      const due = typeof ms === "number" ? time + ms : time
      return () => {
        if (due > time) time = due
      }
    },
    /** What packages have for the globals that a plan has not. */
    globals: own.freeze({
      crypto: own.freeze({ getRandomValues, randomUUID }),
      performance: own.freeze({
        timeOrigin: 0,
        now: () => now() ?? reach("performance.now()", advice.clock)
      })
    })
  }
}

export type PackageGlobals = ReturnType<typeof packageGlobals>
