// One text in eight forms: encodings and line ends that mean the same.
import { encodeText } from "../../../src/verifier/evidence/decode.ts"

export const forms = [
  "utf-8",
  "utf-8, crlf",
  "utf-8, mark",
  "utf-8, mark, crlf",
  "utf-16le, mark",
  "utf-16le, mark, crlf",
  "utf-16be, mark",
  "utf-16be, mark, crlf"
] as const
/** And those that are no text here. */
export const unreadableForms = ["utf-16le, no mark", "utf-16be, no mark"] as const
export type Form = (typeof forms)[number] | (typeof unreadableForms)[number]

/** The bytes of a text of LF lines in this form. */
export const encoded = (text: string, form: Form): Uint8Array => {
  const parts = form.split(", ")
  const lines = parts.includes("crlf") ? text.replaceAll("\n", "\r\n") : text
  const marked = parts.includes("mark") ? `\ufeff${lines}` : lines
  return encodeText(
    marked,
    form.startsWith("utf-16le") ? "utf-16le" : form.startsWith("utf-16be") ? "utf-16be" : "utf-8"
  )
}
