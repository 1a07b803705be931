// An OpenAI-compatible server on loopback that counts what it is asked. It answers at once, or holds a request until
// the test lets it go; what it answers depends on the prompt alone: the prompt, unless the test has an answer to it.
import { Deferred, Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Asked {
  readonly prompt: string
  /** Answers a request that is held. */
  readonly answer: Effect.Effect<void>
}

export interface ModelServer {
  /** For `--base-url`. */
  readonly baseUrl: string
  /** Prompts, in the order they came. */
  readonly prompts: ReadonlyArray<string>
  /** The n-th request from now on (from 1), when it has come in whole. */
  readonly nth: (n: number) => Effect.Effect<Asked>
  /** Requests whose prompt this accepts wait for `answer`. */
  readonly hold: (which: (prompt: string) => boolean) => void
  /** Requests for whose prompt this has a text are answered with it. */
  readonly reply: (textOf: (prompt: string) => string | undefined) => void
}

const answerWith = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
})

const read = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (text += chunk))
    request.on("end", () => resolve(text))
  })

const promptOf = (body: string): string => {
  const { messages } = JSON.parse(body)
  const { content } = messages.at(-1)
  return typeof content === "string" ? content : content[0].text
}

export const modelServer = Effect.acquireRelease(
  Effect.callback<ModelServer & { readonly close: () => void }>((resume) => {
    const prompts: Array<string> = []
    const waiting: Array<{ readonly at: number; readonly done: Deferred.Deferred<Asked> }> = []
    let holds = (_prompt: string): boolean => false
    let textOf = (_prompt: string): string | undefined => undefined
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      const prompt = promptOf(await read(request))
      const send = () => {
        if (response.writableEnded) return
        const answer = answerWith(textOf(prompt) ?? `re: ${prompt}`)
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      }
      prompts.push(prompt)
      if (!holds(prompt)) send()
      for (const { done } of waiting.filter(({ at }) => at === prompts.length)) {
        Deferred.doneUnsafe(done, Effect.succeed({ prompt, answer: Effect.sync(send) }))
      }
    }
    const server = createServer((request, response) => void handle(request, response))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(
        Effect.succeed({
          baseUrl: `http://127.0.0.1:${port}/v1`,
          prompts,
          nth: (n) =>
            Effect.flatMap(Deferred.make<Asked>(), (done) => {
              waiting.push({ at: prompts.length + n, done })
              return Deferred.await(done)
            }),
          hold: (which) => {
            holds = which
          },
          reply: (texts) => {
            textOf = texts
          },
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)
