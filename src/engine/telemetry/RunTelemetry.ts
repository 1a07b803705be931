// RunTelemetry: a run as the app's tracer, metrics and loggers see it. It watches the run's events and does nothing
// else: no plan sees it, no event is made for it, and without a tracer of the app's there are no spans.
//
// run → phase → call → attempt. Times are the host's, also of a hermetic run. A call that another makes (a member of a
// council, a proof) is below it. What the journal answers is no work of this process, and has no span.
import { Clock, Context, Effect, Exit, LogLevel, Option, References, Tracer } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import { callId } from "../../domain/Call.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent, RunEventOf } from "../../domain/run/RunEvent.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { costOfRun } from "../../journal/state/RunState.ts"
import { addToMetrics } from "./runMetrics.ts"
import { toldBy, type ToldCall } from "./toldCall.ts"

/** Whether spans carry prompts and answers. They may hold what nobody else should read, so not unless asked for. */
export const TraceContent = Context.Reference<boolean>("alembic/engine/TraceContent", {
  defaultValue: () => false
})

export interface RunTelemetry {
  readonly observe: (event: RunEvent) => Effect.Effect<void>
  /** The span of a call in flight, so that what its adapter does stands below it. */
  readonly spanOf: (callId: string) => Tracer.Span | undefined
  /** The run is not worked on any more: whatever is open ends. */
  readonly end: Effect.Effect<void>
}

interface OpenCall {
  readonly span: Tracer.Span
  attempt: Tracer.Span | undefined
}

const ofCall = (told: ToldCall): Readonly<Record<string, unknown>> => ({
  "gen_ai.provider.name": told.adapterId,
  "gen_ai.response.model": told.version ?? told.modelId,
  "gen_ai.usage.input_tokens": told.inputTokens,
  "gen_ai.usage.output_tokens": told.outputTokens,
  "gen_ai.response.finish_reasons": told.finishReason === undefined ? undefined : [told.finishReason],
  "error.type": told.code,
  "alembic.adapter": told.adapterId,
  "alembic.cost_usd": told.costUsd,
  "alembic.attempts": told.attempts,
  "alembic.call.status": told.status
})

const set = (span: Tracer.Span, attributes: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(name, value)
}

const makerOf = (spec: Json | undefined): string | undefined =>
  typeof spec === "object" && spec !== null && "of" in spec && typeof spec.of === "string"
    ? spec.of
    : undefined

const makeSpans = (
  tracer: Tracer.Tracer,
  parent: Option.Option<Tracer.AnySpan>,
  runId: string,
  now: () => bigint,
  content: boolean
) => {
  const open = (
    name: string,
    above: Option.Option<Tracer.AnySpan>,
    attributes: Readonly<Record<string, unknown>>,
    kind: Tracer.SpanKind = "internal"
  ): Tracer.Span => {
    const span = tracer.span({
      name,
      parent: above,
      annotations: Context.empty(),
      links: [],
      startTime: now(),
      kind,
      root: Option.isNone(above),
      sampled: Option.match(above, { onNone: () => true, onSome: ({ sampled }) => sampled })
    })
    set(span, { "alembic.run.id": runId, ...attributes })
    return span
  }
  const close = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): void => span.end(now(), exit)

  const run = open("alembic.run", parent, {})
  let phase: Tracer.Span | undefined
  const calls = new Map<string, OpenCall>()

  const scheduled = (event: RunEventOf<"CallScheduled">): void => {
    const { call, label, phase: title } = event
    const id = callId(event)
    const maker = makerOf(call.spec)
    const above = (maker === undefined ? undefined : calls.get(maker)?.span) ?? phase ?? run
    const isModel = call.verb === "agent"
    const span = open(
      isModel ? `chat ${call.model ?? ""}`.trimEnd() : `alembic.${call.verb}`,
      Option.some(above),
      {
        "alembic.call.key": event.key,
        "alembic.call.occurrence": event.occurrence,
        "alembic.call.verb": call.verb,
        "alembic.call.label": label,
        "alembic.phase": title,
        ...(isModel
          ? {
              "gen_ai.operation.name": "chat",
              "gen_ai.request.model": call.model,
              "gen_ai.request.temperature": call.temperature,
              "gen_ai.request.max_tokens": call.maxOutputTokens
            }
          : {}),
        ...(content && call.prompt !== undefined ? { "gen_ai.prompt": call.prompt } : {})
      },
      isModel ? "client" : "internal"
    )
    const attempt = isModel
      ? open("attempt 1", Option.some(span), { "alembic.attempt.kind": "first" })
      : undefined
    calls.set(id, { span, attempt })
  }

  const attemptStarted = (event: RunEventOf<"AttemptStarted">): void => {
    const call = calls.get(callId(event))
    if (call === undefined) return
    if (call.attempt !== undefined) close(call.attempt, Exit.void)
    call.attempt = open(`attempt ${event.attempt}`, Option.some(call.span), {
      "alembic.attempt.kind": event.kind,
      "gen_ai.provider.name": event.adapterId,
      "gen_ai.request.model": event.modelId
    })
  }

  const attemptEnded = (event: RunEventOf<"AttemptEnded">): void => {
    const call = calls.get(callId(event))
    if (call?.attempt === undefined) return
    set(call.attempt, {
      "gen_ai.provider.name": event.adapterId,
      "gen_ai.usage.input_tokens": event.usage?.inputTokens,
      "gen_ai.usage.output_tokens": event.usage?.outputTokens,
      "alembic.cost_usd": event.costUsd,
      "error.type": event.error?.code
    })
    close(call.attempt, event.error === undefined ? Exit.void : Exit.fail(event.error.code))
    call.attempt = undefined
  }

  const callEnded = (id: string, told: ToldCall | undefined, exit: Exit.Exit<unknown, unknown>): void => {
    const call = calls.get(id)
    if (call === undefined) return
    calls.delete(id)
    if (told !== undefined) {
      set(call.span, ofCall(told))
      if (content && told.text !== undefined) call.span.attribute("gen_ai.completion", told.text)
    }
    if (call.attempt !== undefined) close(call.attempt, exit)
    close(call.span, exit)
  }

  const endAll = (exit: Exit.Exit<unknown, unknown>): void => {
    for (const id of calls.keys()) callEnded(id, undefined, Exit.interrupt())
    if (phase !== undefined) close(phase, exit)
    phase = undefined
    if (run.status._tag === "Started") close(run, exit)
  }

  const observe = (event: RunEvent, told: ToldCall | undefined): void => {
    switch (event.type) {
      case "PhaseStarted":
        if (phase !== undefined) close(phase, Exit.void)
        phase = open(`phase ${event.title}`, Option.some(run), {})
        break
      case "CallScheduled":
        return scheduled(event)
      case "AttemptStarted":
        return attemptStarted(event)
      case "AttemptEnded":
        return attemptEnded(event)
      case "CallCompleted": {
        const exit = told?.code === undefined ? Exit.void : Exit.fail(told.code)
        return callEnded(callId(event), told, exit)
      }
      case "CallParked":
        return callEnded(callId(event), undefined, Exit.fail(event.result.error.code))
      case "CallCancelled":
        return callEnded(callId(event), undefined, Exit.interrupt())
      case "RunCompleted":
      case "RunFailed":
        set(run, {
          "alembic.run.status": event.status,
          "alembic.coverage.done": event.coverage.done,
          "alembic.coverage.of": event.coverage.of
        })
        return endAll(event.type === "RunCompleted" ? Exit.void : Exit.fail(event.error.code))
      case "RunSuspended":
        set(run, { "alembic.run.status": "suspended", "alembic.suspend.reason": event.reason })
        break
      default:
        break
    }
  }
  return { observe, endAll, spanOf: (id: string) => calls.get(id)?.span }
}

