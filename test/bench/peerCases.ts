// The three cases of `npm run bench:peers` for what is here already: Alembic itself, Effect's own workflow engine in
// memory, and a floor that does nothing but hash, write and sync. A process of its own for each, as for the others:
// `node test/bench/peerCases.ts NAME DIR CASE CALLS WARM-UP`.
import { closeSync, constants, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs"
import process from "node:process"
import { promisify } from "node:util"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Deferred, Effect, Exit, Layer, Option, Schema } from "effect"
import { Activity, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { AdapterRegistry } from "../../src/adapters/registry/AdapterRegistry.ts"
import type { Adapter } from "../../src/adapters/Adapter.ts"
import { Guards } from "../../src/adapters/guard/Guards.ts"
import { identityOf } from "../../src/adapters/registry/offlineRegistry.ts"
import { makeError } from "../../src/domain/ModelError.ts"
import { canonicalJsonOf } from "../../src/domain/json/canonicalJson.ts"
import { sha256 } from "../../src/domain/fingerprint.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { EngineVersions } from "../../src/engine/EngineVersions.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { IdFactory } from "../../src/kernel/IdFactory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { pool, rounds, text, type Peer } from "./peers/rounds.mjs"

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

// Alembic: a program in process, as the others are, with a model that is free and answers at once.

/** `stops`: the call that a run "dies" at. */
const stops = "stop here"
const makeAlembic = (): Peer => {
  let dies = true
  let made = 0
  const adapter: Adapter = {
    id: "free",
    free: true,
    hasSideEffects: false,
    attempt: ({ prompt }) =>
      Effect.suspend(() => {
        if (prompt === stops && dies) return Effect.fail(makeError("awaiting_answer", "died here"))
        made++
        return Effect.succeed({ text, finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1 } })
      })
  }
  const rooms = (dir: string) =>
    Layer.mergeAll(
      Journal.layer({ baseDir: dir }),
      Layer.succeed(AdapterRegistry, {
        resolve: (given) => Effect.succeed(identityOf(given, "free:m")),
        bind: () => Effect.succeed([{ adapter, modelId: "m" }]),
        identity: { default: "free:m" }
      }),
      Guards.layer(),
      Layer.succeed(EngineVersions, { engine: "0", node: "0", v8: "0", icu: "0" })
    ).pipe(Layer.provide(Layer.mergeAll(nodeFs.layer, nodeHost.layer, IdFactory.layerMonotonic)), (parts) =>
      Layer.provideMerge(Alembic.layerPrograms, parts)
    )

  const calls: Peer["calls"] = (dir, count, inFlight) =>
    Effect.gen(function* () {
      let ms = 0
      const summary = yield* Alembic.runProgram(
        { program: "calls", goal: "calls", concurrency: inFlight },
        Effect.gen(function* () {
          const h = yield* Hooks
          const began = performance.now()
          yield* h.parallel(
            numbers(count).map((n) => h.agent(`call ${n}`)),
            { concurrency: inFlight }
          )
          ms = performance.now() - began
        })
      )
      if (!summary.ok) return yield* Effect.die(new Error(JSON.stringify(summary)))
      return ms
    }).pipe(Effect.provide(rooms(dir)), Effect.runPromise)

  const resume: Peer["resume"] = (dir, count) =>
    Effect.gen(function* () {
      let ended = 0
      const run = Alembic.runProgram(
        { program: "resume", goal: "resume" },
        Effect.gen(function* () {
          const h = yield* Hooks
          for (const n of numbers(count)) yield* h.agent(`call ${n}`)
          ended = performance.now()
          yield* h.agent(stops)
        })
      )
      dies = true
      made = 0
      yield* run
      dies = false
      const began = performance.now()
      const summary = yield* run
      if (!summary.ok || made !== count + 1) return yield* Effect.die(new Error(JSON.stringify(summary)))
      return ended - began
    }).pipe(Effect.provide(rooms(dir)), Effect.runPromise)
  return { calls, resume }
}

// Effect's own engine, in memory: nothing survives the process.

