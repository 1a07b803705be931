// The fetch given to provider SDKs: sends once, follows no redirect, reads the whole body within a bound, and keeps
// what was seen on the wire, so that classification stands on evidence instead of on an SDK's reading of it.
import type { WireReply } from "../classifyHttp.ts"

/** Largest body that is read, in bytes. */
export const maxBodyBytes = 64 * 1024 * 1024

/** What one attempt left on the wire. */
export class Exchange {
  /** `fetch` was reached; false where the SDK threw before it. */
  started = false
  /** The request could not even be built. */
  refused = false
  reply: WireReply | undefined
  /** What broke the exchange, where something did. `partial`: headers had come. */
  broken: { readonly thrown: unknown; readonly status: number | undefined } | undefined
}

class BodyTooLarge extends Error {
  readonly code = "ERR_BODY_TOO_LARGE"
}

const readBytes = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = response.body?.getReader()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    size += next.value.byteLength
    if (size > maxBodyBytes) {
      await reader?.cancel()
      throw new BodyTooLarge("the body is too large")
    }
    chunks.push(next.value)
  }
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

const lowerCase = (headers: Headers): Record<string, string> => {
  const out: Record<string, string> = {}
  headers.forEach((value, name) => {
    out[name.toLowerCase()] = value
  })
  return out
}

/** Statuses that a `Response` may not have a body with. */
const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304

/** A `fetch` that records into `exchange`. What it returns to the SDK is a copy of what was recorded. */
export const recordingFetch = (exchange: Exchange): typeof globalThis.fetch =>
  async function record(input, init) {
    exchange.started = true
    let request: Request
    try {
      request = new Request(input, { ...init, redirect: "manual" })
    } catch (cause) {
      exchange.refused = true
      throw cause
    }
    let status: number | undefined
    try {
      const response = await fetch(request)
      status = response.status
      const bytes = await readBytes(response)
      const body = new TextDecoder("utf-8").decode(bytes)
      const headers = lowerCase(response.headers)
      exchange.reply = { status, headers, body }
      // The body is already decoded; the SDK must not be told otherwise.
      const { "content-encoding": _encoding, "content-length": _length, ...rest } = headers
      return new Response(isBodyless(status) ? null : body, { status, headers: rest })
    } catch (thrown) {
      if (exchange.reply === undefined) exchange.broken = { thrown, status }
      throw thrown
    }
  }
