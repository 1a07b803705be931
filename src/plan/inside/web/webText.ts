// webText: TextEncoder, TextDecoder, atob, btoa and queueMicrotask, made inside the plan's context: pure functions that
// libraries expect and that a bare context lacks. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "../intrinsics.ts"

export const webText = (own: Intrinsics): void => {
  const { put, pin, text, then, TypeError: OwnTypeError, RangeError: OwnRangeError } = own
  const { fromCodePoint } = String
  const Bytes = Uint8Array
  const Buffers = ArrayBuffer
  const { isView } = ArrayBuffer
  const codePointAt = own.uncurry(String.prototype.codePointAt)
  const charCodeAt = own.uncurry(String.prototype.charCodeAt)
  const indexOf = own.uncurry(String.prototype.indexOf)
  const replace = own.uncurry<string, [RegExp, string], string>(String.prototype.replace)
  const lower = own.uncurry(String.prototype.toLowerCase)
  const trim = own.uncurry(String.prototype.trim)
  const resolved = Promise.resolve()

  const utf8 = (value: string): Uint8Array => {
    let size = 0
    for (let at = 0; at < value.length; at++) {
      const point = codePointAt(value, at) ?? 0
      size += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
      if (point > 0xffff) at++
    }
    const bytes = new Bytes(size)
    let to = 0
    for (let at = 0; at < value.length; at++) {
      let point = codePointAt(value, at) ?? 0
      if (point > 0xffff) at++
      else if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd
      if (point < 0x80) bytes[to++] = point
      else if (point < 0x800) {
        bytes[to++] = 0xc0 | (point >> 6)
        bytes[to++] = 0x80 | (point & 63)
      } else if (point < 0x10000) {
        bytes[to++] = 0xe0 | (point >> 12)
        bytes[to++] = 0x80 | ((point >> 6) & 63)
        bytes[to++] = 0x80 | (point & 63)
      } else {
        bytes[to++] = 0xf0 | (point >> 18)
        bytes[to++] = 0x80 | ((point >> 12) & 63)
        bytes[to++] = 0x80 | ((point >> 6) & 63)
        bytes[to++] = 0x80 | (point & 63)
      }
    }
    return bytes
  }

  /** UTF-8 as the Encoding Standard decodes it: each maximal bad prefix is one U+FFFD, or an error. */
  const fromUtf8 = (bytes: Uint8Array, fatal: boolean): string => {
    let out = ""
    let point = 0
    let needed = 0
    let low = 0x80
    let high = 0xbf
    const bad = (): void => {
      if (fatal) throw new OwnTypeError("The encoded data was not valid for encoding utf-8")
      out += "\ufffd"
    }
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (needed === 0) {
        if (byte < 0x80) out += fromCodePoint(byte)
        else if (byte >= 0xc2 && byte <= 0xdf) {
          needed = 1
          point = byte & 31
        } else if (byte >= 0xe0 && byte <= 0xef) {
          if (byte === 0xe0) low = 0xa0
          if (byte === 0xed) high = 0x9f
          needed = 2
          point = byte & 15
        } else if (byte >= 0xf0 && byte <= 0xf4) {
          if (byte === 0xf0) low = 0x90
          if (byte === 0xf4) high = 0x8f
          needed = 3
          point = byte & 7
        } else bad()
        continue
      }
      if (byte < low || byte > high) {
        needed = 0
        low = 0x80
        high = 0xbf
        bad()
        at--
        continue
      }
      low = 0x80
      high = 0xbf
      point = (point << 6) | (byte & 63)
      needed -= 1
      if (needed === 0) out += fromCodePoint(point)
    }
    if (needed > 0) bad()
    return out
  }

  const bytesOf = (input: unknown): Uint8Array => {
    if (input === undefined) return new Bytes(0)
    if (input instanceof Buffers) return new Bytes(input)
    if (isView(input)) return new Bytes(input.buffer, input.byteOffset, input.byteLength)
    throw new OwnTypeError("The input must be an ArrayBuffer or a view on one")
  }

  class TextEncoder {
    get encoding(): string {
      return "utf-8"
    }
    encode(input: unknown = ""): Uint8Array {
      return utf8(text(input))
    }
    encodeInto(input: unknown, target: Uint8Array): { read: number; written: number } {
      const value = text(input)
      let read = 0
      let written = 0
      while (read < value.length) {
        const point = codePointAt(value, read) ?? 0
        const step = point > 0xffff ? 2 : 1
        const bytes = utf8(own.slice(value, read, read + step))
        if (written + bytes.length > target.length) break
        for (let at = 0; at < bytes.length; at++) target[written + at] = bytes[at] ?? 0
        written += bytes.length
        read += step
      }
      return { read, written }
    }
  }

  class TextDecoder {
    readonly fatal: boolean
    readonly ignoreBOM: boolean
    readonly encoding: string
    #kept: Uint8Array = new Bytes(0)
    #begun = false
    constructor(label: unknown = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
      const name = lower(trim(text(label)))
      if (name !== "utf-8" && name !== "utf8" && name !== "unicode-1-1-utf-8") {
        throw new OwnRangeError(`The encoding ${name} is not supported: only utf-8`)
      }
      this.encoding = "utf-8"
      this.fatal = options.fatal === true
      this.ignoreBOM = options.ignoreBOM === true
    }
    decode(input?: unknown, options: { stream?: boolean } = {}): string {
      const fresh = bytesOf(input)
      const all = new Bytes(this.#kept.length + fresh.length)
      all.set(this.#kept, 0)
      all.set(fresh, this.#kept.length)
      const end = options.stream === true ? all.length - unfinished(all) : all.length
      this.#kept = all.slice(end)
      let out = fromUtf8(all.subarray(0, end), this.fatal)
      if (!this.#begun && !this.ignoreBOM && charCodeAt(out, 0) === 0xfeff) out = own.slice(out, 1)
      this.#begun = options.stream === true && (this.#begun || end > 0)
      return out
    }
  }

  /** Bytes at the end that may be the start of a character. */
  const unfinished = (bytes: Uint8Array): number => {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const byte = bytes[bytes.length - back] ?? 0
      if (byte < 0x80) return 0
      if (byte >= 0xc0) {
        const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
        return size > back ? back : 0
      }
    }
    return 0
  }

  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  const btoa = (input: unknown): string => {
    const value = text(input)
    let out = ""
    for (let at = 0; at < value.length; at += 3) {
      const [a, b, c] = [charCodeAt(value, at), charCodeAt(value, at + 1), charCodeAt(value, at + 2)]
      if (a > 255 || b > 255 || c > 255) throw new OwnTypeError("btoa: a character is not in Latin-1")
      const two = at + 1 < value.length
      const three = at + 2 < value.length
      out += alphabet[a >> 2] ?? ""
      out += alphabet[((a & 3) << 4) | (two ? b >> 4 : 0)] ?? ""
      out += two ? (alphabet[((b & 15) << 2) | (three ? c >> 6 : 0)] ?? "") : "="
      out += three ? (alphabet[c & 63] ?? "") : "="
    }
    return out
  }

  const atob = (input: unknown): string => {
    let value = replace(text(input), /[\t\n\f\r ]+/g, "")
    if (value.length % 4 === 0) value = replace(value, /={1,2}$/, "")
    if (value.length % 4 === 1) throw new OwnTypeError("atob: the input is not base64")
    let out = ""
    let bits = 0
    let held = 0
    for (let at = 0; at < value.length; at++) {
      const six = indexOf(alphabet, value[at] ?? " ")
      if (six < 0) throw new OwnTypeError("atob: the input is not base64")
      held = (held << 6) | six
      bits += 6
      if (bits >= 8) {
        bits -= 8
        out += fromCodePoint((held >> bits) & 255)
        held &= (1 << bits) - 1
      }
    }
    return out
  }

  const queueMicrotask = (task: unknown): void => {
    if (typeof task !== "function") throw new OwnTypeError("queueMicrotask: the task must be a function")
    void then(resolved, () => {
      own.apply(task, undefined, [])
    })
  }

  pin(resolved, "constructor", own.Promise)
  for (const [name, value] of [
    ["TextEncoder", TextEncoder],
    ["TextDecoder", TextDecoder],
    ["atob", atob],
    ["btoa", btoa],
    ["queueMicrotask", queueMicrotask]
  ] as const) {
    put(own.global, name, value, false)
  }
}
