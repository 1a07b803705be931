// A real browser: Debian's chromium, driven by playwright. Tests of pages are skipped by name where there is none.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import { chromium, type BrowserContextOptions, type Page } from "playwright-core"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync)

export const hasBrowser = executablePath !== undefined

/** A browser until the scope ends. */
const browser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: ["--no-sandbox"] })
  ),
  (opened) => Effect.promise(() => opened.close())
)

export interface Watched {
  readonly page: Page
  /** What went wrong in the page, and what its policy forbade. */
  readonly problems: ReadonlyArray<string>
  /** Every address that it asked for. */
  readonly requests: ReadonlyArray<string>
}

export const openPage = (options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const opened = yield* browser
    return yield* Effect.promise(async (): Promise<Watched> => {
      const context = await opened.newContext({ viewport: { width: 1440, height: 900 }, ...options })
      const page = await context.newPage()
      const problems: Array<string> = []
      const requests: Array<string> = []
      page.on("pageerror", (error) => problems.push(error.message))
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(message.text())
      })
      page.on("request", (request) => requests.push(request.url()))
      return { page, problems, requests }
    })
  })

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface Violation {
  readonly id: string
  readonly impact: string
  readonly targets: string
}

/** What axe-core finds of impact `serious` or `critical`. Beside the page's policy, which no script of ours passes. */
export const seriousViolations = (page: Page): Effect.Effect<ReadonlyArray<Violation>> =>
  Effect.promise(async () => {
    const source = await import("node:fs/promises").then(({ readFile }) => readFile(axePath, "utf8"))
    // Evaluated by the debugger, which no policy of the page forbids.
    await page.evaluate(source)
    return await page.evaluate(
      `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, impact, nodes }) => ({ id, impact, targets: nodes.slice(0, 3).map(({ target }) => target.join(" ")).join("; ") })))`
    )
  })
