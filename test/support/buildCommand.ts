// The command as it is shipped, for the tests that start it: built once, as `npm start` does; nothing happens when
// it is up to date, and files are replaced whole, so that several test files may ask at once.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Builds dist/ if need be, and answers with the path of the command's script. */
export const buildCommand = (): string => {
  execFileSync(process.execPath, [at(".ci/build.mjs")], { stdio: ["ignore", "inherit", "inherit"] })
  return at("dist/main.js")
}
