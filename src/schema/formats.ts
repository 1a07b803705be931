// Formats of JSON Schema that are decided here, by the letter of the RFCs they name. Those of the kept library are used
// where they keep to them; what it takes that they do not is mended here (leading zeros of `ipv4`, a date and a time
// parted by anything but T, URIs with characters that RFC 3986 does not have). `url`, `uri-template`, and the formats of international names, are not decided.
import { format as kept } from "@cfworker/json-schema"

type Decide = (text: string) => boolean

const octet = (text: string): boolean =>
  /^[0-9]{1,3}$/.test(text) && Number(text) <= 255 && (text === "0" || !text.startsWith("0"))

const ipv4: Decide = (text) => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every(octet)
}

const library = (name: string): Decide => {
  const decide = kept[name]
  return (text) => decide !== undefined && decide(text)
}

const dateTime: Decide = (text) =>
  (text[10] === "T" || text[10] === "t") &&
  library("date")(text.slice(0, 10)) &&
  library("time")(text.slice(11))

const email: Decide = (text) => {
  const open = text.endsWith("]") ? text.lastIndexOf("@[") : -1
  const literal = text.slice(open + 2, -1)
  const plain = open === -1 || /^ipv6:/i.test(literal) || ipv4(literal)
  return plain && library("email")(text)
}

const uriCharacters = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/
const hostName = /^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/
const addressFuture = /^v[0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+$/i

/** RFC 3986, 3.2: user information, host and port of what stands between `//` and the path. */
const authority = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const user = at === -1 ? "" : text.slice(0, at)
  const place = text.slice(at + 1)
  const close = place.startsWith("[") ? place.indexOf("]") : -1
  const colon = close === -1 ? place.indexOf(":") : place.indexOf(":", close)
  const host = colon === -1 ? place : place.slice(0, colon)
  const port = colon === -1 ? "" : place.slice(colon + 1)
  const literal = host.slice(1, -1)
  const isHost =
    close === -1
      ? hostName.test(host)
      : host.length === close + 1 && (library("ipv6")(literal) || addressFuture.test(literal))
  return isHost && /^[0-9]*$/.test(port) && !/[/?@[\]]/.test(user) && uriCharacters.test(user)
}

/** RFC 3986, 4.1: a URI, or the part of one that is relative to another. ASCII alone: others are percent-encoded. */
const uriReference: Decide = (text) => {
  const [, , scheme, , host, path = "", , query = "", , fragment = ""] =
    /^(([^:/?#]+):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(text) ?? []
  return (
    (scheme === undefined || /^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) &&
    (host === undefined || authority(host)) &&
    !path.includes("?") &&
    [path, query, fragment].every((part) => uriCharacters.test(part))
  )
}

const uri: Decide = (text) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && uriReference(text)

const fromLibrary = [
  "date",
  "time",
  "duration",
  "hostname",
  "ipv6",
  "uuid",
  "json-pointer",
  "json-pointer-uri-fragment",
  "relative-json-pointer",
  "regex"
]

/** Every format that is decided, by its name. */
export const formats: ReadonlyMap<string, Decide> = new Map([
  ...fromLibrary.map((name) => [name, library(name)] as const),
  ["ipv4", ipv4],
  ["date-time", dateTime],
  ["email", email],
  ["uri", uri],
  ["uri-reference", uriReference]
])

/** Longest text that is held against a format. */
export const maxFormatText = 10_000
