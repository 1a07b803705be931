// Signals, as the command's own process holds them: from when it has something to put away until that is done. Before
// and after, and in commands that never hold any, the system's default action ends it at once, also while it works.
// The first signal completes a Deferred; the second one ends the process, and with it every process that it has started
// (kernel/processes/liveProcesses.node.ts). A host hears signals through its supervisor (supervision.ts); a process without one
// hears them itself, between two pieces of work.
import { basename } from "node:path"
import process from "node:process"
import { Deferred, Effect, type Scope } from "effect"
import { tellOfLive } from "../../kernel/processes/liveProcesses.node.ts"
import { held, saidOf, sayOf, signalExitCode, type Held, type Said } from "./supervision.ts"

/** The script that a supervisor runs as its host. */
export const hostScript = "host.js"

const hasSupervisor = (): boolean =>
  process.connected === true && basename(process.argv[1] ?? "") === hostScript

const say = (said: Said): void => {
  // Without a callback a supervisor that has just gone would be an error of this process.
  if (process.connected) process.send?.(sayOf(said), undefined, undefined, () => {})
}

/** Tells the supervisor which processes must not outlive this one, and ends with it. */
export const meetSupervisor = (): void => {
  if (!hasSupervisor()) return
  tellOfLive((target, isLive) => say({ _tag: isLive ? "watch" : "unwatch", target }))
  process.once("disconnect", () => process.exit(signalExitCode("SIGKILL")))
  process.channel?.unref()
}

/** From here to the end of the scope, the first signal completes `stop` with its name. */
export const holdSignals = (stop: Deferred.Deferred<string>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let seen = false
    const heard = (name: Held): void => {
      if (seen) process.exit(signalExitCode(name))
      seen = true
      Deferred.doneUnsafe(stop, Effect.succeed(name))
    }
    const supervised = hasSupervisor()
    const holding = yield* Deferred.make<void>()
    const onSignal = (name: Held) => (supervised ? say({ _tag: "signal", name }) : heard(name))
    const onMessage = (message: unknown): void => {
      const said = saidOf(message)
      if (said?._tag === "signal") {
        say({ _tag: "heard" })
        heard(said.name)
      }
      if (said?._tag === "holding") Deferred.doneUnsafe(holding, Effect.void)
    }
    const listen = Effect.sync(() => {
      for (const name of held) process.on(name, onSignal)
      if (!supervised) return
      process.on("message", onMessage)
      process.channel?.unref()
      say({ _tag: "hold" })
    })
    const release = Effect.sync(() => {
      for (const name of held) process.off(name, onSignal)
      process.off("message", onMessage)
      if (supervised) say({ _tag: "release" })
    })
    yield* Effect.acquireRelease(listen, () => release)
    if (supervised) yield* Deferred.await(holding)
  })
