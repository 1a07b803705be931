// A mission with the shipped command, every part of it real: a failing `node --test` made to pass by a worker that is
// a subprocess, a council before any worker, the verifier on the contract, and a person who publishes.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { finish, start, summaryOf } from "../support/commandProcess.ts"
import { missionFlags, missionFolder, missionSpec } from "../support/missionFolder.ts"

const lines = (cwd: string, file: string): ReadonlyArray<string> =>
  readFileSync(join(cwd, file), "utf8").split("\n").slice(0, -1)
const runDirectory = (cwd: string): string =>
  join(cwd, ".alembic/runs", readdirSync(join(cwd, ".alembic/runs"))[0] ?? "")
const eventsOf = (cwd: string): ReadonlyArray<Record<string, unknown>> =>
  lines(runDirectory(cwd), "events.jsonl").map((line): Record<string, unknown> => JSON.parse(line))
const gatesOf = (cwd: string): ReadonlyArray<unknown> =>
  eventsOf(cwd)
    .filter(({ type }) => type === "GateDecided")
    .map(({ gate, pass }) => [gate, pass])

/** A server that never answers: `reached` is when somebody asked. */
const holding = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly reached: Effect.Effect<void>
    readonly close: () => void
  }>((resume) => {
    const asked = Deferred.makeUnsafe<void>()
    const server = createServer(() => Deferred.doneUnsafe(asked, Exit.void))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, reached: Deferred.await(asked), close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const run = (cwd: string, ...more: ReadonlyArray<string>) =>
  finish(cwd, "run", ...missionFlags, "--yes", "--json", ...more)

describe("a mission", () => {
  it.live("goes from a failing test to a published result, with a person at its last gate", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ tier: "T2" })
      const first = yield* run(cwd)
      const waiting = summaryOf(first)
      assert.strictEqual(first.code, 4, first.err)
      assert.deepNestedInclude(waiting, { status: "suspended", "suspended.reason": "approval" })
      // The wrong module failed its proof, the worker was shown how, and the second attempt passed.
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first", "again"])
      assert.deepStrictEqual(gatesOf(cwd), [
        ["scope", true],
        ["council", true],
        ["proof", true],
        ["validator", true]
      ])
      const proofs = lines(cwd, "proof.log").length
      const runId = String(waiting["runId"])

      const parked = yield* finish(cwd, "parked", "--json")
      const [line = ""] = parked.out.split("\n")
      assert.deepInclude(JSON.parse(line), { runId, reason: "approval", items: ["approve-1"] })

      const approved = yield* finish(cwd, "approve", runId, "publish", "--json")
      assert.deepInclude(summaryOf(approved), { ok: true, item: "approve-1", answer: "approve" })
      const last = yield* finish(cwd, "resume", runId, "--yes", "--json")
      const done = summaryOf(last)
      assert.strictEqual(last.code, 0, last.err)
      assert.deepNestedInclude(done, { status: "completed", "result.ok": true, "result.status": "done" })
      assert.deepStrictEqual(gatesOf(cwd).at(-1), ["publish", true])
      // Nothing was done twice: no attempt, no proof, no statement of the council.
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first", "again"])
      assert.strictEqual(lines(cwd, "proof.log").length, proofs)
      assert.deepNestedInclude(done, { "calls.live": 0 })
      assert.deepInclude(summaryOf(yield* finish(cwd, "replay", runId, "--json")), { identical: true })
      assert.deepInclude(summaryOf(yield* finish(cwd, "verify", runId, "--json")), { ok: true })
    })
  )

  it.live("is published without asking where the command approved of it", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ tier: "T2" })
      const said = yield* run(cwd, "--approve", "publish")
      assert.strictEqual(said.code, 0, said.err)
      assert.deepStrictEqual(gatesOf(cwd).at(-1), ["publish", true])
    })
  )

  it.live("is forecast, parked units too, without a worker, a proof or anything kept", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder()
      const said = yield* finish(cwd, "run", ...missionFlags, "--dry", "--json")
      const total = said.out.split("\n").find((line) => line.includes('"total":true')) ?? "{}"
      // Seven calls of the council, three of the worker: it wrote nothing, so the validator gives it back twice.
      assert.deepInclude(JSON.parse(total), { type: "Forecast", calls: 10 })
      assert.deepStrictEqual([lines(cwd, "worker.log"), lines(cwd, "proof.log")], [[], []])
      assert.isFalse(existsSync(join(cwd, ".alembic")))
      assert.strictEqual(said.code, 0, said.out)
      assert.deepInclude(summaryOf(said), { status: "completed", ok: true })
      assert.deepInclude(JSON.parse(total), {
        takenAsPassed: ["scope", "council", "proof", "validator", "publish"]
      })
      assert.notInclude(said.out + said.err, "run-")
    })
  )

  it.live("is stopped by a council that says NO_GO before any worker is dispatched", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ tier: "T2", score: 3 })
      const said = yield* run(cwd, "--approve", "publish")
      assert.deepStrictEqual(gatesOf(cwd), [
        ["scope", true],
        ["council", false]
      ])
      assert.deepStrictEqual(lines(cwd, "worker.log"), [])
      assert.deepStrictEqual(lines(cwd, "proof.log"), [])
      const ended = {
        ok: false,
        status: "failed",
        "error.code": "gate_failed",
        "error.message": "the gate council did not pass: NO_GO",
        "result.ok": false
      }
      assert.strictEqual(said.code, 1)
      assert.deepNestedInclude(summaryOf(said), ended)
      // Looked at again it is the same; the same answers, made again, do not open the gate.
      assert.deepNestedInclude(summaryOf(yield* run(cwd)), ended)
      const again = yield* finish(cwd, "resume", "@last", "--retry-failed", "--yes", "--json")
      assert.deepNestedInclude(summaryOf(again), ended)
      assert.deepInclude(summaryOf(yield* finish(cwd, "replay", "@last", "--json")), { identical: true })
    })
  )

  it.live("parks a unit that nobody classified, in a file for whoever looks, and runs it once approved", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ council: false })
      const first = yield* run(cwd, "--approve", "publish")
      assert.strictEqual(first.code, 4, first.err)
      assert.deepStrictEqual(lines(cwd, "worker.log"), [])
      const file = "t4-parked.jsonl"
      const [line = "", ...more] = lines(runDirectory(cwd), file)
      assert.deepStrictEqual(more, [])
      const parked = JSON.parse(line)
      assert.deepInclude(parked, { item: "approve-1", choices: ["approve", "refuse"] })
      assert.match(parked.text, /^m-[0-9a-f]{8}\/mend: .*T4/)
      const shown = yield* finish(cwd, "parked")
      assert.match(shown.out, /approve-1 {2}m-[0-9a-f]{8}\/mend: /)
      assert.match(shown.out, /alembic approve run-[0-9a-f]{16} approve-1/)
      yield* finish(cwd, "approve", "@last", "approve-1")
      // Nothing is parked any more, and the file does not say so.
      assert.isFalse(existsSync(join(runDirectory(cwd), file)))
      const last = yield* finish(cwd, "resume", "@last", "--yes", "--json")
      assert.deepNestedInclude(summaryOf(last), { status: "completed", "result.ok": true })
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first", "again"])
    })
  )

  it.live("whose proofs failed is proven again by --retry-failed, and its worker is not asked again", () =>
    Effect.gen(function* () {
      const spec = missionSpec("T2")
      const plan = `export const run = async (h) => h.mission(${JSON.stringify({ ...spec, maxAttempts: 1 })})\n`
      const cwd = yield* missionFolder({ council: false, plan })
      const first = yield* run(cwd, "--approve", "publish")
      assert.strictEqual(first.code, 1)
      assert.deepNestedInclude(summaryOf(first), { status: "failed", "error.code": "gate_failed" })
      // Somebody mends by hand what the worker left wrong.
      writeFileSync(join(cwd, "sum.mjs"), "export const sum = (a, b) => a + b\n")
      const second = yield* finish(cwd, "resume", "@last", "--retry-failed", "--yes", "--json")
      assert.strictEqual(second.code, 0, second.err)
      assert.deepNestedInclude(summaryOf(second), { status: "completed", "result.status": "done" })
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first"])
    })
  )

  it.live("whose unit a person refused is not done, and no worker ran", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ council: false })
      yield* run(cwd)
      yield* finish(cwd, "answer", "@last", "approve-1", "refuse")
      const last = summaryOf(yield* finish(cwd, "resume", "@last", "--yes", "--json"))
      assert.deepNestedInclude(last, { "result.ok": false, "result.error.code": "unit_failed" })
      assert.deepStrictEqual(lines(cwd, "worker.log"), [])
    })
  )

  it.live("killed while its worker runs, asks a person before the worker runs again, then goes on", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ council: false, tier: "T2" })
      const { reached, url } = yield* holding
      writeFileSync(join(cwd, "hold"), url)
      const flags = ["run", ...missionFlags, "--approve", "publish", "--yes", "--json"]
      const first = yield* start(cwd, ...flags)
      yield* reached
      first.child.kill("SIGKILL")
      yield* first.ended
      rmSync(join(cwd, "hold"))
      const doubtful = summaryOf(yield* finish(cwd, ...flags))
      assert.deepNestedInclude(doubtful, { status: "suspended", "suspended.reason": "in_doubt" })
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first"])
      // A call in doubt was let in before: it is no parked unit.
      assert.isFalse(existsSync(join(runDirectory(cwd), "t4-parked.jsonl")))
      const [item] = Object(doubtful["suspended"]).items
      yield* finish(cwd, "approve", "@last", String(item))
      const done = yield* finish(cwd, "resume", "@last", "--yes", "--json")
      assert.strictEqual(done.code, 0, done.err)
      assert.deepNestedInclude(summaryOf(done), { status: "completed", "result.status": "done" })
      assert.deepStrictEqual(lines(cwd, "worker.log"), ["first", "first", "again"])
      assert.deepStrictEqual(gatesOf(cwd).at(-1), ["publish", true])
    })
  )
})
