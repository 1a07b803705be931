// tryModel: one real, smallest call of a model, and what it tells: where it is reached, whether its key works, whether it
// takes a JSON Schema, how long it takes, what to set.
import { Effect } from "effect"
import { AdapterRegistry } from "../../adapters/registry/AdapterRegistry.ts"
import { ModelCatalog } from "../../adapters/registry/ModelCatalog.ts"
import { runBound } from "../../adapters/guard/runBound.ts"
import { trimEndOf } from "../../domain/trimming.ts"
import type { ModelRunResult } from "../../domain/ModelRun.ts"
import { fromRegistry } from "../CommandError.ts"
import { Host, type Checkup, type ModelSettings } from "../Host.ts"
import { dollarsText, durationText } from "../render/numbers.ts"
import { failedCallCure } from "../render/run/callCures.ts"
import { untilSignalled } from "./untilSignalled.ts"

const input = {
  prompt: 'Answer with the JSON object {"ok": true} and nothing else.',
  schema: {
    type: "object",
    properties: { ok: { type: "boolean" } },
    required: ["ok"],
    additionalProperties: false
  },
  // Enough for a model that thinks before it says a word.
  maxOutputTokens: 1024
}

/** How the schema reached the model: by itself, or in the prompt after it was refused. */
const schemaText = (result: ModelRunResult): string => {
  if (!result.ok) return "not known, since it did not answer"
  if (result.attempts === 1 && (result.repairs ?? 0) === 0)
    return "json_schema is taken, or put into the prompt"
  return (result.repairs ?? 0) > 0
    ? "its answer needed a repair: providerOptions { structuredOutputs: false } may help"
    : "json_schema was refused: set providerOptions { structuredOutputs: false } to spare the attempt"
}

/** What to set about a call that failed. */
const cureOf = (result: ModelRunResult, url: string | undefined): string | undefined => {
  if (result.ok) return undefined
  const { code, httpStatus } = result.error
  if (httpStatus === 404 && url !== undefined && !/\/v\d\w*$/.test(url))
    return `its base URL ${url} has no version in it: try ${trimEndOf(url, "/")}/v1`
  if (httpStatus === 404)
    return `it is not there: correct the model's name, or its base URL${url === undefined ? "" : ` ${url}`}`
  return failedCallCure(code)
}

/** The checks of one link, in the order in which they matter. */
export const tryModel = Effect.fnUntraced(function* (settings: ModelSettings) {
  const host = yield* Host
  const tried = Effect.gen(function* () {
    const registry = yield* AdapterRegistry
    const catalog = yield* ModelCatalog
    const entries = yield* catalog.entries
    const link = entries.find(({ kind }) => kind === "default")?.links[0]
    const identity = yield* registry.resolve({ prompt: input.prompt })
    const chain = yield* registry.bind(identity.model ?? "")
    const result = yield* runBound(chain.slice(0, 1), { ...input, model: chain[0]?.modelId ?? "" })
    return { link, result }
  }).pipe(
    Effect.catchTag("RegistryError", (error) => Effect.fail(fromRegistry(error))),
    Effect.provide(host.models({ ...settings, maxAttempts: 2 }))
  )
  const { link, result } = yield* untilSignalled(tried)
  const url = link?.baseUrl
  const cure = cureOf(result, url)
  const cost = result.costUsd === undefined ? "cost not known" : dollarsText(result.costUsd)
  const checks: ReadonlyArray<Checkup> = [
    { what: "model", ok: true, detail: `${result.adapterId}:${result.modelId}` },
    { what: "reached at", ok: true, detail: url ?? "its provider's own address" },
    {
      what: "key",
      ok: link?.key !== "absent",
      detail:
        link?.key === "present"
          ? `found in ${link.keyVariable ?? "the environment"}`
          : (link?.key ?? "not needed").replace("_", " ")
    },
    {
      what: "answer",
      ok: result.ok,
      detail: result.ok
        ? `after ${durationText(result.durationMs)}, ${cost}`
        : `${result.error.code}: ${result.error.message}${cure === undefined ? "" : `; ${cure}`}`
    },
    { what: "schema", ok: true, detail: schemaText(result) }
  ]
  return checks
})
