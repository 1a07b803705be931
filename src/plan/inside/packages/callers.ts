// callers: which npm package the code belongs to that calls the engine's own, by the place of the call. `Math`, `Date`
// and the global object stay one for all, so that identities hold; whoever takes what is a package's by another name is
// refused where it is called. Evaluated inside the plan's context: see ../intrinsics.ts.
import type { Intrinsics } from "../intrinsics.ts"
import type { Recorder } from "../record.ts"

/** A package and where it stands in the plan's script: first and last line of each of its parts. */
export interface PackageLines {
  readonly name: string
  readonly lines: ReadonlyArray<readonly [from: number, to: number]>
}

export const callers = (_own: Intrinsics, recorder: Recorder) => {
  const nearFrames = 5

  let file = ""
  let known: ReadonlyArray<PackageLines> = []

  const ownerOf = (line: number): string | undefined => {
    for (let index = 0; index < known.length; index++) {
      const one = known[index]
      if (one === undefined) continue
      let low = 0
      let high = one.lines.length - 1
      while (low <= high) {
        const middle = (low + high) >> 1
        const part = one.lines[middle]
        if (part === undefined) break
        if (line < part[0]) high = middle - 1
        else if (line > part[1]) low = middle + 1
        else return one.name
      }
    }
    return undefined
  }

  /** The package whose code calls; undefined where it is the author's, or nobody of the plan. */
  const caller = (): string | undefined => {
    if (known.length === 0) return undefined
    // The plan's nearest frame is mostly just above the engine's own; fewer frames cost less.
    const site = recorder.mark(caller, nearFrames) ?? recorder.mark(caller)
    return site === undefined || site.file !== file ? undefined : ownerOf(site.line)
  }

  return {
    begin: (entry: string, packages: ReadonlyArray<PackageLines>): void => {
      file = `plan:${entry}`
      known = packages
    },
    caller
  }
}

export type Callers = ReturnType<typeof callers>
