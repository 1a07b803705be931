// `alembic serve` as it is shipped: who may ask it, what it tells, and a run that is watched and answered in a browser.
import { request } from "node:http"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { hasBrowser, openPage, seriousViolations } from "../support/browser.ts"
import { finish, start, summaryOf } from "../support/commandProcess.ts"
import { planFolder } from "../support/planFolder.ts"

const files = {
  "GOAL.md": "Ask <script>document.title='pwned'</script>\n",
  "alembic.plan.ts": `export const run = async (h) => {
  h.phase("Ask")
  const colour = await h.agent("Which <b>colour</b>?", { model: "human", label: "colour" })
  const next = await h.agent("And now: " + (colour.ok ? colour.text : ""))
  return { colour: colour.ok ? colour.text : null, next: next.ok }
}`
}

const decodeServing = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ url: Schema.String, port: Schema.Int }))
)

/** A run that waits for a person, and a server beside it. */
const served = Effect.gen(function* () {
  const cwd = yield* planFolder(files)
  const { runId } = summaryOf(yield* finish(cwd, "run", "--model", "offline", "--json"))
  const { child } = yield* start(cwd, "serve", "--json")
  const line = yield* Effect.callback<string>((resume) => {
    child.stdout?.once("data", (chunk: string) => resume(Effect.succeed(chunk)))
  })
  const { port, url } = decodeServing(line)
  return { cwd, port, runId: String(runId), url, key: url.split("#key=")[1] ?? "" }
})

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

interface Asked {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Anything may be said, also what `fetch` would not. */
const ask = ({ body = "", headers = {}, method = "GET", path, port }: Asked) =>
  Effect.callback<Reply>((resume) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers }, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      reply.on("end", () =>
        resume(Effect.succeed({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }))
      )
    })
    asked.end(body)
  })

