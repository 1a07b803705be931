// What an exchange that broke means: transport codes, walked through causes and aggregates, and constructions that
// were refused before anything was sent. The messages are our own words: foreign ones quote keys.
import { type BreakerOutcome, makeError, type ModelError } from "../../domain/ModelError.ts"

interface Clue {
  readonly code: string
  readonly name: string
  readonly message: string
}

const property = (value: object, key: string): unknown => {
  // Getters of foreign errors may throw; a clue that cannot be read is none.
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, 2000) : "")

/** Every error on the way: the thrown one, its causes, the members of aggregates. */
const clues = (thrown: unknown): ReadonlyArray<Clue> => {
  const found: Array<Clue> = []
  const queue: Array<unknown> = [thrown]
  while (queue.length > 0 && found.length < 32) {
    const value = queue.shift()
    if (typeof value !== "object" || value === null) continue
    found.push({
      code: text(property(value, "code")),
      name: text(property(value, "name")),
      message: text(property(value, "message"))
    })
    queue.push(property(value, "cause"))
    const errors = property(value, "errors")
    if (Array.isArray(errors)) queue.push(...errors.slice(0, 8))
  }
  return found
}

interface Rule {
  readonly matches: (clue: Clue) => boolean
  readonly error: (clue: Clue) => ModelError
}

/** Codes that there are only before a connection is made: the name was not found, nobody listens. */
const neverConnected = /^(?:ENOTFOUND|ECONNREFUSED|EAI_AGAIN|EAI_FAIL|UND_ERR_CONNECT_TIMEOUT)$/

const network = (what: string, retryable: boolean, breaker: BreakerOutcome, clue: Clue): ModelError =>
  makeError("network", `${what}${clue.code === "" ? "" : ` (${clue.code})`}`, {
    retryable,
    breaker,
    ...(neverConnected.test(clue.code) && { sent: false }),
    ...(clue.code !== "" && { detail: { codes: [clue.code.slice(0, 60)] } })
  })

const code = (pattern: RegExp) => (clue: Clue) => pattern.test(clue.code)

/** In this order; each is looked for in every clue before the next is tried. */
const rules: ReadonlyArray<Rule> = [
  {
    matches: code(
      /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|CRL_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO$)/
    ),
    error: (clue) => network("the TLS handshake failed: certificate or protocol", false, "neutral", clue)
  },
  {
    matches: (clue) => clue.code.startsWith("HPE_") || clue.name === "HTTPParserError",
    error: (clue) => network("the peer does not speak HTTP", false, "neutral", clue)
  },
  {
    matches: code(/^(?:Z_BUF_ERROR)$/),
    error: () =>
      makeError("invalid_response", "the compressed body is cut off", { retryable: true, breaker: "failure" })
  },
  {
    matches: code(/^(?:Z_|ERR_BROTLI|ERR__ERROR|BROTLI_|ERR_ZLIB|ZSTD_|ERR_PADDING|ERR_ENCODING)/),
    error: () => makeError("invalid_response", "the body is not in the encoding its header names")
  },
  {
    matches: (clue) =>
      clue.name === "TimeoutError" ||
      /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/.test(
        clue.code
      ),
    error: (clue) => makeError("timeout", `no answer in time${clue.code === "" ? "" : ` (${clue.code})`}`)
  },
  {
    matches: code(/^ENOTFOUND$/),
    error: (clue) => network("the host name of the base URL is unknown", false, "neutral", clue)
  },
  {
    matches: (clue) =>
      /^(?:ERR_INVALID_URL|ERR_INVALID_CHAR|ERR_INVALID_ARG_TYPE|ERR_INVALID_ARG_VALUE|UND_ERR_INVALID_ARG)$/.test(
        clue.code
      ) ||
      /^(?:bad port|unknown scheme|URL scheme must be)/i.test(clue.message) ||
      /invalid header (?:value|name)|Failed to parse URL|Invalid URL|includes credentials|to ByteString/i.test(
        clue.message
      ),
    error: () => unsendable()
  },
  {
    matches: (clue) =>
      /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENETRESET|ENOTCONN|EADDRNOTAVAIL|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_\w+)$/.test(
        clue.code
      ),
    error: (clue) => network("the connection failed", true, "failure", clue)
  },
  {
    matches: code(/^(?:UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_EXCEEDED_MAX_SIZE|ERR_BODY_TOO_LARGE)$/),
    error: (clue) => makeError("invalid_response", `the reply is larger than is accepted (${clue.code})`)
  },
  {
    matches: (clue) => /^(?:redirect count exceeded|unexpected redirect)/i.test(clue.message),
    error: () => makeError("client_error", "the base URL redirects without end")
  },
  {
    matches: (clue) =>
      /^(?:terminated|fetch failed|other side closed|socket hang up|network error|failed to fetch)$/i.test(
        clue.message
      ),
    error: (clue) => network("the connection failed", true, "failure", clue)
  }
]

/** Refused before anything was sent: a header value or a URL that HTTP does not allow. */
export const unsendable = (): ModelError =>
  makeError(
    "invalid_input",
    "the request could not be built: the API key, a header or the base URL holds a character that HTTP does not allow (a key read from a file often ends in a newline)"
  )

/** The error of a broken exchange, or undefined where nothing in it is known. */
export const classifyTransport = (thrown: unknown): ModelError | undefined => {
  const found = clues(thrown)
  for (const rule of rules) {
    const clue = found.find(rule.matches)
    if (clue !== undefined) return rule.error(clue)
  }
  return undefined
}

/** The error of anything thrown; `unknown` where there is no evidence. */
export const classifyThrown = (thrown: unknown): ModelError =>
  classifyTransport(thrown) ?? makeError("unknown", "the attempt failed without evidence of why")
