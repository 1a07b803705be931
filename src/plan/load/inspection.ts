// What a plan turns out to be before anything of it runs: its bundle and what was found in it. Shared by the two kinds
// of plan, inspectModule.ts and inspectWorkflow.ts. Pure.
import type { AnyNode } from "acorn"
import { Effect } from "effect"
import type { Finding } from "../../domain/Finding.ts"
import type { RawFinding } from "../determinism/trail.ts"
import type { PlanBundle } from "../bundler/PlanBundle.ts"
import type { OpenedPlan } from "../bundler/PlanBundler.ts"
import { findingMessage, PlanError } from "../PlanError.ts"

/** What a plan is, whether or not it may run. */
export interface Inspection {
  /** As the user gave it. */
  readonly path: string
  readonly bundle: PlanBundle
  /** The author's files: path relative to the plan's root, text. */
  readonly sources: ReadonlyArray<readonly [path: string, text: string]>
  /** What refuses the plan, in order. */
  readonly findings: ReadonlyArray<Finding>
  /** Findings in npm packages, and in scripts that a computed path may mean: the runtime refuses them when reached. */
  readonly warnings: ReadonlyArray<Finding>
  /** How many findings there are besides those that are listed. */
  readonly unlisted?: number
  /** What is unusual about a workflow script, for people. */
  readonly notices: ReadonlyArray<string>
  readonly hasRun: boolean
}

/** Finds the constructs of a program by which two runs could differ. */
export type Scan = (root: AnyNode) => ReadonlyArray<RawFinding>

export const findingOf = (
  raw: Pick<RawFinding, "construct" | "instead">,
  file: string,
  place: { readonly line: number; readonly column: number }
): Finding => {
  const found = { construct: raw.construct, file, ...place }
  return { ...found, message: findingMessage(found), instead: raw.instead }
}

/** The entry's first, then by file; in a file by place. */
export const inOrder = (entry: string, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const rank = (file: string): string => (file === entry ? "" : file)
  const byPlace = findings.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const byFile = byPlace.toSorted((a, b) =>
    rank(a.file) < rank(b.file) ? -1 : rank(a.file) > rank(b.file) ? 1 : 0
  )
  // At one place, the first says it: places that are equal stand together.
  return byFile.filter((finding, index) => {
    const before = byFile[index - 1]
    return (
      before === undefined ||
      before.file !== finding.file ||
      before.line !== finding.line ||
      before.column !== finding.column
    )
  })
}

/** A plan with more is refused like any other; nobody reads on, and a journal keeps what is listed. */
const maxListed = 1000

const firstOf = (findings: ReadonlyArray<Finding>, what: string) =>
  findings.length <= maxListed
    ? { listed: findings, notices: [] }
    : {
        listed: findings.slice(0, maxListed),
        notices: [`${findings.length - maxListed} more ${what} are not listed: the first ${maxListed} are`]
      }

/** With as many findings as are listed, and a notice of how many there are more. */
export const listing = (inspection: Inspection): Inspection => {
  const findings = firstOf(inspection.findings, "findings")
  const warnings = firstOf(inspection.warnings, "warnings")
  return {
    ...inspection,
    findings: findings.listed,
    unlisted: inspection.findings.length - findings.listed.length,
    warnings: warnings.listed,
    notices: [...inspection.notices, ...findings.notices, ...warnings.notices]
  }
}

/** Runs what walks a tree. A tree too deep for the stack is no program anyone wrote. */
export const walking = <A>(plan: OpenedPlan, walk: () => A): Effect.Effect<A, PlanError> =>
  Effect.try({ try: walk, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (!(cause instanceof RangeError)) return Effect.die(cause)
      const problem = "it is nested too deeply to be checked"
      return Effect.fail(new PlanError({ code: "plan_unparsable", path: plan.given, problem, findings: [] }))
    })
  )
