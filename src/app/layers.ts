// The only place that picks live implementations. Start-up is kept small: what only some commands need (the engine,
// the journal, providers) is in rooms.ts and is loaded when a command first asks for it.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Layer } from "effect"
import { Host } from "../cli/Host.ts"
import type { Signals } from "./signals.ts"
import { version } from "./version.ts"

/** The services that effect/cli works with. */
export const platformLayer = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer)
)

const rooms = Effect.promise(() => import("./rooms.ts"))

const set = (name: string): boolean => (process.env[name] ?? "") !== ""

const dumb = process.env["TERM"] === "dumb"

export const hostLayer = (signals: Signals): Layer.Layer<Host> =>
  Layer.sync(Host, () =>
    Host.of({
      version,
      cwd: process.cwd(),
      environment: (name) => process.env[name],
      terminal: {
        canAsk: process.stdin.isTTY && process.stdout.isTTY && !dumb,
        color: !set("NO_COLOR") && !dumb && (set("FORCE_COLOR") || process.stdout.isTTY),
        columns: process.stderr.isTTY && !dumb ? process.stderr.columns : undefined
      },
      holdSignals: signals.hold,
      redraw: (line) => Effect.sync(() => void process.stderr.write(`\r\u001b[K${line}`)),
      temporaryDirectory: Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "alembic-"))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
      ),
      checkups: (baseDir) => Effect.flatMap(rooms, ({ checkups }) => checkups(baseDir)),
      journal: (baseDir) => Layer.unwrap(Effect.map(rooms, ({ journalLayer }) => journalLayer(baseDir))),
      models: (settings) => Layer.unwrap(Effect.map(rooms, ({ modelsLayer }) => modelsLayer(settings))),
      engine: (settings) => Layer.unwrap(Effect.map(rooms, ({ engineLayer }) => engineLayer(settings)))
    })
  )
