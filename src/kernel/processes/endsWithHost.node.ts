// A process that must not outlive the one that starts it. Where the kernel can be asked to, it ends the one with the
// other, whatever either is doing; elsewhere a process that is blocked is left behind when its host is killed.
import { existsSync } from "node:fs"
import process from "node:process"

/** Of util-linux. It asks the kernel to end a process with its parent, and becomes the program it is given. */
const setpriv = "/usr/bin/setpriv"
let asks: boolean | undefined

/** The command line of a process that ends with this one. */
export const endsWithHost = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  asks ??= process.platform === "linux" && existsSync(setpriv)
  return asks ? [setpriv, "--pdeathsig", "KILL", "--", ...argv] : argv
}
