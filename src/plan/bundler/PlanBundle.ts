// PlanBundle: a plan as it is scanned, stored and run: one script, the hashes of what it was made of, and the way
// back to the author's lines. Plain data, self-contained: a run directory keeps it. Making one is PlanLoader's.
import { Schema } from "effect"
import { FileHashes } from "../../domain/run/RunSpec.ts"

/** The names by which a bundle takes what it does not contain. No plan may use a name that starts like this. */
export const reservedPrefix = "__alembic_"

/** Where the bundler keeps what stands for a module that a package may not have: its text is the engine's own. */
export const standInNamespace = "alembic-refused"

/** Where the bundler keeps what a plan's bundle is given of npm that the plan's project has not: `Buffer`. */
export const givenNamespace = "alembic-given"

/** What a workflow script says about itself. A phase given as a bare string is `{ title }` here. */
export const WorkflowMeta = Schema.Struct({
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  whenToUse: Schema.optionalKey(Schema.String),
  phases: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        title: Schema.String,
        detail: Schema.optionalKey(Schema.String),
        model: Schema.optionalKey(Schema.String)
      })
    )
  )
})
export type WorkflowMeta = typeof WorkflowMeta.Type

const script = {
  /** Path of the plan's own file, relative to the plan's root, with `/`. */
  entry: Schema.String,
  /**
   * One script expression, strict, whose value is an async function. Nothing is ever added to it: what was scanned
   * is what runs.
   *
   * - `module`: `async function (__alembic_prelude, __alembic_refuse)` → `Promise<{ run: unknown }>`.
   *   `__alembic_prelude` maps each name in `imports` to that module's namespace. `__alembic_refuse(construct,
   *   instead)` throws the error of a forbidden source: it is called where an npm package reaches for a Node builtin.
   *   Call it with `this` undefined, as a plain function. Where npm packages mean a global that a plan has not,
   *   there is a third parameter, `__alembic_packages`, with `crypto` and `performance` of their own.
   * - `workflow`: `async function (agent, parallel, pipeline, phase, log, args, budget, workflow)` → the result.
   */
  code: Schema.String,
  /**
   * Source map (v3 JSON) from `code` to the author's files; empty for a workflow, whose line `n + 1` of `code` is
   * line `n` of the file, columns equal. Read it with `sitesOf(bundle)` of sourceMap.ts.
   */
  map: Schema.String
}

/** A script that another reaches by `workflow(name)`. */
export const NestedWorkflow = Schema.Struct({ ...script, meta: WorkflowMeta })
export type NestedWorkflow = typeof NestedWorkflow.Type

export const PlanBundle = Schema.Union([
  Schema.Struct({
    v: Schema.Literal(1),
    kind: Schema.Literal("module"),
    ...script,
    /** Every module of the graph, relative to the plan's root; files of npm packages as `npm:name@version/path`. */
    modules: FileHashes,
    /** Prelude modules that the code reads: `effect`, `effect/…`, `alembic/plan`. Sorted. */
    imports: Schema.Array(Schema.String),
    /**
     * The npm packages in `code`, as `npm:name@version`, and the lines of it that each stands in, from 1. What is called
     * from there gets random numbers by a seed and the plan's clock. Absent: it is refused them, as the author is.
     */
    packages: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          name: Schema.String,
          lines: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))
        })
      )
    )
  }),
  Schema.Struct({
    v: Schema.Literal(1),
    kind: Schema.Literal("workflow"),
    ...script,
    modules: FileHashes,
    meta: WorkflowMeta,
    /** Scripts reachable by `workflow(…)`, under every name or `scriptPath` that the script may reach them by. */
    workflows: Schema.Record(Schema.String, NestedWorkflow)
  })
])
export type PlanBundle = typeof PlanBundle.Type
