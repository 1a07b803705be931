// Real storage that fails, by the durability cases' numbers: a file system that is full (tmpfs, where one may be
// mounted), a sync that the kernel answers with EIO (strace, where it is there), and a plan edited between two runs.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { leastBallast, roomBytes } from "../../src/journal/store/ballast.ts"
import { buildCommand } from "../support/buildCommand.ts"
import { finish, summaryOf, type Ended } from "../support/commandProcess.ts"
import { execute } from "../support/execute.ts"
import { modelServer, type ModelServer } from "../support/ModelServer.ts"
import { planFolder } from "../support/planFolder.ts"

const main = buildCommand()

/** Forty calls with three kilobytes of prompt each, so that a log grows over a full disk's edge. */
const plan = `
export const run = async (h) => {
  const lengths = []
  for (let n = 0; n < 40; n++) {
    const answer = await h.agent("call " + n + " " + "x".repeat(3000))
    lengths.push(answer.ok ? answer.text.length : answer.error.code)
  }
  return lengths
}
`
const files = { "GOAL.md": "Forty calls.\n", "alembic.plan.ts": plan }

const runFlags = ({ baseUrl }: ModelServer, base: string) => [
  "run",
  "--model",
  "openai-compatible:m",
  "--base-url",
  baseUrl,
  "--base-dir",
  base,
  "--yes",
  "--json"
]

const logOf = (base: string): string => {
  const [run = ""] = readdirSync(join(base, "runs"))
  return join(base, "runs", run, "events.jsonl")
}

const answersIn = (log: string): number =>
  readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => JSON.parse(line).type === "CallCompleted").length

const bytesBelow = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(path, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? Math.ceil(stat.size / 4096) * 4096 : 4096), 0)

const megabytes = 8
const canMount = (() => {
  const at = mkdtempSync(join(tmpdir(), "alembic-mount-"))
  const mounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", at], { stdio: "ignore" }).status === 0
  if (mounted) execFileSync("umount", [at])
  rmSync(at, { recursive: true })
  return mounted
})()

/** A file system of its own, gone with the scope. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const at = mkdtempSync(join(tmpdir(), "alembic-small-"))
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", at])
    return at
  }),
  (at) =>
    Effect.sync(() => {
      execFileSync("umount", [at])
      rmSync(at, { recursive: true, force: true })
    })
)

describe.skipIf(!canMount)("F15: a file system that is full", () => {
  /** What the run on that disk waits for, with every answer it got in whole lines of its log. */
  const waitsForRoom = (said: Ended, base: string) => {
    assert.strictEqual(said.code, 4, said.out.slice(-1000))
    assert.deepNestedInclude(summaryOf(said), { status: "suspended", "suspended.reason": "disk" })
    assert.match(said.err, /next: free some space/)
    const log = readFileSync(logOf(base), "utf8")
    assert.isTrue(log.endsWith("\n"))
    return answersIn(logOf(base))
  }
  const bytes = megabytes * 1024 * 1024

  it.live("before a call is paid for: the run waits for room, and then goes on; no call is made twice", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const golden = yield* finish(cwd, ...runFlags(server, "golden"))
      assert.strictEqual(golden.code, 0, golden.err)
      const size = bytesBelow(join(cwd, "golden"))
      const asked = server.prompts.length
      // Half of what a run leaves is its log; the rest is made when it ends.
      for (const share of [0.35, 0.45]) {
        const disk = yield* smallDisk
        const filler = join(disk, "filler")
        const free = roomBytes + leastBallast + Math.round(size * share)
        writeFileSync(filler, Buffer.alloc(bytes - free))
        const base = join(disk, "base")
        const before = server.prompts.length
        const kept = waitsForRoom(yield* finish(cwd, ...runFlags(server, base)), base)
        assert.isAbove(kept, 0)
        assert.strictEqual(server.prompts.length - before, kept)
        rmSync(filler)
        const resumed = yield* finish(cwd, ...runFlags(server, base))
        assert.strictEqual(resumed.code, 0, resumed.err)
        assert.deepStrictEqual(summaryOf(resumed)["result"], summaryOf(golden)["result"])
        assert.strictEqual(server.prompts.length - before, asked)
        assert.strictEqual((yield* finish(cwd, "verify", "@last", "--base-dir", base)).code, 0)
      }
    }).pipe(Effect.scoped)
  )

  it.live("while a call is made, by others, to the last byte: its answer is written all the same", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const server = yield* modelServer
      const disk = yield* smallDisk
      const base = join(disk, "base")
      const filler = join(disk, "filler")
      server.reply(() => {
        if (server.prompts.length === 5) {
          writeFileSync(filler, "")
          try {
            for (;;) appendFileSync(filler, Buffer.alloc(4096))
          } catch {
            // It is full.
          }
        }
        return undefined
      })
      const kept = waitsForRoom(yield* finish(cwd, ...runFlags(server, base)), base)
      assert.deepStrictEqual([kept, server.prompts.length], [5, 5])
      rmSync(filler)
      assert.strictEqual((yield* finish(cwd, ...runFlags(server, base))).code, 0)
      assert.strictEqual(server.prompts.length, 40)
    }).pipe(Effect.scoped)
  )
})

