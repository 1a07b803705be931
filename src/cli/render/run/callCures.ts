// What to do about a model call that failed, by the code of its failure.
import type { ErrorCode } from "../../../domain/ModelError.ts"

export const failedCallCure = (code: ErrorCode): string => {
  switch (code) {
    case "auth":
    case "quota_exhausted":
      return "alembic models (says which key is used), or --model with another one"
    case "client_error":
    case "invalid_input":
      return "alembic models (says what the reference means and where it is reached), then correct what the message names"
    case "network":
      return "alembic models (says where the model is reached); check --base-url and the network, then the same again"
    case "rate_limited":
    case "server_error":
    case "timeout":
    case "circuit_open":
      return "the same again later, or --model with another one"
    case "context_length":
      return "shorten the prompt, or --model with one that takes more"
    case "content_filtered":
      return "word the prompt otherwise, or --model with another one"
    case "invalid_response":
      return "the same again, or --model with one that keeps to the form"
    case "budget_exceeded":
      return "the same with a higher --max-usd"
    case "not_available":
    case "awaiting_answer":
    case "cancelled":
    case "unknown":
      return "the same again, or --model with another one"
  }
}