describe("the server of pages", () => {
  it.live("is asked by its own page with its key, and by nobody else", () =>
    Effect.gen(function* () {
      const { cwd, key, port, runId } = yield* served
      const bearer = { authorization: `Bearer ${key}` }
      const statusOf = (path: string, headers: Readonly<Record<string, string>>, method = "GET") =>
        Effect.map(ask({ port, path, headers, method }), ({ status }) => status)
      assert.isAtLeast(key.length, 43)
      assert.strictEqual(yield* statusOf("/api/runs", bearer), 200)
      assert.strictEqual(yield* statusOf("/api/runs", {}), 401)
      assert.strictEqual(yield* statusOf("/api/runs", { authorization: `Bearer ${key}x` }), 401)
      assert.strictEqual(yield* statusOf(`/api/runs?key=${key}`, {}), 401)
      assert.strictEqual(yield* statusOf("/api/runs", { ...bearer, host: "evil.example" }), 421)
      assert.strictEqual(yield* statusOf("/", { host: `evil.example:${port}` }), 421)
      assert.strictEqual(yield* statusOf("/api/runs", { ...bearer, origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* statusOf("/api/runs", { ...bearer, origin: "null" }), 403)
      assert.strictEqual(yield* statusOf("/api/runs", { ...bearer, "sec-fetch-site": "cross-site" }), 403)
      assert.strictEqual(yield* statusOf("/api/runs", { ...bearer, origin: `http://127.0.0.1:${port}` }), 200)
      // Nothing else can be written, and nothing outside the runs is read.
      for (const method of ["PUT", "DELETE", "PATCH", "POST"])
        assert.strictEqual(yield* statusOf(`/api/runs/${runId}`, bearer, method), 404)
      for (const path of [
        "/api/runs/..%2f..%2fetc",
        "/api/runs/run-0000000000000000",
        "/../GOAL.md",
        "/GOAL.md"
      ])
        assert.include([400, 404], yield* statusOf(path, bearer), path)
      const page = yield* ask({ port, path: "/" })
      assert.match(
        String(page.headers["content-security-policy"]),
        /default-src 'none'.*frame-ancestors 'none'/
      )
      assert.strictEqual(page.headers["cache-control"], "no-store")
      assert.notInclude(page.body, runId)
      assert.notInclude(page.body, key)
      const kept = readdirSync(join(cwd, ".alembic"), {
        recursive: true,
        encoding: "utf8",
        withFileTypes: true
      })
      for (const file of kept)
        if (file.isFile()) assert.notInclude(readFileSync(join(file.parentPath, file.name), "utf8"), key)
    }).pipe(Effect.scoped)
  )

  it.live("takes an answer once, says why it takes no other, and streams what comes of it", () =>
    Effect.gen(function* () {
      const { cwd, key, port, runId } = yield* served
      const path = `/api/runs/${runId}/answers`
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const give = (body: unknown, more: Readonly<Record<string, string>> = {}) => {
        const text = typeof body === "string" ? body : JSON.stringify(body)
        return ask({
          port,
          path,
          method: "POST",
          headers: { ...headers, "content-length": String(Buffer.byteLength(text)), ...more },
          body: text
        })
      }
      assert.strictEqual((yield* give("{")).status, 400)
      assert.strictEqual((yield* give({ item: "q-1" })).status, 400)
      assert.strictEqual(
        (yield* give({ item: "q-1", answer: "x" }, { "content-type": "text/plain" })).status,
        400
      )
      assert.match((yield* give({ item: "q-9", answer: "x" })).body, /unknown_item.*cure/)
      assert.strictEqual((yield* give({ item: "q-1", answer: "blue" })).status, 200)
      assert.match((yield* give({ item: "q-1", answer: "red" })).body, /already_answered/)
      const stream = yield* ask({
        port,
        path: `/api/runs/${runId}/events?since=1`,
        headers: { authorization: headers.authorization }
      })
      assert.strictEqual(stream.headers["content-type"], "text/event-stream")
      assert.match(stream.body, /^id: \d+\ndata: \{.*"type":"QuestionAnswered"/m)
      assert.notMatch(stream.body, /"type":"RunStarted"/)
      const done = summaryOf(yield* finish(cwd, "resume", "@last", "--json"))
      assert.deepInclude(done, { status: "completed", result: { colour: "blue", next: true } })
    }).pipe(Effect.scoped)
  )

  it.live("says by name that its port is taken", () =>
    Effect.gen(function* () {
      const { cwd, port } = yield* served
      const { code, err } = yield* finish(cwd, "serve", "--port", String(port))
      assert.strictEqual(code, 2)
      assert.match(err, /port_taken.*\n.*alembic serve/)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasBrowser)("a served run in a real browser", () => {
  it.live("is seen in the list, answered, and followed to its end without a reload", () =>
    Effect.gen(function* () {
      const { cwd, runId, url } = yield* served
      const { page, problems, requests } = yield* openPage()
      yield* Effect.promise(async () => {
        await page.goto(url)
        await page.getByRole("link", { name: runId }).click()
        await page.getByLabel("Question q-1").waitFor()
        assert.strictEqual(await page.getByLabel("Question q-1").textContent(), "Which <b>colour</b>?")
        assert.notInclude(page.url(), "key=")
      })
      assert.deepStrictEqual(yield* seriousViolations(page), [])
      yield* Effect.promise(async () => {
        await page.getByLabel("Answer to q-1").fill("blue")
        await page.getByRole("button", { name: "Answer" }).click()
        await page.getByText(`alembic resume ${runId}`).waitFor()
      })
      yield* finish(cwd, "resume", runId)
      yield* Effect.promise(async () => {
        await page.getByText("completed", { exact: true }).first().waitFor()
        await page.getByRole("link", { name: /And now: blue/ }).click()
        await page.getByRole("article", { name: "Call 2" }).getByText("And now: blue").first().waitFor()
        await page.getByLabel("Search").fill("offline answer")
        await page.getByText("1 of 2 calls").waitFor()
        await page.getByRole("link", { name: "All runs" }).click()
        await page.getByRole("heading", { name: "Runs" }).waitFor()
        assert.notInclude(await page.title(), "pwned")
      })
      assert.deepStrictEqual(yield* seriousViolations(page), [])
      assert.deepStrictEqual(problems, [])
      assert.isTrue(requests.every((address) => address.startsWith(new URL(url).origin)))
    }).pipe(Effect.scoped)
  )
})
