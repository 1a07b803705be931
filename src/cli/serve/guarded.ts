// guarded: who may ask the page's server. It listens on the loopback address, which every program of this machine and
// every page of its browser can reach, so that alone is no protection.
//
// Invariants:
// G1  A request whose Host is not the server's own is refused: a foreign name that was made to lead here (DNS rebinding).
// G2  A request that a page of another origin makes is refused, whatever its key.
// G3  Nothing of a run is told, and nothing is taken, without the key, which stands in no log, cookie or file.
// G4  Every answer forbids to be kept, framed, or read as something else than it is.
import { Effect } from "effect"
import { HttpServerResponse, type HttpServerRequest } from "effect/http"
import { sha256 } from "../../domain/fingerprint.ts"

/** Where the server is, and the key to it. */
export interface Doorway {
  readonly port: number
  readonly key: string
}

const headers = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

export const refusal = (status: number, code: string, message: string, cure?: string) =>
  HttpServerResponse.jsonUnsafe(
    { ok: false, error: { code, message, ...(cure === undefined ? {} : { cure }) } },
    { status }
  )

/** Compared by hash, so that the time it takes tells nothing of the key. */
const isKey = (given: string | undefined, key: string): boolean =>
  sha256(given ?? "") === sha256(`Bearer ${key}`)

/** Why the request is refused; undefined where it is not. */
const whyRefused = (
  { headers: given, url }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "url">,
  { key, port }: Doorway
) => {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!own.includes(given["host"] ?? "")) return refusal(421, "wrong_host", "This server has another name.")
  const { origin, "sec-fetch-site": site = "none" } = given
  const isForeign = origin !== undefined && !own.some((host) => origin === `http://${host}`)
  if (isForeign || (site !== "same-origin" && site !== "none"))
    return refusal(403, "wrong_origin", "A page of another origin may not ask this server.")
  if (!url.startsWith("/api/")) return undefined
  return isKey(given["authorization"], key)
    ? undefined
    : refusal(401, "wrong_key", "The key is missing or wrong: open the address that alembic serve printed.")
}

/** `app` for those who may ask it. */
export const guarded = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  doorway: Doorway,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.map(
    Effect.suspend(() => {
      const refused = whyRefused(request, doorway)
      return refused === undefined ? app : Effect.succeed(refused)
    }),
    HttpServerResponse.setHeaders(headers)
  )
