// Style: the few marks that text for people carries on a terminal. Without colour they are nothing.

export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const sgr =
  (on: number, off: number, color: boolean) =>
  (text: string): string =>
    color ? `\u001b[${on}m${text}\u001b[${off}m` : text

export const makeStyle = (color: boolean): Style => ({
  bold: sgr(1, 22, color),
  dim: sgr(2, 22, color),
  red: sgr(31, 39, color),
  green: sgr(32, 39, color),
  yellow: sgr(33, 39, color),
  cyan: sgr(36, 39, color)
})

/** Text from outside (a model, a file name) must not move the cursor or draw: its control characters are shown. */
export const harmless = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g,
    (found) => `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`
  )

/** At most `width` characters on one line. */
export const clip = (text: string, width: number): string => {
  const line = harmless(text).replace(/\s+/g, " ").trim()
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…`
}
