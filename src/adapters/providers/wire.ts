// The fetch given to provider SDKs: sends once, follows no redirect, reads the whole body within a bound, and keeps
// what was seen on the wire, so that classification stands on evidence instead of on an SDK's reading of it.
import type { WireReply } from "../classify/classifyHttp.ts"

/** What one attempt left on the wire. */
export class Exchange {
  /** A request was made. There is one an attempt: what a package would send on its own was never reserved for. */
  sent = false
  /** There was a connection to send it on: the provider may have got it. */
  connected = false
  /** The request could not even be built. */
  refused = false
  reply: WireReply | undefined
  /** What broke the exchange, where something did. `status`: headers had come. */
  broken: { readonly thrown: unknown; readonly status: number | undefined } | undefined
}

/** Statuses that a `Response` may not have a body with. */
const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304

/** A `fetch` that records into `exchange`. What it returns to the SDK is a copy of what was recorded. */
export const recordingFetch = (exchange: Exchange): typeof globalThis.fetch =>
  async function record(input, init) {
    if (exchange.sent) throw new Error("one attempt is one request")
    exchange.sent = true
    const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url
    let status: number | undefined
    try {
      // Loaded by the first request: Node's HTTP modules cost as much as all else that a start loads of Node.
      const { send } = await import("./sendOnce.ts")
      const {
        bytes,
        headers,
        status: seen
      } = await send({
        url,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: typeof init?.body === "string" ? init.body : "",
        signal: init?.signal ?? undefined,
        onHeaders: (first) => {
          status = first
        },
        onConnected: () => {
          exchange.connected = true
        },
        onRefused: () => {
          exchange.refused = true
        }
      })
      const body = new TextDecoder("utf-8").decode(bytes)
      exchange.reply = { status: seen, headers, body }
      // The body is already decoded; the SDK must not be told otherwise.
      const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers
      return new Response(isBodyless(seen) ? null : body, { status: seen, headers: rest })
    } catch (thrown) {
      if (exchange.reply === undefined) exchange.broken = { thrown, status }
      throw thrown
    }
  }
