// Small apps that compose the engine, run as their authors would test them: on fakes, with their own services beside.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { layerTest, MemoryDisk } from "alembic/testing"
import { collector, metricNames, spansIn } from "../support/otlpCollector.ts"
import { bookInvoices, Ledger } from "./apps/ledger.ts"
import { nightly, telemetry } from "./apps/observed.ts"
import { Api, routes } from "./apps/server.ts"
import { waitForRelease } from "./apps/patience.ts"

describe("an app with a database", () => {
  it.live("books each invoice once, however often it is started", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-ledger-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const disk = MemoryDisk.make()
      const start = (pid: number) =>
        Effect.gen(function* () {
          const summary = yield* bookInvoices
          return { summary, rows: yield* (yield* Ledger).rows }
        }).pipe(Effect.provide(Layer.merge(layerTest({ disk, pid }), Ledger.layer(join(folder, "l.sqlite")))))
      const first = yield* start(1)
      assert.strictEqual(first.summary.status, "completed", JSON.stringify(first.summary))
      assert.deepStrictEqual(first.summary.result, [
        { invoice: 1, row: 1 },
        { invoice: 2, row: 2 }
      ])
      const second = yield* start(2)
      assert.deepStrictEqual(second.summary.result, first.summary.result)
      assert.strictEqual(second.rows, 2)
    })
  )
})

describe("an app that serves runs over HTTP", () => {
  const server = routes.pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
    Layer.provide(layerTest())
  )
  it.live("starts one, and streams its events from any place on", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const baseUrl = `http://127.0.0.1:${address._tag === "InetAddressV4" ? address.port : 0}`
      const client = yield* HttpApiClient.make(Api, { baseUrl })
      const { runId } = yield* client.runs.start({ payload: { topics: ["Effect", "Alembic"] } })
      const events = (since: number) =>
        Effect.flatMap(client.runs.events({ params: { id: runId }, query: { since } }), Stream.runCollect)
      const all = yield* events(0)
      assert.deepStrictEqual([all.at(0)?.type, all.at(-1)?.type], ["RunStarted", "RunCompleted"])
      assert.strictEqual(all.filter(({ type }) => type === "CallCompleted").length, 2)
      assert.deepStrictEqual(yield* events(3), all.slice(3))
      // The same again is the same run, which has ended.
      assert.deepStrictEqual(yield* client.runs.start({ payload: { topics: ["Effect", "Alembic"] } }), {
        runId
      })
    }).pipe(Effect.provide(server), Effect.provide(FetchHttpClient.layer))
  )
})

describe("an app that is observed", () => {
  it.live("finds its runs in its own traces, at its collector", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      const summary = yield* nightly.pipe(Effect.provide(layerTest()), Effect.provide(telemetry(url)))
      assert.strictEqual(summary.status, "completed")
      const spans = spansIn(got)
      const above = (name: string) => {
        const span = spans.find((one) => one.name.startsWith(name))
        return spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name
      }
      assert.strictEqual(above("chat"), "phase read")
      assert.strictEqual(above("phase read"), "alembic.run")
      assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
      assert.include(metricNames(got), "alembic.calls")
    })
  )
})

describe("an app that waits for hours", () => {
  const rules = (text: string, times: number) => ({
    rules: [{ match: { includes: "release" }, answer: { text: "no" }, times }],
    default: { text }
  })
  it.effect("is tested in no time: hours are the run's own", () =>
    Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      const out = yield* Effect.provide(waitForRelease, layerTest({ fixtures: rules("yes", 5) }))
      assert.deepInclude(out, { status: "completed", result: "out" })
      assert.strictEqual(out.calls.live, 6)
      const never = yield* Effect.provide(
        waitForRelease,
        layerTest({ fixtures: { default: { text: "no" } } })
      )
      assert.deepInclude(never, { status: "completed", result: "gave up" })
      assert.strictEqual(yield* Clock.currentTimeMillis, before)
    })
  )
})
