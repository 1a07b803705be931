// check: the determinism check as a report, for `alembic check`: a result for each plan, and a summary of several.
// Evaluates nothing. How it is printed is the command's; the source line with a caret is made here.
import { Effect, Schema } from "effect"
import { Finding } from "../../domain/Finding.ts"
import { defined } from "../../domain/defined.ts"
import { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { Inspection } from "./inspection.ts"
import { inspectPlan, type LoadOptions } from "./loadPlan.ts"
import { PlanBundler } from "../bundler/PlanBundler.ts"
import { PlanError } from "../PlanError.ts"

export const CheckResult = Schema.Union([
  Schema.Struct({
    ok: Schema.Boolean,
    path: Schema.String,
    /** Every module of the graph, relative to the plan's folder. */
    modules: Schema.Array(Schema.String),
    findings: Schema.Array(Finding),
    /** In npm packages: refused only when they are reached. */
    warnings: Schema.optionalKey(Schema.Array(Finding)),
    notices: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** Unreadable, unparsable, no `run`. */
  Schema.Struct({ ok: Schema.Literal(false), path: Schema.String, error: RunErrorInfo })
])
export type CheckResult = typeof CheckResult.Type

export const CheckSummary = Schema.Struct({
  type: Schema.Literal("CheckSummary"),
  ok: Schema.Boolean,
  files: Schema.Int,
  findings: Schema.Int
})
export type CheckSummary = typeof CheckSummary.Type

/** A result with what a person needs to see of it. */
export interface Checked {
  readonly result: CheckResult
  /** One text for each finding: the construct, the source line, a caret, what to use instead. */
  readonly details: ReadonlyArray<string>
}

/** What the error is in a summary. */
export const planErrorInfo = (error: PlanError): RunErrorInfo => ({
  code: error.code,
  message: error.message,
  path: error.path,
  ...defined({ file: error.file, line: error.line, column: error.column })
})

/** At most this much of a source line is shown, around the finding. */
const shownWidth = 100

/** A finding for a person: where, the line as it is written, a caret under the construct, what to use instead. */
export const renderFinding = (finding: Finding, text: string | undefined): string =>
  rendered(finding, text?.split(lineBreak))

const lineBreak = /\r\n|[\n\r\u2028\u2029]/

const rendered = (finding: Finding, lines: ReadonlyArray<string> | undefined): string => {
  const head = `${finding.file}:${finding.line}:${finding.column}  ${finding.construct}`
  const source = lines?.[finding.line - 1]
  const advice = `  instead: ${finding.instead}`
  if (source === undefined) return [head, advice].join("\n")
  const from = Math.max(0, Math.min(finding.column - 1 - 40, source.length - shownWidth))
  const shown = source.slice(from, from + shownWidth).replaceAll("\t", " ")
  const gutter = `  ${finding.line} | `
  const caret = `${" ".repeat(gutter.length - 2)}| ${" ".repeat(finding.column - 1 - from)}^`
  return [head, `${gutter}${shown}`, caret, advice].join("\n")
}

const resultOf = (inspection: Inspection): Checked => {
  const { bundle, findings, notices, path, sources, warnings } = inspection
  const found = new Set(findings.map(({ file }) => file))
  const lines = new Map(
    sources.flatMap(([file, text]) => (found.has(file) ? [[file, text.split(lineBreak)]] : []))
  )
  return {
    result: {
      ok: findings.length === 0,
      path,
      modules: bundle.modules.map(([file]) => file),
      findings,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(notices.length === 0 ? {} : { notices })
    },
    details: findings.map((finding) => rendered(finding, lines.get(finding.file)))
  }
}

const failed = (error: PlanError): Checked => ({
  result: { ok: false, path: error.path, error: planErrorInfo(error) },
  details: []
})

/** Checks one plan. A plan without `run` is an error only if it has no finding. */
export const checkPlan = Effect.fn("checkPlan")(function* (path: string, options: LoadOptions = {}) {
  return yield* inspectPlan(path, options).pipe(
    Effect.flatMap((inspection) =>
      inspection.hasRun || inspection.findings.length > 0
        ? Effect.succeed(resultOf(inspection))
        : Effect.fail(new PlanError({ code: "no_run", path, findings: [] }))
    ),
    Effect.catch((error) => Effect.succeed(failed(error)))
  )
})

/** Checks files and the plans in folders, in the order given. */
export const checkPlans = Effect.fn("checkPlans")(function* (
  paths: ReadonlyArray<string>,
  options: LoadOptions = {}
) {
  const bundler = yield* PlanBundler
  const checked: Array<Checked> = []
  for (const path of paths) {
    const inside = yield* bundler.plansIn(path)
    if (inside?.length === 0) {
      const problem = "there is no plan in this folder"
      checked.push(failed(new PlanError({ code: "plan_unreadable", path, problem, findings: [] })))
    }
    for (const file of inside ?? [path]) checked.push(yield* checkPlan(file, options))
  }
  return checked
})

export const summaryOf = (checked: ReadonlyArray<Checked>): CheckSummary => ({
  type: "CheckSummary",
  ok: checked.every(({ result }) => result.ok),
  files: checked.length,
  findings: checked.reduce((sum, { result }) => sum + ("findings" in result ? result.findings.length : 0), 0)
})

/** 3 if anything was refused, else 2 if anything could not be checked, else 0. */
export const checkExitCode = (checked: ReadonlyArray<Checked>): 0 | 2 | 3 => {
  if (checked.some(({ result }) => "findings" in result && !result.ok)) return 3
  return checked.some(({ result }) => !result.ok) ? 2 : 0
}
