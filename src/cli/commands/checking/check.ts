// `alembic check FILE…`: the determinism check on plans, without running any. A folder stands for the plans in it.
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { defined } from "../../../domain/defined.ts"
import { inspectPlan } from "../../../plan/load/loadPlan.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { Output } from "../../Output.ts"
import { findPlans } from "../../inputs/planFiles.ts"
import { checkText, type Checked } from "../../render/checkText.ts"
import { planCure } from "../../render/planCures.ts"

const cureOf = (code: string, shown: string): string => planCure(code, shown) ?? `correct ${shown}`

/** One file as the check finds it. Never fails: what cannot be checked says why. */
const checkOne = Effect.fnUntraced(function* (shown: string, path: string, sweep: boolean) {
  return yield* inspectPlan(path, { sweep }).pipe(
    Effect.map(({ bundle, findings, hasRun, notices, sources, warnings }): Checked => {
      const modules = bundle.modules.map(([module]) => module)
      const found = { path: shown, modules, findings, warnings, notices, sources: new Map(sources) }
      if (hasRun || findings.length > 0) return { ...found, ok: findings.length === 0 }
      return {
        ...found,
        ok: false,
        error: {
          code: "no_run",
          message: `plan module ${shown} must export a run(hooks) function`,
          cure: cureOf("no_run", shown)
        }
      }
    }),
    Effect.catchTag("PlanError", ({ code, column, file, line, message }) =>
      Effect.succeed<Checked>({
        path: shown,
        ok: false,
        modules: [],
        findings: [],
        warnings: [],
        notices: [],
        sources: new Map(),
        error: {
          code,
          message: message.replaceAll(path, shown),
          cure: cureOf(code, shown),
          ...defined({ file, line, column })
        }
      })
    )
  )
})

const line = ({ error, findings, modules, notices, ok, path, warnings }: Checked) =>
  error === undefined
    ? {
        ok,
        path,
        modules,
        findings,
        ...(warnings.length === 0 ? {} : { warnings }),
        ...(notices.length === 0 ? {} : { notices })
      }
    : { ok, path, error }

const exitCodeOfCheck = (checked: ReadonlyArray<Checked>): number =>
  checked.some(({ error }) => error !== undefined) ? 2 : checked.some(({ ok }) => !ok) ? 3 : 0

export default defineCommand({
  name: "check",
  description: "Check plans for what would make them differ on a second run",
  config: {
    files: flags
      .pathArgument("file", "Plan modules, workflow scripts, or folders of them")
      .pipe(Argument.atLeast(1)),
    sweep: flags.toggle("sweep", "Also what only reads like a non-deterministic call")
  },
  examples: [
    { command: "alembic check alembic.plan.ts", description: "One plan" },
    {
      command: "alembic check plans/ --json",
      description: "A folder: one JSON object a plan, then the summary"
    }
  ],
  handler: Effect.fn("cli.check")(function* ({ files, sweep }) {
    const host = yield* Host
    const output = yield* Output
    const found = yield* findPlans(files)
    const checked: Array<Checked> = []
    yield* Effect.gen(function* () {
      for (const { path, shown } of found) {
        const one = yield* checkOne(shown, path, sweep)
        checked.push(one)
        yield* output.emit(line(one))
        yield* output.print(checkText(one, output.style))
      }
    }).pipe(Effect.provide(host.engine({ baseDir: host.cwd, offline: "always" })))
    const findings = checked.reduce((sum, one) => sum + one.findings.length, 0)
    if (checked.length > 1 || files.length > 1) {
      yield* output.emit({
        type: "CheckSummary",
        ok: checked.every(({ ok }) => ok),
        files: checked.length,
        findings
      })
    }
    yield* output.exitWith(exitCodeOfCheck(checked))
  })
})
