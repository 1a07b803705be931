// Bytes of a file as text, once, before any oracle: UTF-8 with or without a byte order mark, UTF-16 by its mark.
// Everything else is no text here: other encodings, UTF-16 without a mark, bytes that only look like text (NUL).
import { Result } from "effect"

/** How the bytes of a text are encoded. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be"

export interface DecodedText {
  /** With its byte order mark as U+FEFF, so that it stands for the bytes exactly. */
  readonly text: string
  readonly encoding: Encoding
}

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

const encodingOf = (bytes: Uint8Array): Encoding =>
  startsWith(bytes, 0xff, 0xfe) ? "utf-16le" : startsWith(bytes, 0xfe, 0xff) ? "utf-16be" : "utf-8"

const swapped = (bytes: Uint8Array): Uint8Array => {
  const other = new Uint8Array(bytes.length)
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    other[at] = bytes[at + 1] ?? 0
    other[at + 1] = bytes[at] ?? 0
  }
  return other
}

/** The text that the bytes are in one of the known encodings; undefined where they are none. */
export const decodeText = (bytes: Uint8Array): DecodedText | undefined => {
  const encoding = encodingOf(bytes)
  if (encoding !== "utf-8" && bytes.length % 2 === 1) return undefined
  const decoder = new TextDecoder(encoding === "utf-8" ? "utf-8" : "utf-16le", {
    fatal: true,
    ignoreBOM: true
  })
  const text = Result.getOrUndefined(
    Result.try(() => decoder.decode(encoding === "utf-16be" ? swapped(bytes) : bytes))
  )
  // A mark with nothing behind it may be anything.
  if (text === undefined || text.includes("\0") || (encoding !== "utf-8" && text === "\ufeff"))
    return undefined
  return { text, encoding }
}

/** The bytes again: what a text was decoded from. */
export const encodeText = (text: string, encoding: Encoding): Uint8Array => {
  if (encoding === "utf-8") return new TextEncoder().encode(text)
  const bytes = new Uint8Array(text.length * 2)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes[2 * at] = unit & 0xff
    bytes[2 * at + 1] = unit >> 8
  }
  return encoding === "utf-16be" ? swapped(bytes) : bytes
}
