// A collector of OTLP on loopback, and what it got, read by OpenTelemetry's own definitions.
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { Effect } from "effect"

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
  readonly traceId: string
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
export const collector = (silent = false) =>
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

/** What came to a collector, by path. */
export type Got = ReadonlyMap<string, ReadonlyArray<Uint8Array>>

export const tracesIn = (got: Got): ReadonlyArray<Traces> =>
  (got.get("/v1/traces") ?? []).map((bytes) =>
    trace.v1.ExportTraceServiceRequest.toObject(trace.v1.ExportTraceServiceRequest.decode(bytes), asJson)
  )

export const spansIn = (got: Got): ReadonlyArray<Span> =>
  tracesIn(got).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  )

export const metricNames = (got: Got): Array<string> =>
  (got.get("/v1/metrics") ?? []).flatMap((bytes) =>
    metrics.v1.ExportMetricsServiceRequest.toObject(
      metrics.v1.ExportMetricsServiceRequest.decode(bytes),
      asJson
    ).resourceMetrics.flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) => scope.metrics.map(({ name }) => name))
    )
  )
