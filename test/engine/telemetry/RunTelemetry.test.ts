// A run as an app's tracer, metrics and loggers see it: what stands below what, what is told, by which clock, and what is
// not told. The tracer is Effect's own, kept in a list.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Logger, Metric, References, Schema, Tracer } from "effect"
import { makeError } from "../../../src/domain/ModelError.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import { TraceContent } from "../../../src/engine/telemetry/RunTelemetry.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const spec = { program: "p", goal: "g" }

const tracing = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const named = (name: string) => {
    const span = spans.find((one) => one.name === name)
    if (span === undefined) throw new Error(`no span ${name}: ${spans.map((one) => one.name).join(", ")}`)
    return span
  }
  const above = (name: string) => {
    const { parent } = named(name)
    return parent._tag === "Some" && parent.value._tag === "Span" ? parent.value.name : undefined
  }
  return { tracer, spans, named, above }
}

const program = Effect.gen(function* () {
  const h = yield* Hooks
  yield* h.phase("ask")
  const first = yield* h.agent("the secret question", { label: "one" })
  yield* Effect.log("half way")
  return first.ok
})

/** The first attempt fails and is tried again. */
const flaky = () =>
  paidRegistry({
    answer: (_input, made) =>
      made === 1
        ? Effect.fail(makeError("server_error", "busy", { httpStatus: 503 }))
        : Effect.succeed(said("the answer"))
  })