const makeEffect = (): Peer => {
  let made = 0
  const call = (n: number) =>
    Activity.make({
      name: `call ${n}`,
      success: Schema.String,
      execute: Effect.sync(() => {
        made++
        return text
      })
    })
  const Calls = Workflow.make("Calls", {
    payload: { id: Schema.String, count: Schema.Int, inFlight: Schema.Int },
    success: Schema.Number,
    idempotencyKey: ({ id }) => id
  })
  const Resumed = Workflow.make("Resumed", {
    payload: { id: Schema.String, count: Schema.Int },
    success: Schema.Number,
    idempotencyKey: ({ id }) => id
  })
  const Gate = DurableDeferred.make("Gate")
  let reached = Deferred.makeUnsafe<void>()
  const engine = Layer.mergeAll(
    Calls.toLayer(
      Effect.fnUntraced(function* ({ count, inFlight }) {
        const began = performance.now()
        yield* Effect.forEach(numbers(count), call, { concurrency: inFlight, discard: true })
        return performance.now() - began
      })
    ),
    Resumed.toLayer(
      Effect.fnUntraced(function* ({ count }) {
        for (const n of numbers(count)) yield* call(n)
        const ended = performance.now()
        yield* Deferred.succeed(reached, undefined)
        yield* DurableDeferred.await(Gate)
        return ended
      })
    )
  ).pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provideMerge(NodeCrypto.layer))

  const calls: Peer["calls"] = (dir, count, inFlight) =>
    Calls.execute({ id: dir, count, inFlight }).pipe(Effect.provide(engine), Effect.runPromise)

  const resume: Peer["resume"] = (dir, count) =>
    Effect.gen(function* () {
      made = 0
      reached = Deferred.makeUnsafe()
      const executionId = yield* Resumed.execute({ id: dir, count }, { discard: true })
      yield* Deferred.await(reached)
      while (Option.getOrUndefined(yield* Resumed.poll(executionId))?._tag !== "Suspended")
        yield* Effect.yieldNow
      const token = DurableDeferred.tokenFromExecutionId(Gate, { workflow: Resumed, executionId })
      const began = performance.now()
      yield* DurableDeferred.done(Gate, { token, exit: Exit.void })
      const ended = yield* Resumed.execute({ id: dir, count })
      if (made !== count) return yield* Effect.die(new Error(`made ${made} calls for ${count}`))
      return ended - began
    }).pipe(Effect.provide(engine), Effect.runPromise)
  return { calls, resume }
}

// The floor: the records of a call as they must be, hashed, written and synced, by nobody for nobody.

const floor: Peer = {
  calls: async (dir, count, inFlight) => {
    const log = openSync(
      `${dir}/bare.jsonl`,
      constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND,
      0o600
    )
    const sync = promisify(fdatasync)
    let prev = "0".repeat(64)
    let seq = 0
    const record = (body: object) => {
      const line = canonicalJsonOf({ seq: ++seq, at: 1_700_000_000_000, prev, ...body })
      prev = sha256(line)
      return Buffer.from(`${line}\n`)
    }
    const records = (n: number) => {
      const key = sha256(`call ${n}`)
      const result = { ok: true, adapterId: "free", modelId: "m", text, finishReason: "stop", attempts: 1 }
      return [
        record({
          type: "CallScheduled",
          n: n + 1,
          key,
          occurrence: 1,
          call: { verb: "agent", prompt: `call ${n}` }
        }),
        record({ type: "CallCompleted", key, occurrence: 1, result })
      ]
    }
    let pending: Array<Buffer> = []
    let next: Promise<void> | undefined
    let last = Promise.resolve()
    const group = () => {
      next ??= last.then(async () => {
        await new Promise((resolve) => setImmediate(resolve))
        next = undefined
        const bytes = Buffer.concat(pending)
        pending = []
        writeSync(log, bytes)
        await sync(log)
      })
      last = next
      return next
    }
    const began = performance.now()
    if (inFlight === 1) {
      for (const n of numbers(count)) {
        writeSync(log, Buffer.concat(records(n)))
        fdatasyncSync(log)
      }
    } else {
      await pool(count, inFlight, (n) => {
        pending.push(...records(n))
        return group()
      })
    }
    const ms = performance.now() - began
    closeSync(log)
    return ms
  },
  resume: async (dir, count) => {
    await floor.calls(dir, count, 64)
    const began = performance.now()
    for (const line of readFileSync(`${dir}/bare.jsonl`, "utf8").split("\n")) {
      if (line === "") continue
      sha256(line)
      JSON.parse(line)
    }
    return performance.now() - began
  }
}

const peers: Readonly<Record<string, () => Peer>> = {
  alembic: makeAlembic,
  effect: makeEffect,
  floor: () => floor
}
const [, , name = "", ...args] = process.argv
const peer = peers[name]
if (peer === undefined) throw new Error(`one of ${Object.keys(peers).join(", ")}`)
await rounds(peer(), args)
