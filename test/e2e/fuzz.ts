// `npm run test:fuzz -- MINUTES SEED`: hostile turns and bent archives for as long as is said, by seeds that are printed.
// Every fifth trial is a real process that writes raw bytes. Exits 1 if anything crashed, hung, or does not open.
import { writeFileSync } from "node:fs"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Option, Result } from "effect"
import { runPlanFile } from "../../src/engine/launch/runPlanFile.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { PlanChildEntry } from "../../src/plan/host/PlanVm.node.ts"
import { dice } from "../support/dice.ts"
import { hostileProcess } from "../support/hostileTurns.ts"
import { importTrial, turnTrial } from "../support/hostileTrials.ts"
import { liveEngine, temporaryFolder, writeFiles } from "../support/liveEngine.ts"
import { paidRegistry } from "../support/paidRegistry.ts"

const minutes = Number(process.argv[2] ?? 1)
const start = Number(process.argv[3] ?? Date.now() % 2 ** 31)

/** What a process writes on each line that it is sent: an honest batch is all that is pending. */
const childOf = (seed: number): string => {
  const random = dice(seed)
  const say = hostileProcess(random, 3)
  const words = Array.from({ length: 10 }, (_, turn) => {
    const line = Buffer.from(say(turn === 0 ? [] : Array.from({ length: turn }, (_, n) => n + 1)))
    const raw = [
      Buffer.concat([line, Buffer.from("\n")]),
      Buffer.concat([line, Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28]), Buffer.from("\n")]),
      Buffer.concat([line, Buffer.from("\n"), line, Buffer.from("\n")]),
      Buffer.concat([Buffer.from('{"t":"progress"}\n'.repeat(300)), line, Buffer.from("\r\n")]),
      Buffer.alloc(200_000, 0x5b)
    ]
    return {
      bytes: (random.below(4) === 0 ? random.pick(raw) : (raw[0] ?? line)).toString("base64"),
      after: random.pick(["", "", "", "", "exit", "kill", "throw", "close", "flood"])
    }
  })
  return `const words = ${JSON.stringify(words)}
process.stdout.write('{"t":"progress"}\\n')
process.stdin.on("data", () => {
  const { bytes, after } = words.shift() ?? process.exit(3)
  const all = Buffer.from(bytes, "base64"), cut = all.length >> 1
  process.stdout.write(all.subarray(0, cut)); process.stdout.write(all.subarray(cut))
  if (after === "flood") process.stderr.write("heap out of mem\\n".repeat(9000))
  if (after === "exit" || all.indexOf(10) < 0) process.exit(0)
  if (after === "kill") process.kill(process.pid, "SIGSEGV")
  if (after === "throw") throw new Error("x")
  if (after === "close") process.stdout.end()
})`
}

const processTrial = (seed: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const plan = yield* writeFiles(folder, { "plan.js": "export const run = async () => 1\n" })
      const child = `${folder}/child.mjs`
      writeFileSync(child, childOf(seed))
      const layer = liveEngine(`${folder}/.alembic`, paidRegistry().layer).pipe(
        Layer.provide(Layer.succeed(PlanChildEntry, pathToFileURL(child)))
      )
      return yield* Effect.gen(function* () {
        const summary = yield* runPlanFile({ plan, inputs: { goal: "g", attachments: [] } })
        const store = yield* Journal
        const id = yield* store.runId(summary.runId ?? "")
        const [problem] = (yield* store.verify(id)).problems
        if (problem !== undefined) return `it does not verify: ${problem.message}`
        const opened = yield* Effect.scoped(Effect.result(store.open(id, "read")))
        return Result.isFailure(opened) ? `it does not open: ${opened.failure.message}` : undefined
      }).pipe(Effect.provide(layer))
    })
  ).pipe(
    // The engine waits 60 s for a process to come up, and 10 s for one that says nothing.
    Effect.timeoutOption("120 seconds"),
    Effect.map(Option.getOrElse(() => "it hangs")),
    Effect.catchCause((cause) => Effect.succeed(String(cause)))
  )

const trials = [turnTrial, turnTrial, importTrial, importTrial, processTrial]
const kinds = ["turns", "turns", "import", "import", "process"]
const made: Record<string, number> = {}
let wrong = 0

const one = Effect.fnUntraced(function* (seed: number) {
  const at = seed % trials.length
  const kind = kinds[at] ?? ""
  const problem = yield* (trials[at] ?? turnTrial)(seed)
  made[kind] = (made[kind] ?? 0) + 1
  if (problem === undefined) return
  wrong++
  console.log(`BAD ${kind} ${seed}: ${problem.slice(0, 600)}`)
})

console.log(`seed ${start}, for ${minutes} minutes`)
const until = Date.now() + minutes * 60_000
let next = start
const worker = Effect.suspend(() => one(next++)).pipe(Effect.repeat({ while: () => Date.now() < until }))
await Effect.runPromise(
  Effect.all(
    Array.from({ length: 8 }, () => worker),
    { concurrency: "unbounded" }
  )
)
console.log(`seeds ${start} to ${next - 1}: ${JSON.stringify(made)}: ${wrong} crashed, hung or do not open`)
process.exitCode = wrong === 0 ? 0 : 1
