// Telemetry of the command: logs, metrics and spans over OTLP, where the usual variable names a collector. Loaded only
// then. What is collected is never a reason for a command to fail, and is waited for a moment at most when it ends.
import process from "node:process"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { version } from "./version.ts"

/** Whoever names a collector wants everything there, unless `OTEL_*_EXPORTER` says otherwise. */
const wanted = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" }

/** Everything by the variables of OpenTelemetry (`OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, …). */
const telemetryLayer = Otlp.layerFromConfig({
  resource: { serviceName: process.env["OTEL_SERVICE_NAME"] ?? "alembic", serviceVersion: version },
  loggerMergeWithExisting: true
}).pipe(
  Layer.provide(
    process.env["OTEL_EXPORTER_OTLP_PROTOCOL"] === "http/json"
      ? OtlpSerialization.layerJson
      : OtlpSerialization.layerProtobuf
  ),
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...wanted, ...process.env } })))
)

/** Runs a command under it; where the variables are wrong, without it, and says so. */
export const withTelemetry = <A, E>(command: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.scoped(
    Effect.flatMap(Effect.exit(Layer.build(telemetryLayer)), (built) =>
      Exit.isSuccess(built)
        ? Effect.provideContext(command, built.value)
        : Effect.andThen(Effect.logWarning("no telemetry: the variables OTEL_* cannot be read"), command)
    )
  )
