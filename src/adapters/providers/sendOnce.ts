// One HTTP request on a plain socket, without the habits of a browser's fetch: no limit of its own on how long an
// answer may take (a long reasoning call is not cut at five minutes and paid again: the spine's time limits rule),
// no redirects, no hidden statuses, and error codes that are the same in every Node.
import {
  Agent as PlainAgent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest
} from "node:http"
import { Agent as TlsAgent, request as tlsRequest } from "node:https"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate } from "node:zlib"

/** Largest body that is read, in bytes, on the wire and decoded. */
export const maxBodyBytes = 64 * 1024 * 1024

/** How long a connection may take to be made, in ms. */
const connectTimeoutMs = 15_000

/** Idle connections are kept this long, in ms; a server's own `Keep-Alive` header may shorten it. */
const idleMs = 4000

const agents = {
  "http:": new PlainAgent({ keepAlive: true, timeout: idleMs }),
  "https:": new TlsAgent({ keepAlive: true, timeout: idleMs })
}

export interface Sending {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal | undefined
  /** Called with the status when the headers have come. */
  readonly onHeaders: (status: number) => void
  /** Called when there is a connection to send on: from then on the provider may have got the request. */
  readonly onConnected: () => void
  /** Called when no request can be built of these parts. */
  readonly onRefused: () => void
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** A failure of ours with a code like the system's. */
class WireError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const options = { maxOutputLength: maxBodyBytes }

const decoders = new Map<string, (bytes: Uint8Array) => Promise<Uint8Array>>([
  ["gzip", (bytes) => promisify(gunzip)(bytes, options)],
  ["x-gzip", (bytes) => promisify(gunzip)(bytes, options)],
  ["deflate", (bytes) => promisify(inflate)(bytes, options)],
  ["br", (bytes) => promisify(brotliDecompress)(bytes, options)]
])

/** Undoes `content-encoding`, the last applied first. An unknown one is left: the body will not read as JSON. */
const decode = async (bytes: Uint8Array, encoding: string | undefined): Promise<Uint8Array> => {
  let body = bytes
  const names = (encoding ?? "").split(",").map((name) => name.trim().toLowerCase())
  for (const name of names.toReversed()) {
    const decoder = decoders.get(name)
    if (decoder !== undefined && body.byteLength > 0) body = await decoder(body)
  }
  return body
}

const textHeaders = (message: IncomingMessage): Record<string, string> => {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return out
}

const readBytes = (message: IncomingMessage): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let size = 0
    message.on("data", (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > maxBodyBytes) message.destroy(new WireError("ERR_BODY_TOO_LARGE", "the body is too large"))
      else chunks.push(chunk)
    })
    message.on("end", () => {
      if (message.complete) resolve(Buffer.concat(chunks))
      else reject(new WireError("ECONNRESET", "the body ended too early"))
    })
    message.on("error", reject)
    message.on("close", () => reject(new WireError("ECONNRESET", "the connection closed in the body")))
  })

const limitConnecting = (request: ClientRequest): void => {
  request.on("socket", (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(
      () => request.destroy(new WireError("ETIMEDOUT", "the connection was not made in time")),
      connectTimeoutMs
    )
    for (const event of ["connect", "close"] as const) socket.once(event, () => clearTimeout(timer))
  })
}

/** Says when there is a connection: for TLS after its handshake, before which no byte of a request is sent. */
const tellConnected = (request: ClientRequest, onConnected: () => void): void => {
  request.on("socket", (socket) => {
    if (!socket.connecting) return onConnected()
    socket.once("encrypted" in socket ? "secureConnect" : "connect", onConnected)
  })
}

const build = (sending: Sending): ClientRequest => {
  const url = new URL(sending.url)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new WireError("ERR_INVALID_URL", "not a web address")
  // Credentials belong into the key or a header, where they are known as secrets.
  if (url.username !== "" || url.password !== "")
    throw new WireError("ERR_INVALID_URL", "credentials in a URL")
  const settings = {
    method: "POST",
    headers: { ...sending.headers, "content-length": String(Buffer.byteLength(sending.body)) },
    ...(sending.signal !== undefined && { signal: sending.signal })
  }
  return url.protocol === "https:"
    ? tlsRequest(url, { ...settings, agent: agents["https:"] })
    : plainRequest(url, { ...settings, agent: agents["http:"] })
}

/** Sends a POST and reads the whole answer. Rejects with what broke the exchange; an abort closes the connection. */
export const send = async (sending: Sending): Promise<Received> => {
  let request: ClientRequest
  try {
    request = build(sending)
  } catch (thrown) {
    sending.onRefused()
    throw thrown
  }
  limitConnecting(request)
  tellConnected(request, sending.onConnected)
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve)
    request.on("error", reject)
    request.on("close", () => reject(new WireError("ECONNRESET", "the connection closed before an answer")))
    request.end(sending.body)
  })
  const status = message.statusCode ?? 0
  sending.onHeaders(status)
  const bytes = await readBytes(message)
  return {
    status,
    headers: textHeaders(message),
    bytes: await decode(bytes, message.headers["content-encoding"])
  }
}
