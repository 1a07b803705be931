// What `alembic init` writes. The plan runs as it is, offline and for nothing, and type-checks in an empty folder:
// its types stand beside it until the package is installed.

export interface InitFile {
  readonly name: string
  readonly about: string
  readonly text: string
}

const goal = `# Goal

Name three ways to make the first minute with our product better, and pick one.

The plan sees this text as input.goal.
`

const plan = `/// <reference path="./alembic-env.d.ts" />
// A plan says which model calls to make, and what to do with the answers. It has no clock, no randomness and no
// files: so a run that stopped goes on where it was, and a finished run can be replayed for nothing.
//
//   alembic run              offline: no model is asked, the answers are made up by rule
//   alembic run --model anthropic:claude-sonnet-4-5 --max-usd 1
//   alembic check alembic.plan.ts
import type { PlanHooks, PlanInput } from "alembic/plan"

// What an answer must look like. Alembic shows a model its mistake when it does not, and counts a failure otherwise.
const Idea = {
  type: "object",
  properties: {
    title: { type: "string" },
    effort: { type: "integer", minimum: 1, maximum: 5 }
  },
  required: ["title", "effort"],
  additionalProperties: false
}

export const run = async (h: PlanHooks, input: PlanInput) => {
  // Calls that follow belong to this phase.
  h.phase("Ideas")

  // Three calls at once. A slot holds the answer, or why there is none: nothing throws, and nothing is null.
  const views = ["a newcomer", "a busy expert", "a sceptic"]
  const ideas = await h.parallel(
    views.map((view) => () =>
      h.agent(\`As \${view}, give one idea.\\n\\n\${input.goal}\`, { label: view, schema: Idea })
    )
  )

  // Lost slots count against the run: it ends "incomplete" unless you accept the loss.
  const answered = ideas.filter((idea) => idea.ok)
  h.log("ideas", { answered: answered.length, of: ideas.length })

  h.phase("Pick")
  const list = answered.map((idea) => JSON.stringify(idea.output)).join("\\n")
  const pick = await h.agent(\`Pick the best of these and say why:\\n\${list}\`, { label: "pick" })

  // What the plan returns is the run's result. To fail, throw.
  if (!pick.ok) throw new Error(pick.error.message)
  return { ideas: answered.map((idea) => idea.output ?? null), pick: pick.text }
}
`

const env = `// Types of "alembic/plan" for a folder without the package. After \`npm install alembic\`, remove this file and the
// first line of the plan.
declare module "alembic/plan" {
  export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

  export interface ModelError {
    readonly code: string
    readonly message: string
    readonly retryable: boolean
    readonly retryAfterMs?: number
    readonly httpStatus?: number
  }
  export interface Usage {
    readonly inputTokens?: number
    readonly outputTokens?: number
  }
  export interface ModelRunSuccess {
    readonly ok: true
    readonly text: string
    /** The structured answer, where the call had a schema. */
    readonly output?: Json
    readonly finishReason: string
    readonly usage?: Usage
    readonly costUsd?: number
  }
  export interface ModelRunFailure {
    readonly ok: false
    readonly status: "failed" | "skipped" | "parked" | "cancelled"
    readonly error: ModelError
  }
  export type ModelRunResult = ModelRunSuccess | ModelRunFailure
  /** The plan's own code threw in this slot. */
  export interface PlanFailure {
    readonly ok: false
    readonly status: "failed"
    readonly error: { readonly code: "plan_error"; readonly message: string; readonly retryable: false }
  }
  /** The value itself, or why there is none. */
  export type Slot<A> = A | ModelRunFailure | PlanFailure

  export interface AgentOptions {
    readonly label?: string
    /** A named role of alembic.json. */
    readonly profile?: string
    readonly model?: string
    readonly system?: string
    /** JSON Schema of the answer. */
    readonly schema?: { readonly [key: string]: Json }
    readonly maxOutputTokens?: number
    readonly temperature?: number
    readonly timeoutMs?: number
    readonly cache?: boolean
  }
  export interface FanOutOptions {
    readonly concurrency?: number
    /** "loss": lost slots do not make the run incomplete. */
    readonly accept?: "loss"
  }

  /** alembic init --schema mission says it all. */
  export interface MissionSpec {
    readonly title: string
    readonly units: ReadonlyArray<{
      readonly id: string
      readonly prompt: string
      readonly proof?: ReadonlyArray<string | ReadonlyArray<string>>
      readonly fulfills?: ReadonlyArray<string>
      readonly dependsOn?: ReadonlyArray<string>
      /** Without one it is T4: a person must approve of it. */
      readonly tier?: "T0" | "T1" | "T2" | "T3" | "T4"
      readonly model?: string
      readonly maxAttempts?: number
    }>
    readonly maxAttempts?: number
    readonly maxFixRounds?: number
    readonly concurrency?: number
  }
  export interface CouncilSpec {
    /** A name in alembic.json's boards. */
    readonly board: string
    readonly question: string
    readonly context?: string
    readonly options?: ReadonlyArray<{ readonly id: string; readonly text: string }>
  }
  export interface VerbAnswer {
    readonly ok: boolean
    readonly [member: string]: Json | undefined
  }

  export interface PlanHooks {
    phase(title: string): void
    phase<A>(title: string, body: (h: PlanHooks) => A): Promise<Awaited<A>>
    agent(prompt: string, options?: AgentOptions): Promise<ModelRunResult>
    agent(options: AgentOptions & { readonly prompt: string }): Promise<ModelRunResult>
    parallel<A>(thunks: ReadonlyArray<() => A>, options?: FanOutOptions): Promise<Array<Slot<Awaited<A>>>>
    pipeline<I, A>(items: ReadonlyArray<I>, stage: (previous: I, item: I, index: number) => A, options?: FanOutOptions): Promise<Array<Slot<Awaited<A>>>>
    mission(spec: MissionSpec): Promise<VerbAnswer>
    council(spec: CouncilSpec): Promise<VerbAnswer & { readonly decision?: "GO" | "PIVOT" | "NO_GO" }>
    log(message: string, data?: Json): void
  }

  export interface PlanInput {
    readonly goal: string
    readonly args?: Json
    readonly contract?: Json
    /** What --attach brought. */
    readonly files: ReadonlyArray<{ readonly path: string; readonly text: string; readonly sha256: string }>
  }
}
`

export const initFiles: ReadonlyArray<InitFile> = [
  { name: "GOAL.md", about: "what the run is for", text: goal },
  { name: "alembic.plan.ts", about: "the plan: it runs as it is", text: plan },
  { name: "alembic-env.d.ts", about: "types for your editor, until the package is installed", text: env }
]

/** Where an editor finds what alembic.json may hold. */
export const configSchemaName = "alembic.schema.json"

/** The configuration to begin with: it says what holds without one. */
export const configFile: InitFile = {
  name: "alembic.json",
  about: "models, prices, limits",
  text: `${JSON.stringify({ $schema: `./${configSchemaName}`, model: "offline" }, undefined, 2)}\n`
}

/** The same for a folder where the package is installed: its own types are there. */
export const withoutTypes = (files: ReadonlyArray<InitFile>): ReadonlyArray<InitFile> =>
  files
    .filter(({ name }) => name !== "alembic-env.d.ts")
    .map((file) => ({ ...file, text: file.text.replace(/^\/\/\/ <reference .*\n/, "") }))
