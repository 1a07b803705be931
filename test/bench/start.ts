// What the command costs before it works, and what a journaled call costs: medians and the middle half, each beside
// its floor in the same run. `node -e 0` is the floor of a start; a bare loop that appends and fsyncs the very
// records is the floor of a call. Exits with 1 when a start is over its aim.
import { Effect, Layer } from "effect"
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { layerOffline } from "../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as NodeFsPort from "../../src/kernel/files/FsPort.node.ts"
import * as NodeHost from "../../src/kernel/HostIdentity.node.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { paidRegistry } from "../support/paidRegistry.ts"
import { compare, table, timeProcess } from "./measure.ts"

const say = (text: string) => void process.stdout.write(`${text}\n`)
const command = fileURLToPath(new URL("../../dist/main.js", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "alembic-bench-"))
let bases = 0
const freshBase = () => join(work, `base-${++bases}`)

const threeCalls = `export const run = async (h) => {
  const slots = await h.parallel(["a", "b"].map((name) => () => h.agent(name)))
  return (await h.agent("sum " + slots.length)).ok
}
`
writeFileSync(join(work, "GOAL.md"), "Three calls.\n")
writeFileSync(join(work, "alembic.plan.ts"), threeCalls)

const starts = await compare(
  {
    "node -e 0": () => timeProcess(["-e", "0"]),
    "alembic --help": () => timeProcess([command, "--help"]),
    "first run, three calls": () =>
      timeProcess([command, "run", "--yes", "--base-dir", freshBase()], { cwd: work })
  },
  21
)
say(`${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, Node ${process.version}\n`)
say(table(starts))

const calls = 200
const sequence = Effect.gen(function* () {
  const h = yield* Hooks
  for (let n = 1; n <= calls; n++) yield* h.agent(`question ${n}`)
})

const engineOn = (baseDir: string, registry: Layer.Layer<AdapterRegistry>) =>
  Layer.mergeAll(
    Journal.layer({ baseDir }),
    registry,
    Guards.layer(),
    Layer.succeed(EngineVersions, { engine: "bench", node: "", v8: "", icu: "" })
  ).pipe(Layer.provide(Layer.mergeAll(NodeFsPort.layer, NodeHost.layer, IdFactory.layerMonotonic)), (parts) =>
    Layer.provideMerge(Alembic.layerPrograms, parts)
  )

const journaled = (registry: Layer.Layer<AdapterRegistry>) => async () => {
  const base = freshBase()
  const run = Alembic.runProgram({ program: "bench", goal: "bench" }, sequence)
  const began = performance.now()
  const { status } = await Effect.runPromise(run.pipe(Effect.provide(engineOn(base, registry))))
  const took = performance.now() - began
  if (status !== "completed") throw new Error(`the run ended ${status}`)
  lastBase = base
  return took / calls
}
let lastBase = ""

/** The records that a run wrote, one list a sync: what was durable before the next step could begin. */
const bare = (syncs: ReadonlyArray<string>) => () => {
  const file = join(work, "bare.jsonl")
  rmSync(file, { force: true })
  const began = performance.now()
  const handle = openSync(file, "a")
  for (const text of syncs) {
    writeSync(handle, text)
    fdatasyncSync(handle)
  }
  closeSync(handle)
  return (performance.now() - began) / calls
}

const linesOf = (base: string): ReadonlyArray<string> => {
  const runs = join(base, "runs")
  return readdirSync(runs).flatMap((run) =>
    readFileSync(join(runs, run, "events.jsonl"), "utf8").split(/(?<=\n)/)
  )
}

const offline = journaled(layerOffline({}))
await offline()
const free = linesOf(lastBase)
const pairs = free.flatMap((line, at) => (at % 2 === 0 ? [line + (free[at + 1] ?? "")] : []))
const paying = journaled(paidRegistry().layer)
await paying()
const paid = linesOf(lastBase)

say(`\nOne journaled call of ${calls} in sequence; the journal has ${free.length} lines\n`)
say(table(await compare({ "bare loop, one fsync": bare(pairs), "offline call": offline }, 9), "µs"))
say("")
say(table(await compare({ "bare loop, two fsyncs": bare(paid), "call that may cost": paying }, 9), "µs"))

rmSync(work, { recursive: true, force: true })
const [node, help, first] = starts.map(({ median }) => median)
if (node === undefined || help === undefined || first === undefined) throw new Error("nothing was measured")
const over = [
  help > 4 * node ? "--help is over 4 times node -e 0" : "",
  first > 10 * node ? "the first run is over 10 times node -e 0" : ""
]
const missed = over.filter((text) => text !== "")
say(missed.length === 0 ? "\nBoth starts are within their aims." : `\n${missed.join("; ")}.`)
if (missed.length > 0) process.exitCode = 1
