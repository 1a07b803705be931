// Subprocesses whose host was killed: real ones, deaf to SIGTERM, that hold a connection as long as they live. Whoever
// goes on with the run ends them first.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryMark } from "../../src/kernel/files/durableFs.ts"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import * as HostIdentityNode from "../../src/kernel/HostIdentity.node.ts"
import { finish, killOutright, start, summaryOf } from "../support/commandProcess.ts"
import { lifelines } from "../support/lifelines.ts"
import { missionFlags, missionFolder } from "../support/missionFolder.ts"
import { planFolder } from "../support/planFolder.ts"

/** Holds on to `port`, ignores SIGTERM, and goes on when its input and its host are gone. */
const deaf = (port: number) =>
  `process.on("SIGTERM", () => {}); process.on("SIGPIPE", () => {}); require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1e9)`

const folderWith = (command: ReadonlyArray<string>) =>
  planFolder({
    "GOAL.md": "Act.\n",
    "alembic.json": JSON.stringify({ commands: { tool: { command } } }),
    "alembic.plan.ts": `export const run = async (h) => (await h.agent("act", { model: "command:tool" })).ok\n`
  })

const flags = ["run", "--yes", "--json"]

const childrenOf = (cwd: string): ReadonlyArray<string> => {
  const runs = join(cwd, ".alembic", "runs")
  const [run = ""] = readdirSync(runs)
  const children = join(runs, run, "children")
  return existsSync(children) ? readdirSync(children) : []
}

describe("after kill -9 of the host", () => {
  const shapes = {
    "a command": (script: string) => [process.execPath, "-e", script],
    // Its leader has gone; only the mark in its environment tells whose it is.
    "what a command left in a group of its own": (script: string) => [
      process.execPath,
      "-e",
      `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(script)}], { detached: true, stdio: "ignore" }).unref(); setInterval(() => {}, 1e9)`
    ],
    // It has no mark any more; its group tells.
    "a command that cleared its environment": (script: string) => [
      "/usr/bin/env",
      "-i",
      process.execPath,
      "-e",
      script
    ]
  }
  for (const [what, command] of Object.entries(shapes)) {
    it.live(`${what} is ended before the run goes on, and that is said`, () =>
      Effect.gen(function* () {
        const { all, gone, port } = yield* lifelines(1)
        const cwd = yield* folderWith(command(deaf(port)))
        const host = yield* start(cwd, ...flags)
        yield* all
        // Its pid may just be being written down beside it.
        const written = childrenOf(cwd).filter((name) => !name.includes(temporaryMark))
        assert.strictEqual(written.length, 1, childrenOf(cwd).join())
        killOutright(host)
        yield* host.ended
        const resumed = yield* finish(cwd, ...flags)
        assert.deepNestedInclude(summaryOf(resumed), { "suspended.reason": "in_doubt" })
        assert.include(resumed.err, "was left running by the process that died; it was ended")
        yield* gone
        assert.deepStrictEqual(childrenOf(cwd), [])
      })
    )
  }

  it.live("it is ended before another run of the same spec begins (--fresh)", () =>
    Effect.gen(function* () {
      const { all, gone, port } = yield* lifelines(1)
      const once = `const fs = require("node:fs"); if (fs.existsSync("ran")) console.log("again"); else { fs.writeFileSync("ran", ""); ${deaf(port)} }`
      const cwd = yield* folderWith([process.execPath, "-e", once])
      const host = yield* start(cwd, ...flags)
      yield* all
      killOutright(host)
      yield* host.ended
      const fresh = yield* finish(cwd, ...flags, "--fresh")
      assert.include(fresh.err, "was left running by the process that died; it was ended")
      assert.deepInclude(summaryOf(fresh), { status: "completed", result: true }, fresh.err)
      yield* gone
    })
  )

  it.live("a proof is ended before it is run again", () =>
    Effect.gen(function* () {
      const { all, gone, port } = yield* lifelines(1)
      const cwd = yield* missionFolder({ council: false, tier: "T2" })
      const slow = join(cwd, "sum.test.mjs")
      writeFileSync(
        slow,
        `import { connect } from "node:net"\nprocess.on("SIGTERM", () => {})\nconnect(${port}, "127.0.0.1")\nsetInterval(() => {}, 1e9)\n`
      )
      const host = yield* start(cwd, "run", ...missionFlags, "--approve", "publish", "--yes", "--json")
      yield* all
      killOutright(host)
      yield* host.ended
      writeFileSync(slow, "process.exit(1)\n")
      const resumed = yield* finish(cwd, "resume", "@last", "--yes", "--json")
      assert.include(resumed.err, "it was ended")
      yield* gone
    })
  )

  it.live("a stranger who got the pid is left alone", () =>
    Effect.gen(function* () {
      const { all, gone, port } = yield* lifelines(1)
      const cwd = yield* folderWith([process.execPath, "-e", "process.exit(1)"])
      yield* finish(cwd, ...flags)
      const stranger = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["-e", deaf(port)], { detached: true, stdio: "ignore" })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      yield* all
      const runs = join(cwd, ".alembic", "runs")
      const children = join(runs, readdirSync(runs)[0] ?? "", "children")
      mkdirSync(children, { recursive: true })
      const { self } = yield* HostIdentity
      const host = { ...self, started: "0" }
      const record = { mark: "nobody", program: "tool", host, started: { pid: stranger.pid, at: "1" } }
      writeFileSync(join(children, "nobody.json"), JSON.stringify(record))
      yield* finish(cwd, "resume", "@last", "--retry-failed", "--yes", "--json")
      assert.deepStrictEqual(readdirSync(children), [])
      assert.isNull(stranger.exitCode)
      assert.isNull(stranger.signalCode)
      stranger.kill("SIGKILL")
      yield* gone
    }).pipe(Effect.provide(HostIdentityNode.layer))
  )
})
