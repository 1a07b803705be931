// A loopback peer on raw sockets that answers one scripted reply, with the faults real networks have. It owns the
// wire only; what a fault should mean is in the tests.
import { Deferred, Effect, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"

export type Fault =
  | "reset-mid-body"
  | "short-body"
  | "close-delimited-truncated"
  | "gzip-truncated"
  | "gzip-mislabelled"
  | "close-before-headers"
  | "refuse"
  | "tls-self-signed"
  | "garbage-bytes"
  | "hang-before-headers"
  | "hang-mid-body"

export interface Script {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly fault?: Fault
}

export interface SeenRequest {
  readonly head: string
  readonly body: string
}

export interface FaultServer {
  /** `http://127.0.0.1:port` (https for TLS). */
  readonly url: string
  readonly requests: ReadonlyArray<SeenRequest>
  /** Done when a request has come in whole. */
  readonly received: Deferred.Deferred<SeenRequest>
  /** Done when the client closed a connection that had sent a request. */
  readonly closedByClient: Deferred.Deferred<void>
}

const head = (script: Script, framing: string): string =>
  [
    `HTTP/1.1 ${script.status} Scripted`,
    ...Object.entries(script.headers).map(([name, value]) => `${name}: ${value}`),
    framing,
    "",
    ""
  ]
    .filter((line, index, lines) => line !== "" || index >= lines.length - 2)
    .join("\r\n")

const length = (bytes: number) => `content-length: ${bytes}\r\nconnection: close`

const answer = (socket: Socket, script: Script): void => {
  const { body } = script
  switch (script.fault) {
    case "hang-before-headers":
      return
    case "close-before-headers":
      socket.end()
      return
    case "garbage-bytes":
      socket.end(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46, 0x0d, 0x0a, 0x0d, 0x0a]))
      return
    case "hang-mid-body":
      socket.write(head(script, length(body.length + 100)))
      socket.write(body)
      return
    case "short-body":
      socket.write(head(script, length(body.length + 100)))
      socket.end(body)
      return
    case "close-delimited-truncated":
      socket.write(head(script, "connection: close"))
      socket.end(body)
      return
    case "reset-mid-body":
      socket.write(head(script, length(body.length + 100)))
      // The bytes first reach the peer, then the reset.
      socket.write(body, () => setImmediate(() => socket.resetAndDestroy()))
      return
    default:
      socket.write(head(script, length(body.length)))
      socket.end(body)
  }
}

const requestLength = (headText: string): number =>
  Number(/^content-length: *(\d+)/im.exec(headText)?.[1] ?? "0")

/** Serves `script` to every request until the scope closes. */
export const serveFault = (script: Script): Effect.Effect<FaultServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received = yield* Deferred.make<SeenRequest>()
    const closedByClient = yield* Deferred.make<void>()
    const requests: Array<SeenRequest> = []
    const sockets = new Set<Socket>()
    const onSocket = (socket: Socket) => {
      sockets.add(socket)
      let seen = Buffer.alloc(0)
      let whole = false
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        if (whole) Deferred.doneUnsafe(closedByClient, Effect.void)
      })
      socket.on("data", (chunk) => {
        seen = Buffer.concat([seen, chunk])
        // A TLS greeting to a peer that speaks plain HTTP gets what such peers answer.
        if (seen[0] === 0x16) return void socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
        const split = seen.indexOf("\r\n\r\n")
        if (whole || split === -1) return
        const headText = seen.subarray(0, split).toString("latin1")
        if (seen.length < split + 4 + requestLength(headText)) return
        whole = true
        const request = { head: headText, body: seen.subarray(split + 4).toString("utf8") }
        requests.push(request)
        Deferred.doneUnsafe(received, Effect.succeed(request))
        answer(socket, script)
      })
    }
    const tls = script.fault === "tls-self-signed"
    const server: Server = tls
      ? createTlsServer(
          {
            key: readFileSync(new URL("../fixtures/tls/key.pem", import.meta.url)),
            cert: readFileSync(new URL("../fixtures/tls/cert.pem", import.meta.url))
          },
          onSocket
        )
      : createServer(onSocket)
    server.on("tlsClientError", () => {})
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      }),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    if (script.fault === "refuse") {
      yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    }
    return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}`, requests, received, closedByClient }
  })
