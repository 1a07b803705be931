// pageServer: the pages of all runs of a base directory over HTTP, for the browser of whoever started it. It reads
// journals, and writes nothing but the answers that a person gives.
import { Effect, Result, Schema, Stream } from "effect"
import { encoder } from "effect/encoding/Sse"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RunLine, WaitingItem } from "../../browser/RunPage.ts"
import { defined } from "../../domain/defined.ts"
import { callDetails } from "../../engine/inspect/callDetails.ts"
import type { CallRecord } from "../../engine/inspect/CallRecord.ts"
import { recordsOf } from "../../engine/inspect/inspectRun.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunListing } from "../../journal/maintenance/listRuns.ts"
import { toldCost } from "../../journal/state/RunState.ts"
import { badInput, fromJournal, type CommandError } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { runsByDate } from "../inputs/runReference.ts"
import { costText } from "../render/run/costText.ts"
import { instantText } from "../render/numbers.ts"
import { pageFile, pageJson, policyOf, type PageCode } from "../report/reportFile.ts"
import { reportedRun } from "../report/reportedRun.ts"
import { callTextOf, runPageOf } from "../report/runPage.ts"
import {
  answerNamed,
  pendingQuestions,
  readAnswer,
  type WaitingItem as Pending
} from "../running/waitingItems.ts"
import { guarded, refusal, type Doorway } from "./guarded.ts"

const json = (value: unknown) =>
  HttpServerResponse.text(pageJson(value), { contentType: "application/json; charset=utf-8" })

const statusOf = ({ code, status }: CommandError): number =>
  code === "run_missing" || code === "call_missing" ? 404 : status === "invalid" ? 400 : 500

/** What a handler fails with is told as a command tells it. */
const told = <R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, CommandError, R>) =>
  Effect.catchTag(handler, "CommandError", (error) =>
    Effect.succeed(refusal(statusOf(error), error.code, error.message, error.cure))
  )

/** The run that the address names, by its whole id. */
const runOfPath = Effect.gen(function* () {
  const { run = "" } = yield* HttpRouter.params
  const store = yield* Journal
  const runId = yield* Effect.mapError(store.runId(run), fromJournal)
  if (yield* Effect.mapError(store.exists(runId), fromJournal)) return runId
  return yield* badInput("run_missing", `there is no run ${runId}`, { cure: "alembic list" })
})

/** How many runs a list has: a page is for looking, `alembic list` for searching. */
const mostRuns = 500

const runLine = ({ calls, cost, goal, name, plan, runId, status, writtenAt }: RunListing): RunLine => ({
  runId,
  status,
  goal: goal.split("\n")[0] ?? "",
  calls,
  written: instantText(writtenAt),
  ...defined({
    name,
    plan,
    cost:
      cost === undefined
        ? undefined
        : costText(toldCost(cost), status === "running" ? "in flight" : "in doubt")
  })
})

const listed = Effect.map(runsByDate(), (runs) => json(runs.slice(0, mostRuns).map(runLine)))

/** What only time answers is nobody's to answer. */
const asked = ({ choices, item, kind, schema, text }: Pending): ReadonlyArray<WaitingItem> =>
  kind === "wait" ? [] : [{ item, kind, text, hasSchema: schema !== undefined, ...defined({ choices }) }]

const shown = Effect.gen(function* () {
  const runId = yield* runOfPath
  const store = yield* Journal
  const read = Effect.flatMap(store.open(runId, "read"), reportedRun)
  const reported = yield* Effect.mapError(Effect.scoped(read), fromJournal)
  const waiting = (yield* pendingQuestions(runId)).flatMap(asked)
  return json({ ...runPageOf(reported), ...(waiting.length === 0 ? {} : { waiting }) })
})