const hasStrace = spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0

describe.skipIf(!hasStrace)("F16: a sync that fails", () => {
  it.live(
    "with EIO from the kernel: nothing is written after it, and the next process goes on from the disk",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const server = yield* modelServer
        for (const nth of [3, 10]) {
          const base = join(cwd, `base-${nth}`)
          const trace = join(cwd, `trace-${nth}`)
          const before = server.prompts.length
          const traced = yield* Effect.promise(() =>
            execute(
              "strace",
              [
                "-f",
                "-y",
                "-o",
                trace,
                "-e",
                "trace=write,pwrite64,writev,pwritev,fdatasync,rename",
                "-e",
                `inject=fdatasync:error=EIO:when=${nth}`,
                process.execPath,
                main,
                ...runFlags(server, base)
              ],
              { cwd }
            ).then(
              () => "it ended well",
              (error: Error) => error.message
            )
          )
          assert.include(traced, "exit 1")
          assert.include(traced, '"code":"io_error"')
          const steps = readFileSync(trace, "utf8").split("\n")
          const failedAt = steps.findIndex((line) => line.includes("EIO") && line.includes("INJECTED"))
          assert.isAbove(failedAt, 0)
          assert.deepStrictEqual(
            steps
              .slice(failedAt + 1)
              .filter((line) => /events\.jsonl|checkpoint\.json|cache\.json/.test(line)),
            []
          )
          const kept = answersIn(logOf(base))
          const made = server.prompts.length - before
          const resumed = yield* finish(cwd, ...runFlags(server, base))
          assert.strictEqual(resumed.code, 0, resumed.err)
          assert.isAtMost(made - kept, 1)
          assert.strictEqual(server.prompts.length - before, 40 + made - kept)
        }
      })
  )
})

describe("F31: a plan edited between two runs", () => {
  const two = `import { word } from "./word.ts"\nexport const run = async (h) => (await h.agent("say " + word)).text\n`
  const edits: ReadonlyArray<readonly [name: string, file: string, edit: (path: string) => void]> = [
    ["a comment", "alembic.plan.ts", (path) => appendFileSync(path, "// a comment\n")],
    ["white space", "alembic.plan.ts", (path) => appendFileSync(path, "\n")],
    [
      "line ends",
      "alembic.plan.ts",
      (path) => writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"))
    ],
    ["an imported file", "word.ts", (path) => writeFileSync(path, `export const word = "no"\n`)]
  ]

  it.live(
    "down to its comments, white space, line ends and imports: refused, naming what changed; nothing is asked",
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer
        const cwd = yield* planFolder({
          "GOAL.md": "One call.\n",
          "alembic.plan.ts": two,
          "word.ts": `export const word = "yes"\n`
        })
        const first = yield* finish(cwd, ...runFlags(server, ".alembic"))
        assert.strictEqual(first.code, 0, first.err)
        for (const [name, file, edit] of edits) {
          const path = join(cwd, file)
          const was = readFileSync(path)
          edit(path)
          const said = yield* finish(cwd, ...runFlags(server, ".alembic"), "--resume", "@last")
          assert.strictEqual(said.code, 5, `${name}: ${said.out}`)
          assert.deepInclude(summaryOf(said), { ok: false, changed: ["plan"] }, name)
          writeFileSync(path, was)
        }
        assert.strictEqual(server.prompts.length, 1)
        assert.strictEqual((yield* finish(cwd, ...runFlags(server, ".alembic"), "--resume", "@last")).code, 0)
      })
  )
})
