// A loopback HTTP server that speaks the four providers' formats and answers each request by a script: for tests that
// count what really goes over the wire. Faults below HTTP are FaultServer's.
import { Deferred, Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

export type Kind = "anthropic" | "openai" | "google" | "openai-compatible"

export interface Turn {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text of a good answer, or the body of a failed one. */
  readonly text: string
  /** Never answers. */
  readonly hang?: boolean
}

const usage = { prompt: 11, completion: 7 }

const bodies: Readonly<Record<Kind, (text: string) => unknown>> = {
  anthropic: (text) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: usage.prompt, output_tokens: usage.completion }
  }),
  openai: (text) => ({
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "gpt-4o",
    error: null,
    incomplete_details: null,
    output: [
      {
        type: "message",
        id: "m_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }]
      }
    ],
    usage: { input_tokens: usage.prompt, output_tokens: usage.completion, total_tokens: 18 }
  }),
  google: (text) => ({
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
    modelVersion: "gemini-2.5-pro",
    usageMetadata: {
      promptTokenCount: usage.prompt,
      candidatesTokenCount: usage.completion,
      totalTokenCount: 18
    }
  }),
  "openai-compatible": (text) => ({
    id: "c_1",
    object: "chat.completion",
    created: 1,
    model: "local",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: 18 }
  })
}

export interface ProviderServer {
  readonly url: string
  readonly requests: ReadonlyArray<string>
  readonly received: Deferred.Deferred<void>
  readonly closedByClient: Deferred.Deferred<void>
}

/** Turns are used up in order; the last one answers all that follow. Closed with the scope. */
export const providerServer = (
  kind: Kind,
  turns: ReadonlyArray<Turn>
): Effect.Effect<ProviderServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests: Array<string> = []
    const received = yield* Deferred.make<void>()
    const closedByClient = yield* Deferred.make<void>()
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (chunk: string) => (body += chunk))
      request.on("end", () => {
        const turn = turns[Math.min(requests.length, turns.length - 1)] ?? { text: "" }
        requests.push(body)
        Deferred.doneUnsafe(received, Effect.void)
        if (turn.hang === true) {
          response.on("close", () => Deferred.doneUnsafe(closedByClient, Effect.void))
          return
        }
        const status = turn.status ?? 200
        response.writeHead(status, { "content-type": "application/json", ...turn.headers })
        response.end(status === 200 ? JSON.stringify(bodies[kind](turn.text)) : turn.text)
      })
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const made = createServer(answer)
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.callback<void>((resume) => {
          made.close(() => resume(Effect.void))
          made.closeAllConnections()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const path = kind === "google" ? "v1beta" : "v1"
    return { url: `http://127.0.0.1:${port}/${path}`, requests, received, closedByClient }
  })
