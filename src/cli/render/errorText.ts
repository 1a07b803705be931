// What a failure looks like to a person: what went wrong, and the next command to type.
import type { CommandError } from "../CommandError.ts"
import { type Style } from "../terminal/style.ts"

/** A cure that is a command is shown as one. */
export const cureText = (cure: string, style: Style): string =>
  `  ${style.dim("next:")} ${style.cyan(style.typed(cure))}`

export const errorText = ({ code, cure, message }: CommandError, style: Style): string => {
  const head = `${style.red("error")} ${style.dim(`[${code}]`)} ${message}`
  return cure === undefined ? head : `${head}\n${cureText(cure, style)}`
}
