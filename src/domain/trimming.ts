// Dropping characters at the ends of a text by a scan. A pattern for the end of a text (`/+$`) tries every run of the
// character in it to its own end, so that a text of slashes takes time by the square of its length.

const asciiSpace = new Set([" ", "\t", "\r", "\n"])

/** Without white space of ASCII at both ends. */
export const trimAscii = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && asciiSpace.has(text.charAt(from))) from++
  while (to > from && asciiSpace.has(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

/** Without this character at the end, however often it stands there. */
export const trimEndOf = (text: string, char: string): string => {
  let to = text.length
  while (to > 0 && text.charAt(to - 1) === char) to--
  return text.slice(0, to)
}