describe("a traced run", () => {
  it.live(
    "stands below the app's span: phase, call, attempts, by the host's clock, without what was said",
    () =>
      Effect.gen(function* () {
        const { above, named, spans, tracer } = tracing()
        const before = yield* Clock.currentTimeNanos
        const run = Alembic.runProgram({ ...spec, hermetic: true }, program).pipe(
          Effect.provide(engineOn(MemoryDisk.make(), flaky().layer)),
          Effect.withSpan("the app"),
          Effect.provideService(Tracer.Tracer, tracer)
        )
        const summary = yield* run
        assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
        const call = spans.find(({ attributes }) => attributes.get("gen_ai.operation.name") === "chat")
        assert.isDefined(call)
        assert.strictEqual(above("phase ask"), "alembic.run")
        assert.strictEqual(above(call?.name ?? ""), "phase ask")
        assert.strictEqual(above("attempt 1"), call?.name)
        assert.strictEqual(above("attempt 2"), call?.name)
        assert.strictEqual(named("attempt 2").attributes.get("alembic.attempt.kind"), "retry")
        assert.strictEqual(named("alembic.run").traceId, named("the app").traceId)
        const told = Object.fromEntries(call?.attributes ?? [])
        assert.deepInclude(told, {
          "alembic.run.id": summary.runId,
          "alembic.attempts": 2,
          "alembic.call.label": "one",
          "gen_ai.usage.input_tokens": 10,
          "gen_ai.usage.output_tokens": 5
        })
        assert.deepInclude(Object.fromEntries(named("alembic.run").attributes), {
          "alembic.run.status": "completed"
        })
        for (const span of spans) {
          assert.isTrue(span.startTime >= before, `${span.name} starts at ${span.startTime}`)
          assert.strictEqual(span.status._tag, "Ended", span.name)
        }
        const all = JSON.stringify(spans.map(({ attributes, name }) => [name, ...attributes]))
        assert.notInclude(all, "the secret question")
        assert.notInclude(all, "the answer")
      })
  )

  it.effect("tells what was asked and answered where the app asks for it", () =>
    Effect.gen(function* () {
      const { spans, tracer } = tracing()
      yield* Alembic.runProgram(spec, program).pipe(
        Effect.provide(
          engineOn(
            MemoryDisk.make(),
            paidRegistry({ answer: () => Effect.succeed(said("the answer")) }).layer
          )
        ),
        Effect.provideService(TraceContent, true),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      const call = spans.find(({ attributes }) => attributes.has("gen_ai.prompt"))
      assert.strictEqual(call?.attributes.get("gen_ai.prompt"), "the secret question")
      assert.strictEqual(call?.attributes.get("gen_ai.completion"), "the answer")
    })
  )

  it.effect("has no span for what the journal answers, and its log is the same as without a tracer", () =>
    Effect.gen(function* () {
      const events = (disk: MemoryDisk) =>
        new TextDecoder().decode(disk.read(disk.files.find((path) => path.endsWith("events.jsonl")) ?? ""))
      const bare = MemoryDisk.make()
      const traced = MemoryDisk.make()
      const { spans, tracer } = tracing()
      const on = (disk: MemoryDisk) =>
        Alembic.runProgram({ ...spec, hermetic: true }, program).pipe(
          Effect.provide(engineOn(disk, paidRegistry().layer))
        )
      yield* on(bare)
      yield* on(traced).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.strictEqual(events(traced), events(bare))
      const made = spans.length
      assert.isAbove(made, 2)
      yield* on(traced).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.isFalse(
        spans.slice(made).some(({ name }) => name.startsWith("chat") || name.startsWith("attempt"))
      )
    })
  )

  it.live("adds to the app's metrics, by model", () =>
    Effect.gen(function* () {
      yield* Alembic.runProgram(spec, program).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), flaky().layer))
      )
      const snapshot = yield* Metric.snapshot
      const sum = (id: string, type?: string) =>
        snapshot
          .filter(
            (one) => one.id === id && (type === undefined || one.attributes?.["gen_ai.token.type"] === type)
          )
          .reduce((total, one) => total + (one.type === "Counter" ? Number(one.state.count) : 0), 0)
      assert.strictEqual(sum("alembic.calls"), 1)
      assert.strictEqual(sum("alembic.attempts"), 2)
      assert.strictEqual(sum("gen_ai.client.token.usage", "input"), 10)
      assert.closeTo(sum("alembic.cost"), 20e-6, 1e-9)
      assert.strictEqual(sum("alembic.runs"), 1)
      assert.closeTo(sum("alembic.budget.spent"), 20e-6, 1e-9)
      assert.strictEqual(sum("alembic.budget.held"), 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.live("says when a breaker opens, by model", () =>
    Effect.gen(function* () {
      const down = paidRegistry({
        answer: () => Effect.fail(makeError("server_error", "down", { httpStatus: 503 }))
      })
      yield* Alembic.runProgram(spec, program).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), down.layer, { guards: { breaker: { trip: 1 } } }))
      )
      const snapshot = yield* Metric.snapshot
      const states = snapshot.filter(({ id }) => id === "alembic.breaker.state")
      assert.deepStrictEqual(
        states.map((one) => (one.type === "Gauge" ? Number(one.state.value) : -1)),
        [2]
      )
      assert.isDefined(states[0]?.attributes?.["gen_ai.request.model"])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("has what a step does below the step", () =>
    Effect.gen(function* () {
      const { above, tracer } = tracing()
      const stepping = Alembic.step(
        "file it",
        { success: Schema.Number },
        Effect.withSpan(Effect.succeed(1), "inside")
      )
      yield* Alembic.runProgram(spec, stepping).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), paidRegistry().layer)),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      assert.strictEqual(above("inside"), "alembic.step")
    })
  )

  it.effect("gives what a program logs to the app's loggers, with its run and phase", () =>
    Effect.gen(function* () {
      const lines: Array<readonly [unknown, Record<string, unknown>]> = []
      const logger = Logger.make<unknown, void>(({ fiber, message }) => {
        lines.push([message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      const summary = yield* Alembic.runProgram(spec, program).pipe(
        Effect.provide(engineOn(MemoryDisk.make(), paidRegistry().layer)),
        Effect.provide(Logger.layer([logger]))
      )
      const line = lines.find(([message]) => String(message).includes("half way"))
      assert.deepInclude(line?.[1], { runId: summary.runId, phase: "ask" })
    })
  )
})
