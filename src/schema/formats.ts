// Formats of JSON Schema that are decided here, by the letter of the RFCs they name. Those of the kept library are used
// where they keep to them; what it takes that they do not is mended here (leading zeros of `ipv4`, a date and a time
// parted by anything but T). `url`, `uri-template`, and the formats of international names, are not decided.
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

const fromLibrary = [
  "date",
  "time",
  "duration",
  "hostname",
  "ipv6",
  "uuid",
  "uri",
  "uri-reference",
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
  ["email", email]
])

/** Longest text that is held against a format. */
export const maxFormatText = 10_000
