// Which commands start the plan's process before they are loaded themselves. A wrong guess costs some milliseconds of
// another core, and ends with the command.
import { startAhead as startPlan } from "../plan/host/spawnPlan.node.ts"

const runPlans: ReadonlySet<string | undefined> = new Set(["run", "resume", "replay", "council"])

export const startAhead = (args: ReadonlyArray<string>): void => {
  if (runPlans.has(args[0]) && !args.includes("--help") && !args.includes("-h")) startPlan()
}
