// What a person agrees to before it happens: commands, what they get, and where keys and prompts go.
import type { Requirements } from "../trust/requirements.ts"
import type { Style } from "../terminal/style.ts"

/** A part of a command line, so that where it begins and ends can be seen. */
const part = (text: string): string => (/^[\w@%+=:,./{}[\]()<>*-]+$/.test(text) ? text : JSON.stringify(text))

export const trustText = (
  { addresses, commands, runs = [] }: Requirements,
  hash: string,
  style: Style
): string =>
  [
    ...runs.map(
      ({ runId, status }) =>
        `${style.yellow("made elsewhere")}, as far as this machine can prove: ${style.bold(runId)}, ${status}, lies here with these inputs`
    ),
    ...(commands.length + addresses.length === 0
      ? []
      : [style.bold("This runs commands, or sends keys and prompts to addresses, by the word of a file:")]),
    ...commands.flatMap(({ argv, cwd, gets, sets, what }) => [
      `  ${style.yellow("command")} ${argv.map(part).join(" ")}  ${style.dim(`(${what})`)}`,
      ...(cwd === undefined ? [] : [`    in the folder ${part(cwd)}`]),
      ...(sets.length === 0 ? [] : [`    with ${sets.map(part).join(" ")}`]),
      ...(gets.length === 0 ? [] : [`    and your ${gets.join(", ")}`])
    ]),
    ...addresses.flatMap(({ sends, url, what }) => [
      `  ${style.yellow("address")} ${part(url)}  ${style.dim(`(${what})`)}`,
      ...(sends.length === 0 ? [] : [`    with your ${sends.join(", ")}`])
    ]),
    `  ${style.dim("hash")} ${hash}`
  ].join("\n")