const isLevel = (value: unknown): value is LogLevel.LogLevel =>
  LogLevel.values.some((level) => level === value)

/** What a program logs reaches the loggers of the app as well, annotated with the run and its phase. */
const toLoggers = (event: RunEventOf<"Logged">, runId: string, phase: string | undefined) => {
  const data =
    typeof event.data === "object" && event.data !== null && !Array.isArray(event.data) ? event.data : {}
  const { level, ...more } = { level: undefined, ...data }
  const annotations = { ...more, runId, ...defined({ phase }) }
  return Effect.annotateLogs(Effect.logWithLevel(isLevel(level) ? level : "Info")(event.message), annotations)
}

/** The events that change what a run has spent or holds. */
const movesMoney: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "CallScheduled",
  "AttemptStarted",
  "AttemptEnded",
  "CallCompleted",
  "CallParked",
  "CallLate"
])

/** In the context of whoever runs the run. `isProgram`: what is logged goes to the loggers too. */
export const makeRunTelemetry = Effect.fnUntraced(function* (
  { runId, state }: Pick<RunJournal, "runId" | "state">,
  isProgram: boolean
) {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const tracer = yield* Tracer.Tracer
  const parent = yield* Effect.option(Effect.currentParentSpan)
  const isTraced =
    (yield* References.TracerEnabled) && (tracer !== Tracer.nativeTracer || Option.isSome(parent))
  const spans = isTraced
    ? makeSpans(tracer, parent, runId, () => clock.currentTimeNanosUnsafe(), yield* TraceContent)
    : undefined
  const { addEvent, addBudget } = addToMetrics(context)
  let phase: string | undefined
  const telemetry: RunTelemetry = {
    observe: (event) =>
      Effect.suspend(() => {
        const told = event.type === "CallCompleted" ? toldBy(event) : undefined
        addEvent(event, told)
        if (movesMoney.has(event.type)) addBudget(costOfRun(state()))
        spans?.observe(event, told)
        if (event.type === "PhaseStarted") phase = event.title
        return isProgram && event.type === "Logged"
          ? Effect.provideContext(toLoggers(event, runId, phase), context)
          : Effect.void
      }),
    spanOf: (id) => spans?.spanOf(id),
    end: Effect.sync(() => {
      addBudget({ ...costOfRun(state()), heldUsd: 0 })
      spans?.endAll(Exit.interrupt())
    })
  }
  return telemetry
})
