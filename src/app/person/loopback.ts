// The browser of whoever is at this machine: an HTTP server that only this machine reaches, a key to it, and the opening
// of an address. Loaded by `serve` and `report --open` alone.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import process from "node:process"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { badInput } from "../../cli/CommandError.ts"

/** Port 0: any that is free. Requests that are still answered when it ends are cut off. */
export const loopback = (port: number) =>
  NodeHttpServer.layerServer(() => createServer(), {
    port,
    host: "127.0.0.1",
    gracefulShutdownTimeout: 0
  }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(
        Effect.fail(
          badInput(
            "port_taken",
            `127.0.0.1:${port} cannot be listened on: ${cause instanceof Error ? cause.message : String(cause)}`,
            { cure: "alembic serve, which takes a free port" }
          )
        )
      )
    )
  )

export const secret = Effect.sync(() => randomBytes(32).toString("base64url"))

const openers: Readonly<Record<string, ReadonlyArray<string>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""]
}

/** Opens `address`; where nothing can, the person has it on the terminal. */
export const openInBrowser = (address: string) =>
  Effect.callback<void>((resume) => {
    const [command = "xdg-open", ...args] = openers[process.platform] ?? []
    const child = spawn(command, [...args, address], { detached: true, stdio: "ignore" })
    child.on("error", () => resume(Effect.void))
    child.on("spawn", () => {
      child.unref()
      resume(Effect.void)
    })
  })
