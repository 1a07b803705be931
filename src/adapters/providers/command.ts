// The adapter that runs a subprocess agent: presets for claude, codex and gemini, and any command by a template.
// It builds the command line, feeds the prompt, runs it (childProcess.ts) and reads its end (classifyProcess.ts).
import { Clock, Effect, Redacted } from "effect"
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { Adapter } from "../Adapter.ts"
import { readProcess } from "../classifyProcess.ts"
import type { CliFormat } from "../readCli.ts"
import { hidePrompt, redact } from "../redact.ts"
import { promptWithSchema } from "../schemaPrompt.ts"
import { runChild } from "./childProcess.ts"

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
  /** Added to the environment it inherits. */
  readonly env?: Readonly<Record<string, string>>
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
  /** Never to be shown, beside what the environment holds by names like KEY, TOKEN, SECRET. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
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

const environment = (added: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const inherited: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) inherited[name] = value
  return { ...inherited, ...added }
}

const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH/i

const environmentSecrets = (env: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value]) => (secretName.test(name) && value.length >= 8 ? [value] : []))

/**
 * An adapter over a subprocess. It acts: a call of it that may have run is not run again unasked. Interruption ends
 * its whole process group. Fails with a `ModelError` whose detail holds the bounded, redacted tail of its output.
 */
export const makeCommandAdapter = ({ id, secrets = [], spec }: CommandOptions): Adapter => ({
  id,
  free: false,
  acts: true,
  attempt: Effect.fnUntraced(function* (input: ModelRunInput) {
    const { argv, stdin } = commandLine(spec, id, input)
    const env = environment({
      ...spec.env,
      ...(input.idempotencyKey !== undefined && { ALEMBIC_IDEMPOTENCY_KEY: input.idempotencyKey })
    })
    const end = yield* runChild({
      argv,
      env,
      maxOutputBytes: spec.maxOutputBytes ?? defaultMaxOutputBytes,
      drainMs,
      killGraceMs,
      ...(stdin !== undefined && { stdin }),
      ...(spec.cwd !== undefined && { cwd: spec.cwd }),
      ...(spec.timeLimitMs !== undefined && { timeLimitMs: spec.timeLimitMs })
    })
    const now = yield* Clock.currentTimeMillis
    const hidden = [...secrets.map(Redacted.value), ...environmentSecrets(env)]
    const prompts = [input.prompt, ...(input.system === undefined ? [] : [input.system])]
    const clean = (text: string) => hidePrompt(redact(text, hidden), prompts)
    return yield* Effect.fromResult(readProcess(id, spec.reads, end, { now, clean }))
  })
})
