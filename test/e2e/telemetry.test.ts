// The command's telemetry, as a collector gets it: over HTTP on loopback, read by OpenTelemetry's own definitions. And a
// collector that is not there, or never answers, costs a run nothing but a moment.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { finish, summaryOf } from "../support/commandProcess.ts"
import { collector, metricNames, spansIn, tracesIn } from "../support/otlpCollector.ts"
import { planFolder } from "../support/planFolder.ts"

const files = {
  "GOAL.md": "# Goal\n",
  "alembic.plan.ts": `export const run = async (h) => { h.phase("look"); return (await h.agent("the secret question", { label: "one" })).ok }\n`
}

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it.live("gets the run's spans and metrics", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const { got, url } = yield* collector()
      const said = yield* finish({ cwd, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } }, "run", "--yes", "--json")
      assert.strictEqual(said.code, 0, said.err)
      const decoded = tracesIn(got)
      const spans = spansIn(got)
      const named = (name: string) => spans.find((span) => span.name === name)
      const call = spans.find(({ name }) => name.startsWith("chat "))
      assert.isDefined(named("alembic.run"))
      assert.strictEqual(named("phase look")?.parentSpanId, named("alembic.run")?.spanId)
      assert.strictEqual(call?.parentSpanId, named("phase look")?.spanId)
      const attributes = new Map(call?.attributes.map(({ key, value }) => [key, value]))
      assert.strictEqual(attributes.get("alembic.run.id")?.stringValue, summaryOf(said)["runId"])
      assert.strictEqual(attributes.get("gen_ai.operation.name")?.stringValue, "chat")
      // Not of 1970.
      assert.isTrue(BigInt(named("alembic.run")?.startTimeUnixNano ?? 0) > 1_700_000_000_000_000_000n)
      const service = decoded[0]?.resourceSpans[0]?.resource.attributes.find(
        ({ key }) => key === "service.name"
      )
      assert.strictEqual(service?.value.stringValue, "alembic")
      assert.notInclude(JSON.stringify(decoded), "the secret question")
      assert.includeMembers(metricNames(got), [
        "alembic.calls",
        "alembic.runs",
        "gen_ai.client.operation.duration"
      ])
    })
  )

  it.live("that nobody listens at, or that is no address, fails no run", () =>
    Effect.gen(function* () {
      for (const endpoint of ["http://127.0.0.1:9", "not an address"]) {
        const cwd = yield* planFolder(files)
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
        const said = yield* finish({ cwd, env }, "run", "--yes", "--json")
        assert.strictEqual(said.code, 0, said.err)
        assert.strictEqual(summaryOf(said)["status"], "completed")
      }
    })
  )

  it.live("that never answers is waited for no longer than is said", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const { url } = yield* collector(true)
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: "500" }
      const said = yield* finish({ cwd, env }, "run", "--yes", "--json")
      assert.strictEqual(said.code, 0, said.err)
    })
  )
})
