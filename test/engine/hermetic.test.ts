// Hermetic runs: logical time, counted ids, seeded randomness. Two runs write the same bytes, whatever their answers
// take, fail or are retried; completions come in order of logical due time, then of issue.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Fixtures } from "../../src/adapters/registry/Fixtures.ts"
import { layerOffline } from "../../src/adapters/registry/offlineRegistry.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"

const fixtures: Fixtures = {
  rules: [
    { match: { exact: "slow" }, answer: { text: "slow" }, delayMs: 5000 },
    { match: { exact: "quick" }, answer: { text: "quick" }, delayMs: 10 },
    {
      match: { exact: "flaky" },
      answer: { failure: { code: "server_error", message: "down" } },
      times: 2
    }
  ],
  default: { text: "echo:{{prompt}}" }
}

const program = Effect.gen(function* () {
  const h = yield* Hooks
  const order: Array<string> = []
  const note = (name: string) => Effect.tap(h.agent(name), () => Effect.sync(() => void order.push(name)))
  yield* h.parallel([note("slow"), note("quick"), note("flaky"), note("at once"), note("at once too")])
  yield* Effect.sleep("1 hour")
  yield* h.agent(order.join(","))
  return order
})

const spec = { program: "hermetic", goal: "g", hermetic: true, concurrency: 4 }

const once = Effect.gen(function* () {
  const disk = MemoryDisk.make()
  const summary = yield* Alembic.runProgram(spec, program).pipe(
    Effect.provide(engineOn(disk, layerOffline(fixtures)))
  )
  const path = `/base/runs/${summary.runId}/events.jsonl`
  return { summary, log: Buffer.from(disk.read(path) ?? new Uint8Array()).toString() }
})

describe("a hermetic run", () => {
  it.effect("writes the same bytes twice, and orders completions by logical time", () =>
    Effect.gen(function* () {
      const first = yield* once
      const second = yield* once
      assert.strictEqual(first.summary.status, "completed", JSON.stringify(first.summary))
      assert.strictEqual(first.log, second.log)
      const order = JSON.stringify(first.summary.result)
      assert.include(order, '["at once","at once too"')
      assert.isBelow(order.indexOf("quick"), order.indexOf("slow"))
      const last = JSON.parse(first.log.trim().split("\n").at(-1) ?? "")
      assert.isAtLeast(last.at, 3_600_000)
    })
  )
})
