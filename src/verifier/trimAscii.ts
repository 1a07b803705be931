// White space of ASCII at both ends of a text, dropped by a scan: a pattern for the end of a text tries every run of
// white space in it to its own end.

const space = new Set([" ", "\t", "\r", "\n"])

export const trimAscii = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && space.has(text.charAt(from))) from++
  while (to > from && space.has(text.charAt(to - 1))) to--
  return text.slice(from, to)
}
