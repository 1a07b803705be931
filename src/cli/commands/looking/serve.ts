// `alembic serve`: the pages of all runs of the base directory in a browser, live. It runs until it is stopped, and has
// nothing to put away: what a person answers is durable at once.
import { Effect, Option } from "effect"
import { HttpServer } from "effect/http"
import { defineCommand } from "../../defineCommand.ts"
import { optionalPort, toggle } from "../../flags.ts"
import { Host } from "../../Host.ts"
import { onJournal } from "../../inputs/runReference.ts"
import { Output } from "../../Output.ts"
import { servePages } from "../../serve/pageServer.ts"

export default defineCommand({
  name: "serve",
  description: "See all runs live in a browser, and answer them there, until it is stopped",
  config: {
    port: optionalPort("port", "Where it listens, on 127.0.0.1; any free port unless given"),
    open: toggle("open", "Open it in the browser")
  },
  examples: [{ command: "alembic serve --open", description: "The runs of .alembic, in the browser" }],
  handler: Effect.fn("cli.serve")(function* ({ open, port }) {
    const host = yield* Host
    const output = yield* Output
    const serving = Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const listening = "port" in address ? address.port : 0
      const key = yield* host.secret
      yield* servePages({ port: listening, key })
      const url = `http://127.0.0.1:${listening}/#key=${key}`
      yield* output.emit({ type: "Serving", ok: true, url, port: listening })
      yield* output.print(
        `${output.style.green("serving")} ${url}\nWho has this address can read and answer all runs here. Ctrl-C ends it.`
      )
      if (open) yield* host.openInBrowser(url)
      return yield* Effect.never
    })
    yield* Effect.provide(Effect.scoped(serving), host.loopback(Option.getOrElse(port, () => 0)))
  }, onJournal)
})
