// The command's telemetry, as a collector gets it: over HTTP on loopback, read by OpenTelemetry's own definitions. And a
// collector that is not there, or never answers, costs a run nothing but a moment.
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { finish, summaryOf } from "../support/commandProcess.ts"
import { planFolder } from "../support/planFolder.ts"

interface Any {
  readonly stringValue?: string | null
  readonly intValue?: number | string | null
  readonly doubleValue?: number | null
}
interface Attribute {
  readonly key: string
  readonly value: Any
}
interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
}
interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}
interface Metrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}
interface Type<A> {
  readonly decode: (bytes: Uint8Array) => unknown
  readonly toObject: (message: unknown, how: object) => A
}
interface Definitions {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Type<Traces> } }
        readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: Type<Metrics> } }
      }
    }
  }
}
const definitions: Definitions = createRequire(import.meta.url)(
  "@opentelemetry/otlp-transformer/build/src/generated/root"
)
const { metrics, trace } = definitions.opentelemetry.proto.collector
const asJson = { longs: String, bytes: String }

/** Takes what is sent to it; with `silent` it never answers. */
const collector = (silent = false) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly got: Map<string, Array<Uint8Array>>
      readonly close: () => void
    }>((resume) => {
      const got = new Map<string, Array<Uint8Array>>()
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => void parts.push(part))
        request.on("end", () => {
          const path = request.url ?? ""
          got.set(path, [...(got.get(path) ?? []), Buffer.concat(parts)])
          if (!silent) response.writeHead(200).end()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, got, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

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
      const decoded = (got.get("/v1/traces") ?? []).map((bytes) =>
        trace.v1.ExportTraceServiceRequest.toObject(trace.v1.ExportTraceServiceRequest.decode(bytes), asJson)
      )
      const resource = decoded.flatMap(({ resourceSpans }) => resourceSpans)
      const spans = resource.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
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
      const service = resource[0]?.resource.attributes.find(({ key }) => key === "service.name")
      assert.strictEqual(service?.value.stringValue, "alembic")
      assert.notInclude(JSON.stringify(decoded), "the secret question")
      const names = (got.get("/v1/metrics") ?? []).flatMap((bytes) =>
        metrics.v1.ExportMetricsServiceRequest.toObject(
          metrics.v1.ExportMetricsServiceRequest.decode(bytes),
          asJson
        ).resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap((scope) => scope.metrics.map(({ name }) => name))
        )
      )
      assert.includeMembers(names, ["alembic.calls", "alembic.runs", "gen_ai.client.operation.duration"])
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
