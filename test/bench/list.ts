// How long `alembic list` and `gc` take with many runs: real runs of a program of one offline call, listed without and
// with the index. `npm run bench:list -- RUNS`: medians of five, beside a bare `node -e 0`.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { alembicLayer } from "../../src/app/engine.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"

const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "alembic-list-"))
const alembic = (...args: ReadonlyArray<string>) =>
  void execFileSync(process.execPath, [main, ...args], { cwd: folder, maxBuffer: 2 ** 28 })

const median = (run: () => void): number => {
  const times = Array.from({ length: 5 }, () => {
    const from = performance.now()
    run()
    return performance.now() - from
  }).toSorted((a, b) => a - b)
  return Math.round(times[2] ?? 0)
}

const runs = Number(process.argv[2] ?? 10_000)
const program = Effect.flatMap(Hooks, (h) => h.agent("why?"))
const makeRuns = Effect.forEach(
  Array.from({ length: runs }, (_, n) => `goal ${n}`),
  (goal) => Alembic.runProgram({ program: "listed", goal }, program),
  { concurrency: 16, discard: true }
).pipe(Effect.provide(alembicLayer({ baseDir: join(folder, ".alembic") })))

try {
  await Effect.runPromise(makeRuns)
  const from = performance.now()
  alembic("list", "--json")
  const first = Math.round(performance.now() - from)
  console.log(
    `${runs} runs: first list ${first} ms, with its index ${median(() => alembic("list", "--json"))} ms`
  )
  console.log(`list --limit 20: ${median(() => alembic("list", "--limit", "20"))} ms (aim 1000)`)
  console.log(`gc --keep 1: ${median(() => alembic("gc", "--keep", "1"))} ms (aim 1000 at 250 runs)`)
  console.log(`node -e 0: ${median(() => void execFileSync(process.execPath, ["-e", "0"]))} ms`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
