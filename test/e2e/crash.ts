// `npm run test:crash`: kills the real command at every event boundary of a run of 200 calls, and at a thousand
// moments drawn by a seed (the first argument), and prints what it saw. Exits 1 if anything was paid twice or differs.
import process from "node:process"
import { buildCommand } from "../support/buildCommand.ts"
import { dice } from "../support/dice.ts"
import { callsOf, KillMatrix, type Moment } from "../support/killMatrix.ts"

const width = 160
const seed = Number(process.argv[2] ?? 1)
const drawn = Number(process.argv[3] ?? 1000)
const matrix = new KillMatrix(buildCommand(), width)
await matrix.start()
const random = dice(seed)
const moments: ReadonlyArray<Moment> = [
  ...Array.from({ length: matrix.events }, (_, index): Moment => ({ at: "event", n: index + 1 })),
  ...Array.from({ length: drawn }, (): Moment => {
    const at = random.pick(["event", "asked", "answered"] as const)
    return { at, n: 1 + random.below(at === "event" ? matrix.events : callsOf(width)) }
  })
]
const seen = { trials: 0, killed: 0, repeated: 0, different: 0, unfinished: 0 }
for (const [index, moment] of moments.entries()) {
  const trial = await matrix.trial(`trial-${index}`, moment)
  seen.trials++
  if (trial.killed) seen.killed++
  seen.repeated += trial.repeated
  if (!trial.sameResult) seen.different++
  if (trial.status !== "completed") seen.unfinished++
  if (trial.repeated > 0 || !trial.sameResult) console.log("BAD", moment, trial)
  if ((index + 1) % 100 === 0) console.log(`${index + 1} of ${moments.length}`, seen)
}
matrix.stop()
console.log(
  `${callsOf(width)} calls, ${matrix.events} events: ${seen.trials} trials, ${seen.killed} killed; ` +
    `calls made again that had a journaled answer: ${seen.repeated}; results that differ: ${seen.different}; unfinished: ${seen.unfinished}`
)
process.exitCode = seen.repeated + seen.different + seen.unfinished > 0 ? 1 : 0
