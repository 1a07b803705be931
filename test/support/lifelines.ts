// Lifelines: connections that processes hold as long as they live, so that a test sees when they are gone.
import { Deferred, Effect } from "effect"
import { createServer, type Socket } from "node:net"

/** Connections that processes hold as long as they live: `all` are there, `gone` when all have closed. */
export const lifelines = (count: number) =>
  Effect.gen(function* () {
    const all = yield* Deferred.make<void>()
    const gone = yield* Deferred.make<void>()
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        if (sockets.size === 0) Deferred.doneUnsafe(gone, Effect.void)
      })
      if (sockets.size < count) return
      Deferred.doneUnsafe(all, Effect.void)
      for (const held of sockets) held.write("go")
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      }),
      () => Effect.sync(() => server.close())
    )
    return { port, all: Deferred.await(all), gone: Deferred.await(gone) }
  })
