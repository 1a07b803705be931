// What to say about a value that was thrown: short, safe to show, and itself never throwing. An Error's message can
// quote what was being sent (a header's value, the prompt), so both are taken out.
import type { ModelRunInput } from "../../domain/ModelRun.ts"
import { hidePrompt, redact } from "../redact/redact.ts"

const maxLength = 200

const clean = (message: string, input: ModelRunInput): string => {
  const hidden = hidePrompt(message.slice(0, 10_000), [input.prompt, input.system ?? ""])
  const text = redact(hidden.toWellFormed(), [])
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
}

const describe = (thrown: unknown, input: ModelRunInput): string => {
  if (thrown instanceof Error) {
    const name = typeof thrown.name === "string" && thrown.name !== "" ? clean(thrown.name, input) : "Error"
    const message = typeof thrown.message === "string" ? clean(thrown.message, input) : ""
    return message === "" ? name : `${name}: ${message}`
  }
  if (typeof thrown === "string") return clean(thrown, input)
  if (typeof thrown === "object" && thrown !== null) return "an object that is no Error"
  return typeof thrown === "function" ? "a function" : String(thrown)
}

/** Never throws, whatever `thrown` does when it is looked at. */
export const describeThrown = (thrown: unknown, input: ModelRunInput): string => {
  try {
    return describe(thrown, input)
  } catch {
    return "a value that cannot be read"
  }
}
