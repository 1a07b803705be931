// npm run bench:peers. Alembic beside what else a program can be made durable with, the same work in one run: 1,000
// calls of 1 KB one after the other, 1,000 with 64 in flight, and 1,000 made calls given back to a run that goes on.
// Each peer in a process of its own, in turns, so that a busy machine slows them alike. The peers from npm are
// installed in test/bench/peers, by its own lock file. Where strace is there, it counts the syncs of 200 calls.
//   --dir D    a directory on a real disk (default: under the working directory)
//   --rounds N repetitions; medians are shown (default 5)
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { bundled } from "./bundled.ts"

// As it is shipped: what strips types as it goes holds a compiler besides.
const cases = await bundled(fileURLToPath(new URL("peerCases.ts", import.meta.url)))
process.on("exit", () => rmSync(cases))
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const option = (name: string, otherwise: string) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)
}
const say = (line: string) => process.stdout.write(`${line}\n`)
const rounds = Number(option("rounds", "5"))

interface Contestant {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Whether an answer survives a power cut: from before the plan sees it, from some time after, or never. */
  readonly durable: "before" | "after" | "never"
  readonly syncs: string
}

const alembic: Contestant = {
  name: "alembic",
  command: [cases, "alembic"],
  durable: "before",
  syncs: "fdatasync before the plan sees an answer; those that wait together share one"
}
const contestants: ReadonlyArray<Contestant> = [
  alembic,
  {
    name: "openworkflow",
    command: [here("peers/openworkflow.mjs")],
    durable: "before",
    syncs: "node:sqlite, WAL, synchronous=FULL (SQLite's default): a sync for each of a step's two commits"
  },
  {
    name: "langgraph",
    command: [here("peers/langgraph.mjs")],
    durable: "never",
    syncs: "better-sqlite3, WAL, synchronous=NORMAL (its build's default): none but at WAL checkpoints"
  },
  {
    name: "langgraph, FULL",
    command: [here("peers/langgraph.mjs")],
    env: { SYNC: "full" },
    durable: "after",
    syncs:
      "the same with synchronous=FULL set by hand: a sync for each task's writes, which the plan does not wait for"
  },
  {
    name: "effect, in memory",
    command: [cases, "effect"],
    durable: "never",
    syncs: "none: nothing survives the process"
  },
  {
    name: "floor",
    command: [cases, "floor"],
    durable: "never",
    syncs: "fdatasync for each call, or for each group; a loop that keeps nothing it could go on from"
  }
]

const Seen = Schema.fromJsonString(
  Schema.Struct({
    sequentialUs: Schema.Number,
    concurrentUs: Schema.Number,
    resumeMs: Schema.Number,
    peakMb: Schema.Number
  })
)
type Seen = typeof Seen.Type

const measure = ({ command, env = {} }: Contestant, dir: string): Seen =>
  Schema.decodeUnknownSync(Seen)(
    execFileSync(process.execPath, [...command, dir], {
      encoding: "utf8",
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
  )

/** Syncs of 200 calls, as the kernel saw them; undefined where there is no strace. */
const syncsOf = ({ command, env = {} }: Contestant, dir: string, kind: string): number | undefined => {
  const report = `${dir}/strace`
  const traced = spawnSync(
    "strace",
    [
      "-f",
      "-c",
      "-o",
      report,
      "-e",
      "trace=fsync,fdatasync,sync_file_range",
      process.execPath,
      ...command,
      dir,
      kind,
      "200",
      "0"
    ],
    { env: { ...process.env, ...env }, stdio: "ignore" }
  )
  if (traced.status !== 0 || !existsSync(report)) return undefined
  const total = readFileSync(report, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      (fields) =>
        fields.at(-1)?.startsWith("fsync") === true || fields.at(-1)?.startsWith("fdatasync") === true
    )
    .reduce((sum, fields) => sum + Number(fields[3] ?? 0), 0)
  return total
}

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const peersDir = here("peers")
say("installing the peers (npm ci in test/bench/peers)")
execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: peersDir,
  stdio: ["ignore", "ignore", "inherit"]
})

const dir = mkdtempSync(`${option("dir", process.cwd())}/alembic-peers-`)
process.on("exit", () => rmSync(dir, { recursive: true, force: true }))
const seen = new Map<Contestant, Array<Seen>>(contestants.map((one) => [one, []]))
for (let round = 0; round < rounds; round++) {
  // Each first in its turn.
  const shift = round % contestants.length
  for (const one of [...contestants.slice(shift), ...contestants.slice(0, shift)])
    seen.get(one)?.push(measure(one, dir))
}

const shown = [
  { title: "1,000 calls one after the other", unit: "µs a call", of: (one: Seen) => one.sequentialUs },
  { title: "1,000 calls, 64 in flight", unit: "µs a call", of: (one: Seen) => one.concurrentUs },
  { title: "going on with 1,000 calls made", unit: "ms", of: (one: Seen) => one.resumeMs },
  { title: "peak memory of the process", unit: "MB", of: (one: Seen) => one.peakMb }
]
say(
  `median of ${rounds} rounds, the rounds' spread, and how many times Alembic's (median of the rounds' own ratios)`
)
for (const { of, title, unit } of shown) {
  say(`\n${title}, ${unit}`)
  for (const one of contestants) {
    const all = (seen.get(one) ?? []).map(of)
    const ratio = median(
      all.map(
        (value, round) =>
          value /
          of(seen.get(alembic)?.[round] ?? { sequentialUs: 0, concurrentUs: 0, resumeMs: 0, peakMb: 0 })
      )
    )
    const spread = `${Math.min(...all).toFixed(1)}…${Math.max(...all).toFixed(1)}`
    say(
      `  ${one.name.padEnd(20)}${median(all).toFixed(1).padStart(9)}   ${spread.padEnd(18)}${ratio.toFixed(2).padStart(7)}×  durable: ${one.durable}`
    )
  }
}
say("\nsyncs of 200 calls (one after the other / 64 in flight), starting included; and why")
for (const one of contestants) {
  const counted = ["sequential", "concurrent"].map((kind) => syncsOf(one, dir, kind) ?? "?")
  say(`  ${one.name.padEnd(20)}${counted.join(" / ").padStart(11)}   ${one.syncs}`)
}
