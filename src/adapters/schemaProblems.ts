// What is wrong with a JSON Schema before any answer is asked for: it is malformed, or nothing can satisfy it. Pure.
import type { JsonSchemaDocument } from "../domain/ModelRun.ts"

export interface SchemaProblem {
  readonly path: string
  readonly problem: string
}

export const schemaProblems = (_schema: JsonSchemaDocument): ReadonlyArray<SchemaProblem> => []
