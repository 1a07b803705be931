// An app that is observed: its runs stand in its own traces, below its own spans, and go to its collector over OTLP.
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { Alembic, Hooks } from "alembic"

const summarise = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("read")
  const slot = yield* h.agent("Summarise the minutes", { label: "minutes" })
  return slot.ok ? slot.text : slot.error.code
})

export const nightly = Effect.flatMap(Alembic, (alembic) =>
  alembic.runProgram({ program: "minutes-1", goal: "Minutes in short" }, summarise)
).pipe(Effect.withSpan("nightly"))

export const telemetry = (baseUrl: string) =>
  Otlp.layerProtobuf({ baseUrl, resource: { serviceName: "minutes" } }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
