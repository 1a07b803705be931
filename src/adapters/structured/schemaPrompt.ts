// How a model without a native schema mode is asked for JSON: in words, after the prompt. Decoding what comes back
// is structuredOutput.ts's.
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import type { ModelRunInput } from "../../domain/ModelRun.ts"

/** The prompt with the schema asked for in words; the prompt as it is where no schema is asked for. */
export const promptWithSchema = ({ prompt, schema }: ModelRunInput): string =>
  schema === undefined
    ? prompt
    : `${prompt}

Answer with one JSON value that fits this JSON Schema, and nothing else:
${canonicalJsonOf(schema)}`
