// An HTTP endpoint that starts runs and streams their events: POST /runs, then GET /runs/:id/events as server-sent events,
// from any `since` on, so that a client that was cut off goes on where it was.
import { Deferred, Effect, Layer, Schema, Stream } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Alembic, Hooks, RunEvent } from "alembic"

class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.post("start", "/runs", {
    payload: Schema.Struct({ topics: Schema.Array(Schema.String) }),
    success: Schema.Struct({ runId: Schema.String })
  }),
  HttpApiEndpoint.get("events", "/runs/:id/events", {
    params: { id: Schema.String },
    query: { since: Schema.optional(Schema.NumberFromString) },
    success: HttpApiSchema.StreamSse({ data: RunEvent })
  })
) {}

export class Api extends HttpApi.make("alembic").add(RunsGroup) {}

const ask = (topics: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(topics.map((topic) => h.agent(`What is new in ${topic}?`)))
    return slots.map((slot) => (slot.ok ? slot.text : slot.error.code))
  })

const handlers = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fn(function* (group) {
    const alembic = yield* Alembic
    const scope = yield* Effect.scope
    return group.handleAll({
      start: Effect.fn(function* ({ payload: { topics } }) {
        const begun = yield* Deferred.make<string>()
        // The run outlives the request: it is the server's.
        const spec = {
          program: "news-1",
          goal: `News of ${topics.join(", ")}`,
          args: [...topics],
          observe: (event: RunEvent) =>
            event.type === "RunStarted" ? Effect.asVoid(Deferred.succeed(begun, event.runId)) : Effect.void
        }
        const run = Effect.flatMap(alembic.runProgram(spec, ask(topics)), ({ runId = "" }) =>
          Deferred.succeed(begun, runId)
        )
        yield* Effect.forkIn(run, scope)
        return { runId: yield* Deferred.await(begun) }
      }),
      events: ({ params: { id }, query: { since = 0 } }) =>
        Effect.succeed(Stream.orDie(alembic.events(id, { since, follow: true })))
    })
  })
)

/** To be served by any platform's HTTP server. */
export const routes = HttpRouter.serve(HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)))
