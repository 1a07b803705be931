// The host of a supervised command (signals/supervision.ts), built into `dist/host.js` by itself: as launch.ts, without
// a supervisor of its own.
import { keepCompiled } from "./keepCompiled.ts"

keepCompiled()
const program = "./command.js"
await import(program)
