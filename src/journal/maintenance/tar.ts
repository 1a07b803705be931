// tar: the part of the ustar format that an archive of a run needs, made so that the same content gives the same
// bytes anywhere: no times, no owners, one mode. Pure.
import { Option } from "effect"

export const blockBytes = 512

export interface TarEntry {
  readonly name: string
  readonly size: number
}

const field = (block: Uint8Array, at: number, text: string) => block.set(new TextEncoder().encode(text), at)
const octal = (value: number, width: number) => value.toString(8).padStart(width - 1, "0")

const checksum = (block: Uint8Array): number => {
  let sum = 0
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0)
  return sum
}

/** The header of a file. Names are ASCII and at most 100 characters: those of a run are. */
export const tarHeader = ({ name, size }: TarEntry): Uint8Array => {
  const block = new Uint8Array(blockBytes)
  field(block, 0, name)
  field(block, 100, octal(0o600, 8))
  field(block, 108, octal(0, 8))
  field(block, 116, octal(0, 8))
  field(block, 124, octal(size, 12))
  field(block, 136, octal(0, 12))
  field(block, 156, "0")
  field(block, 257, "ustar\u000000")
  field(block, 148, `${octal(checksum(block), 7)}\u0000 `)
  return block
}

/** Zero bytes from the end of a file's content to the next block. */
export const tarPadding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

/** What ends an archive. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * blockBytes)

/** What a header says, if it is one that `tarHeader` would have made. */
export const readTarHeader = (block: Uint8Array): Option.Option<TarEntry> => {
  const text = new TextDecoder("latin1").decode(block)
  const name = text.slice(0, 100).split("\u0000", 1)[0] ?? ""
  const size = Number.parseInt(text.slice(124, 135), 8)
  if (!Number.isSafeInteger(size) || size < 0) return Option.none()
  return Buffer.compare(tarHeader({ name, size }), block) === 0 ? Option.some({ name, size }) : Option.none()
}
