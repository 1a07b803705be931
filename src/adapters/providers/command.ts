// The adapter that runs a subprocess agent: presets for claude, codex and gemini, and any command by a template.
// It builds the command line, feeds the prompt, runs it (kernel/subprocess) and reads its end (classifyProcess.ts).
import { Clock, Effect, Redacted, Result } from "effect"
import { makeError } from "../../domain/ModelError.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { defined } from "../../domain/defined.ts"
import { modelPrograms } from "../../kernel/processes/programs.node.ts"
import { runSubprocess } from "../../kernel/subprocess/Subprocess.node.ts"
import type { Adapter } from "../Adapter.ts"
import { readProcess } from "../classify/classifyProcess.ts"
import type { CliFormat } from "../classify/readCli.ts"
import { hidePrompt, redact } from "../redact/redact.ts"
import { makeRedactor } from "../redact/redactAnswer.ts"
import { promptWithSchema } from "../structured/schemaPrompt.ts"
import { childEnvironment, keysIn, secretsIn } from "./commandEnvironment.ts"

/** One argument, or a group that is left out where a placeholder in it has no value. */
export type TemplateItem = string | ReadonlyArray<string>

export interface CommandSpec {
  /**
   * The command line. `{{prompt}}`, `{{system}}` and `{{model}}` are filled in, each within its argument: no shell
   * ever sees them. Without `{{prompt}}` the prompt is fed on stdin, without `{{system}}` the system text before it.
   */
  readonly argv: ReadonlyArray<TemplateItem>
  /** How its output is read. */
  readonly reads: CliFormat
  readonly cwd?: string
  /** Added to the few variables of the host that it gets (commandEnvironment.ts). */
  readonly env?: Readonly<Record<string, string>>
  /** Names of further variables of the host that it gets. */
  readonly passEnv?: ReadonlyArray<string>
  /** A prefix that confines it: `["bwrap", "--ro-bind", "/", "/"]`, `["podman", "run", "-i", "image"]`. */
  readonly sandbox?: ReadonlyArray<string>
  /** Milliseconds; a limit of its own beside the call's. */
  readonly timeLimitMs?: number
  /** Bytes of stdout; 16 MiB unless set. */
  readonly maxOutputBytes?: number
}

export type CommandPreset = "claude" | "codex" | "gemini"

export const commandPresets: { readonly [name in CommandPreset]: CommandSpec } = {
  claude: {
    argv: [
      "claude",
      "-p",
      "--output-format",
      "json",
      ["--model", "{{model}}"],
      ["--append-system-prompt", "{{system}}"]
    ],
    reads: "claude"
  },
  codex: {
    argv: ["codex", "exec", "--json", "--skip-git-repo-check", ["--model", "{{model}}"], "-"],
    reads: "codex"
  },
  gemini: { argv: ["gemini", "--output-format", "json", ["--model", "{{model}}"]], reads: "gemini" }
}

export interface CommandOptions {
  /** The adapter's id, as runs name it: `command:claude`. */
  readonly id: string
  readonly spec: CommandSpec
  /** Never to be shown, beside what the host's environment holds by names like KEY, TOKEN, SECRET. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
  /** The most that one call costs, in US dollars, and what it is taken to cost where its tool does not say. */
  readonly maxUsdPerCall?: number
  /** Folders of the project, whose programs are not run by their bare name; the working directory unless given. */
  readonly project?: ReadonlyArray<string>
}

const defaultMaxOutputBytes = 16 * 1024 * 1024
const drainMs = 400
const killGraceMs = 2000

/** A model of this name is the command's own default: no `--model` is passed. */
const isDefaultModel = (model: string, id: string): boolean =>
  model === "" || model === "default" || model === id || id === `command:${model}`

const has = (argv: ReadonlyArray<TemplateItem>, placeholder: string): boolean =>
  argv.flat().some((item) => item.includes(placeholder))

const fill = (item: string, values: Readonly<Record<string, string>>): string =>
  item.replace(/\{\{(prompt|system|model)\}\}/g, (whole, name: string) => values[name] ?? whole)

/** The command line of a call, and what it reads on stdin. */
export const commandLine = (
  spec: CommandSpec,
  id: string,
  input: ModelRunInput
): { readonly argv: ReadonlyArray<string>; readonly stdin: string | undefined } => {
  const asked = promptWithSchema(input)
  const system = input.system ?? ""
  const prompt = has(spec.argv, "{{system}}") || system === "" ? asked : `${system}\n\n${asked}`
  const values = { prompt, system, model: isDefaultModel(input.model, id) ? "" : input.model }
  const isEmpty = (item: string) =>
    (item.includes("{{system}}") && values.system === "") ||
    (item.includes("{{model}}") && values.model === "")
  const argv = spec.argv.flatMap((item) => {
    if (typeof item === "string") return [fill(item, values)]
    return item.some(isEmpty) ? [] : item.map((part) => fill(part, values))
  })
  return {
    argv: [...(spec.sandbox ?? []), ...argv],
    stdin: has(spec.argv, "{{prompt}}") ? undefined : prompt
  }
}

/**
 * An adapter over a subprocess. It has side effects: a call of it that may have run is not run again unasked. Interruption ends
 * its whole process group. Fails with a `ModelError` whose detail holds the bounded, redacted tail of its output; an
 * answer holds no key of the host or of its configuration, whether the command was given it or not.
 */
export const makeCommandAdapter = ({
  id,
  maxUsdPerCall,
  project,
  secrets = [],
  spec
}: CommandOptions): Adapter => {
  const programs = modelPrograms(project ?? [process.cwd()], process.env["PATH"] ?? "")
  const attempt = Effect.fnUntraced(function* (input: ModelRunInput) {
    const { argv, stdin } = commandLine(spec, id, input)
    const idempotency = defined({ ALEMBIC_IDEMPOTENCY_KEY: input.idempotencyKey })
    const program = yield* Effect.promise(() => programs(argv, childEnvironment(process.env, spec)))
    if (program._tag === "refused") return yield* makeError("client_error", program.problem)
    const end = yield* runSubprocess({
      argv: program.argv,
      env: { ...program.env, ...idempotency },
      maxOutputBytes: spec.maxOutputBytes ?? defaultMaxOutputBytes,
      drainMs,
      killGraceMs,
      ...(stdin !== undefined && { stdin }),
      ...(spec.cwd !== undefined && { cwd: spec.cwd }),
      ...(spec.timeLimitMs !== undefined && { timeLimitMs: spec.timeLimitMs })
    })
    const now = yield* Clock.currentTimeMillis
    const keys = [...secrets.map(Redacted.value), ...keysIn(process.env), ...keysIn(spec.env ?? {})]
    const hidden = [...keys, ...secretsIn(process.env), ...secretsIn(spec.env ?? {})]
    const prompts = [input.prompt, ...(input.system === undefined ? [] : [input.system])]
    const clean = (text: string) => hidePrompt(redact(text, hidden), prompts)
    const redactor = makeRedactor(keys)
    return yield* Effect.fromResult(
      Result.mapBoth(readProcess(id, spec.reads, end, { now, clean }), {
        onSuccess: (answer) => {
          const costUsd = answer.costUsd ?? maxUsdPerCall
          return { ...redactor.success(answer), ...defined({ costUsd }) }
        },
        onFailure: redactor.failure
      })
    )
  })
  const reserveUsd = maxUsdPerCall === undefined ? undefined : () => maxUsdPerCall
  return { id, free: false, hasSideEffects: true, ...defined({ reserveUsd }), attempt }
}
