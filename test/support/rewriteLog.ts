// rewriteLog: a log as somebody would leave it who changes a word in it with care: every line chained to the one before.
import { readFileSync, writeFileSync } from "node:fs"
import { sha256 } from "../../src/domain/fingerprint.ts"

export const rewriteLog = (events: string, from: string, to: string): void => {
  let prev = "0".repeat(64)
  const lines = readFileSync(events, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const changed = JSON.stringify({ ...JSON.parse(line.replace(from, to)), prev })
      prev = sha256(changed)
      return changed
    })
  writeFileSync(events, `${lines.join("\n")}\n`)
}
