// One writer a run, with real processes: races, killed owners, pids that were given to somebody else.
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HostIdentity, ProcessIdentity } from "../../../src/kernel/HostIdentity.ts"
import * as nodeHost from "../../../src/kernel/HostIdentity.node.ts"
import * as nodeFs from "../../../src/kernel/files/FsPort.node.ts"
import { acquireLock } from "../../../src/journal/store/RunLock.ts"

const live = Layer.merge(nodeFs.layer, nodeHost.layer)

const tempDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(`${tmpdir()}/alembic-lock-`)),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const Said = Schema.fromJsonString(
  Schema.Struct({
    ready: Schema.optionalKey(Schema.Int),
    released: Schema.optionalKey(Schema.Boolean),
    won: Schema.optionalKey(Schema.Boolean),
    takenOver: Schema.optionalKey(Schema.Boolean),
    code: Schema.optionalKey(Schema.String),
    holder: Schema.optionalKey(ProcessIdentity),
    ms: Schema.optionalKey(Schema.Number)
  })
)
const decodeSaid = Schema.decodeUnknownSync(Said)

/** A real process, spoken to a line at a time. */
const spawnTaker = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL("../lockChild.ts", import.meta.url))], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => decodeSaid((await lines.next()).value)
    const pid = (await next()).ready
    const ask = async (line: string) => {
      child.stdin.write(`${line}\n`)
      return next()
    }
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    return { pid, ask, child, exited }
  }),
  ({ child, exited }) =>
    Effect.promise(() => {
      child.kill("SIGKILL")
      return exited
    })
)

const startOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

describe.skipIf(process.platform !== "linux")("RunLock between processes", () => {
  it.live("eight at once, twenty-five times: one wins, the others say who holds it, in under a second", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const takers = yield* Effect.forEach(Array.from({ length: 8 }), () => spawnTaker, { concurrency: 8 })
      const dead = { pid: 4194300, started: "1", boot: "an earlier boot", host: hostname() }
      for (let round = 0; round < 25; round++) {
        const path = `${dir}/lock-${round}`
        // Every second round a dead owner's lock is in the way; every fifth also a dead claimant's claim.
        if (round % 2 === 1) writeFileSync(path, JSON.stringify({ ...dead, pid: dead.pid + round }))
        if (round % 5 === 0) writeFileSync(path, '{"pid":')
        const said = yield* Effect.promise(() => Promise.all(takers.map(({ ask }) => ask(`take ${path}`))))
        const winners = said.flatMap(({ won }, n) => (won === true ? [takers[n]?.pid] : []))
        assert.strictEqual(winners.length, 1, `round ${round}`)
        for (const { won, code, holder, ms } of said) {
          assert.isBelow(ms ?? Infinity, 1000)
          if (won === true) continue
          assert.strictEqual(code, "run_locked")
          assert.strictEqual(holder?.pid, winners[0])
        }
        yield* Effect.promise(() => Promise.all(takers.map(({ ask }) => ask("release"))))
        assert.deepStrictEqual(
          readdirSync(dir).filter((name) => name.startsWith(`lock-${round}`)),
          []
        )
      }
    })
  )

  it.live("a killed owner's lock is taken over at once, also while it is a zombie", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const path = `${dir}/lock`
      const owner = yield* spawnTaker
      yield* Effect.promise(() => owner.ask(`take ${path}`))
      const refused = yield* Effect.flip(Effect.provide(acquireLock(path), live))
      assert.deepStrictEqual([refused.code, refused.holder?.pid], ["run_locked", owner.pid])
      owner.child.kill("SIGKILL")
      yield* Effect.promise(() => owner.exited)
      assert.isTrue(yield* Effect.scoped(Effect.provide(acquireLock(path), live)))
    })
  )

  it.live("a pid that was given to another process holds nothing; pid 1 neither", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const other = yield* spawnTaker
      const { self } = yield* Effect.provide(HostIdentity, live)
      const pid = other.pid ?? 0
      const lock = (content: unknown) => {
        const path = `${dir}/lock`
        writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
        return Effect.scoped(Effect.result(Effect.provide(acquireLock(path), live)))
      }
      // The very process, though it never took the lock itself: it lives, so it holds.
      assert.strictEqual((yield* lock({ ...self, pid, started: startOf(pid) }))._tag, "Failure")
      assert.strictEqual((yield* lock({ ...self, pid, started: "12345" }))._tag, "Success")
      assert.strictEqual(
        (yield* lock({ ...self, pid, started: startOf(pid), boot: "earlier" }))._tag,
        "Success"
      )
      assert.strictEqual((yield* lock({ ...self, pid: 1, started: "12345" }))._tag, "Success")
      assert.strictEqual((yield* lock('{"pid":'))._tag, "Success")
      assert.strictEqual((yield* lock(""))._tag, "Success")
    })
  )

  it.live("another machine's lock is not touched, and the cure says what to do", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const { self } = yield* Effect.provide(HostIdentity, live)
      writeFileSync(`${dir}/lock`, JSON.stringify({ ...self, host: "elsewhere" }))
      const error = yield* Effect.flip(Effect.provide(acquireLock(`${dir}/lock`), live))
      assert.strictEqual(error.code, "run_locked")
      assert.include(error.message, "elsewhere")
      assert.include(error.cure ?? "", "remove")
    })
  )
})
