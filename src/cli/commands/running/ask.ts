// `alembic ask PROMPT`: one guarded call of a model, outside any run. Its answer, or why there is none, is all it says.
import { Effect, Option, Result, Schema } from "effect"
import { Argument } from "effect/cli"
import { AdapterRegistry } from "../../../adapters/registry/AdapterRegistry.ts"
import { runBound } from "../../../adapters/guard/runBound.ts"
import { computeCacheKey } from "../../../domain/Call.ts"
import { JsonSchemaDocument, type ModelRunResult } from "../../../domain/ModelRun.ts"
import { defined } from "../../../domain/defined.ts"
import { wholeNanos } from "../../../journal/state/RunState.ts"
import { badInput, fromRegistry } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { parseJson } from "../../inputs/runInputs.ts"
import { readText } from "../../inputs/textFiles.ts"
import { agree } from "../../trust/agree.ts"
import { requirementsOf } from "../../trust/requirements.ts"
import { Output } from "../../Output.ts"
import { cutText } from "../../render/run/inspectionText.ts"
import { failedCallCure } from "../../render/run/callCures.ts"
import { cureText } from "../../render/errorText.ts"
import { countText, dollarsText, durationText } from "../../render/numbers.ts"
import { clip, type Style } from "../../terminal/style.ts"
import { madeUpByRule } from "../../render/offlineNotice.ts"
import { untilSignalled } from "../../running/untilSignalled.ts"
import { modelSettings } from "../../settings/runSettings.ts"

const config = {
  prompt: Argument.String("prompt").pipe(Argument.withDescription("What to ask")),
  model: flags.optionalText("model", "<ref>", "Which model, such as openai:<model>; offline unless named"),
  baseUrl: flags.baseUrlFlag,
  system: flags.optionalText("system", "<text>", "System prompt"),
  schema: flags.optionalText("schema", "<file>", "JSON Schema of a structured answer"),
  timeoutMs: flags.positiveInt("timeout-ms", "<ms>", "Time limit of one attempt"),
  maxAttempts: flags.positiveInt("max-attempts", "<n>", "Attempts at most (3)"),
  config: flags.configFlag,
  trust: flags.trustFlag,
  offlineFixtures: flags.fixturesFlag
}

const isSchema = Schema.is(JsonSchemaDocument)

const readSchema = Effect.fnUntraced(function* (path: string) {
  const cure = "--schema FILE with a JSON Schema object in it"
  const value = yield* parseJson(`schema ${path}`, yield* readText("schema", path, cure), cure, path)
  return isSchema(value)
    ? value
    : yield* badInput("invalid_schema", `schema ${path} is not an object`, { path, cure })
})

const factsText = (result: ModelRunResult, style: Style): string => {
  const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {}
  const facts = [
    `${result.adapterId}:${result.modelId}`,
    `${result.attempts} ${result.attempts === 1 ? "attempt" : "attempts"}`,
    ...(result.repairs === undefined || result.repairs === 0 ? [] : [`${result.repairs} repaired`]),
    ...(result.usage === undefined ? [] : [`${countText(inputTokens + outputTokens)} tokens`]),
    result.costUsd === undefined ? "cost unknown" : dollarsText(result.costUsd),
    durationText(result.durationMs)
  ]
  const fell = (result.fellBackFrom ?? []).map(
    ({ adapterId, error, modelId }) =>
      `  instead of ${adapterId}:${modelId}: ${clip(error.message, 120)} [${error.code}]`
  )
  const cut = result.ok && result.finishReason === "length" ? [style.yellow(`✂ ${cutText}`)] : []
  return [...cut, style.dim(facts.join(" · ")), ...fell].join("\n")
}

const failureText = (result: ModelRunResult, style: Style): string => {
  if (result.ok) return ""
  const { code, message, retryAfterMs } = result.error
  const wait = retryAfterMs === undefined ? "" : `\n  try again in ${durationText(retryAfterMs)}`
  const cure = failedCallCure(code)
  return `${style.red("error")} ${style.dim(`[${code}]`)} ${message}${wait}\n${cureText(cure, style)}`
}

export default defineCommand({
  name: "ask",
  description: "Ask a model one question, through the same guards as a run",
  config,
  examples: [
    {
      command: "alembic ask 'Why is the sky blue?' --model anthropic:claude-sonnet-4-5",
      description: "One call"
    },
    {
      command: "alembic ask 'Three names' --schema names.json --json",
      description: "A structured answer as one JSON object"
    }
  ],
  handler: Effect.fn("cli.ask")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    if (input.prompt.trim() === "")
      return yield* badInput("usage", "the prompt is empty", { cure: "alembic ask 'What …?'" })
    const settings = yield* modelSettings(input, "alembic.plan.ts")
    const untrusted = yield* agree({
      requirements: requirementsOf({ config: settings.config }),
      given: input.trust,
      again: "alembic ask PROMPT"
    })
    if (untrusted !== undefined) {
      return yield* badInput(untrusted.code, untrusted.message, { cure: untrusted.cure ?? "alembic trust" })
    }
    const schema = Option.isSome(input.schema) ? yield* readSchema(input.schema.value) : undefined
    const maxAttempts = Option.getOrUndefined(input.maxAttempts)
    const asked = Effect.gen(function* () {
      const registry = yield* AdapterRegistry
      const { verb: _, ...identity } = yield* registry.resolve({
        prompt: input.prompt,
        ...(Option.isSome(input.system) ? { system: input.system.value } : {}),
        ...defined({ schema })
      })
      const chain = yield* registry.bind(identity.model ?? "")
      return yield* runBound(chain, {
        ...identity,
        cacheKey: Result.getOrElse(computeCacheKey({ verb: "agent", ...identity }), () => ""),
        ...(Option.isSome(input.timeoutMs) ? { timeoutMs: input.timeoutMs.value } : {})
      })
    }).pipe(
      Effect.catchTag("RegistryError", (error) => Effect.fail(fromRegistry(error))),
      Effect.provide(host.models({ ...settings, ...defined({ maxAttempts }) }))
    )
    // A model may be a subprocess, which does not end by itself.
    const result = yield* untilSignalled(asked)
    yield* output.emit(
      result.costUsd === undefined ? result : { ...result, costUsd: wholeNanos(result.costUsd) }
    )
    if (!output.json) {
      if (result.ok)
        yield* output.data(
          result.output === undefined ? result.text : JSON.stringify(result.output, undefined, 2)
        )
      yield* output.note(factsText(result, output.style))
      if (!result.ok) yield* output.note(failureText(result, output.style))
      if (result.adapterId === "offline" && settings.fixtures === undefined)
        yield* output.note(output.style.dim(madeUpByRule))
    }
    if (!result.ok) yield* output.exitWith(1)
  })
})
