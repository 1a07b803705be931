// Expectation: what a call will likely take and bring. From the same plan's own past runs, where they made a call at that
// place; else from the form of its answer and from what models usually do. Pure.
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { CallRecord } from "../../engine/inspect/CallRecord.ts"
import type { RunEventOf } from "../../domain/run/RunEvent.ts"
import { utf8Bytes } from "../../adapters/Pricing.ts"

export interface Expected {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly durationMs: number
  /** Whether past runs say so. */
  readonly isKnown: boolean
}

/** Means of the calls that were made at one place of the plan. */
interface Past {
  readonly count: number
  readonly outputTokens: number
  /** Tokens of input a byte that was sent is not known of the past: means as they were. */
  readonly inputTokens: number
  readonly durationMs: number
}

/** By place of the call, else by its phase. */
export type PastCalls = ReadonlyMap<string, Past>

interface Placed {
  readonly site?: RunEventOf<"CallScheduled">["site"]
  readonly phase?: string
}

const placesOf = ({ phase, site }: Placed): ReadonlyArray<string> => [
  ...(site === undefined ? [] : [`${site.file}:${site.line}`]),
  `phase ${phase ?? ""}`
]

/** Models that made the answers up, or that nobody waits for, say nothing of a real one. */
const tells = ({ answeredBy, reused, status, usage, verb }: CallRecord): boolean =>
  verb === undefined &&
  reused !== true &&
  status === "completed" &&
  usage?.outputTokens !== undefined &&
  answeredBy !== undefined &&
  !answeredBy.startsWith("human") &&
  !answeredBy.startsWith("offline")

export const pastCalls = (calls: ReadonlyArray<CallRecord>): PastCalls => {
  const sums = new Map<string, Past>()
  for (const call of calls.filter(tells)) {
    for (const place of placesOf(call)) {
      const { count, durationMs, inputTokens, outputTokens } = sums.get(place) ?? {
        count: 0,
        outputTokens: 0,
        inputTokens: 0,
        durationMs: 0
      }
      sums.set(place, {
        count: count + 1,
        outputTokens: outputTokens + (call.usage?.outputTokens ?? 0),
        inputTokens: inputTokens + (call.usage?.inputTokens ?? 0),
        durationMs: durationMs + (call.durationMs ?? 0)
      })
    }
  }
  return sums
}

/** Bytes of English text a token is, about. */
const bytesPerToken = 4
/** Tokens of an answer in words that nothing is known of. */
const usualAnswer = 300
/** Tokens of a text inside a structured answer. */
const usualText = 20
const deepest = 6

const numberIn = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

const isRecord = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Tokens of a usual answer of that form. */
export const usualTokens = (schema: Json | undefined, depth = 0): number => {
  if (!isRecord(schema) || depth > deepest) return usualText
  const { enum: listed, items, maxItems, maxLength, minItems, properties, type } = schema
  if (Array.isArray(listed) || schema["const"] !== undefined) return 4
  if (isRecord(properties)) {
    return Object.entries(properties).reduce(
      (sum, [name, value]) =>
        sum + 4 + Math.ceil(name.length / bytesPerToken) + usualTokens(value, depth + 1),
      2
    )
  }
  switch (type) {
    case "string":
      return Math.min(usualText, Math.ceil((numberIn(maxLength) ?? 1000) / bytesPerToken) + 2)
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return 3
    case "array": {
      const least = numberIn(minItems) ?? 1
      const most = numberIn(maxItems) ?? Math.max(5, least)
      return 2 + Math.round((least + most) / 2) * (usualTokens(items, depth + 1) + 1)
    }
    default:
      return usualText * 2
  }
}

/** Milliseconds until a model begins to answer, and for each token of it. */
const usualStartMs = 800
const usualTokenMs = 15

/** `bound`: the most output tokens that the call may bring. */
export const expectedOf = (
  placed: Placed,
  input: ModelRunInput,
  bound: number,
  past: PastCalls
): Expected => {
  const known = placesOf(placed).flatMap((place) => past.get(place) ?? [])[0]
  if (known !== undefined) {
    return {
      inputTokens: known.inputTokens / known.count,
      outputTokens: known.outputTokens / known.count,
      durationMs: known.durationMs / known.count,
      isKnown: true
    }
  }
  const bytes =
    utf8Bytes(input.prompt) + utf8Bytes(input.system ?? "") + utf8Bytes(JSON.stringify(input.schema ?? ""))
  const usual = input.schema === undefined ? usualAnswer : usualTokens(input.schema)
  const outputTokens = Math.min(bound, usual)
  return {
    inputTokens: Math.ceil(bytes / bytesPerToken),
    outputTokens,
    durationMs: usualStartMs + outputTokens * usualTokenMs,
    isKnown: false
  }
}