/** The texts of the calls that are wanted. */
const textsOf = (wanted: (call: CallRecord) => boolean) =>
  Effect.gen(function* () {
    const runId = yield* runOfPath
    const store = yield* Journal
    const read = Effect.gen(function* () {
      const journal = yield* store.open(runId, "read")
      const { calls } = yield* recordsOf(journal)
      return (yield* callDetails(journal, calls, calls.filter(wanted))).map(callTextOf)
    })
    return yield* Effect.mapError(Effect.scoped(read), fromJournal)
  })

const allTexts = Effect.map(
  textsOf(() => true),
  json
)

const oneText = Effect.gen(function* () {
  const { call = "" } = yield* HttpRouter.params
  const [text] = yield* textsOf(({ number }) => String(number) === call)
  return text === undefined
    ? yield* badInput("call_missing", `there is no call ${call.slice(0, 20)}`, { cure: "alembic inspect" })
    : json(text)
})

const encoded = new TextEncoder()

/** The log of the run from `since` on, and what is appended meanwhile, until the run rests. */
const followed = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const runId = yield* runOfPath
  const store = yield* Journal
  const given = new URL(request.url, "http://localhost").searchParams.get("since") ?? "0"
  if (!/^\d{1,15}$/.test(given)) return yield* badInput("usage", "since is the seq of an event", {})
  const events = store
    .events(runId, { since: Number(given), follow: true })
    .pipe(
      Stream.map((event) =>
        encoded.encode(
          encoder.write({ _tag: "Event", event: "message", id: String(event.seq), data: pageJson(event) })
        )
      )
    )
  return HttpServerResponse.stream(Stream.prepend(events, [encoded.encode(": from here on\n\n")]), {
    contentType: "text/event-stream"
  })
})

const Given = Schema.Struct({ item: Schema.String, answer: Schema.String })
const decodeGiven = Schema.decodeUnknownResult(Schema.fromJsonString(Given))

/** More than the longest answer that a person types. */
const mostBytes = 1024 * 1024

const answered = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const runId = yield* runOfPath
  const problem = (message: string) =>
    badInput("usage", message, { cure: '{ "item": "q-1", "answer": "yes" }' })
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    return yield* problem("an answer is application/json")
  if (!(Number(request.headers["content-length"]) <= mostBytes))
    return yield* problem("an answer says how long it is, and is no longer than a mebibyte")
  const body = yield* Effect.mapError(request.text, () => problem("the answer did not come whole"))
  const decoded = decodeGiven(body)
  if (Result.isFailure(decoded)) return yield* problem("an answer has an item and an answer, both text")
  const { answer, item } = decoded.success
  const { next } = yield* answerNamed(runId, item, (question) => readAnswer(answer, question))
  return json({ ok: true, next })
})

const routes = (page: HttpServerResponse.HttpServerResponse) =>
  HttpRouter.addAll([
    HttpRouter.route("GET", "/", page),
    HttpRouter.route("GET", "/api/runs", told(listed)),
    HttpRouter.route("GET", "/api/runs/:run", told(shown)),
    HttpRouter.route("GET", "/api/runs/:run/calls", told(allTexts)),
    HttpRouter.route("GET", "/api/runs/:run/calls/:call", told(oneText)),
    HttpRouter.route("GET", "/api/runs/:run/events", told(followed)),
    HttpRouter.route("POST", "/api/runs/:run/answers", told(answered))
  ])

/** The page without a run: it asks for its runs. No other page may frame it. */
const pageOf = (code: PageCode) =>
  HttpServerResponse.text(pageFile(code, "Alembic", "", "'self'"), {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": `${policyOf(code, "'self'")}; frame-ancestors 'none'` }
  })

/** Serves until the scope ends. */
export const servePages = Effect.fnUntraced(function* (doorway: Doorway) {
  const host = yield* Host
  const app = yield* HttpRouter.toHttpEffect(routes(pageOf(yield* host.pageCode)))
  const unknown = Effect.succeed(refusal(404, "not_found", "There is nothing here."))
  const answering = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    guarded(
      request,
      doorway,
      Effect.catchTag(app, "HttpServerError", () => unknown)
    )
  )
  yield* HttpServer.serveEffect(answering)
})
