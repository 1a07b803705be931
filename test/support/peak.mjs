// Loaded into the command before anything else (NODE_OPTIONS): says on stderr how much memory its process took at most,
// in KiB, when it exits.
import { writeSync } from "node:fs"
import process from "node:process"

process.on("exit", () => writeSync(2, `\npeak ${process.resourceUsage().maxRSS}\n`))
