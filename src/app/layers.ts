// The only place that picks live implementations. Start-up is kept small: what only some commands need (the engine,
// the journal, providers) is in rooms.ts and is loaded when a command first asks for it.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { isatty } from "node:tty"
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Context, Effect, Layer, Terminal } from "effect"
import { Host } from "../cli/Host.ts"
import * as GivenFilesNode from "../kernel/files/GivenFiles.node.ts"
import { holdSignals } from "./signals/holdSignals.ts"
import { trustStore } from "./trustStore.ts"
import { version } from "./version.ts"

/** The terminal, when a person is first asked something: looking at stdin is not for nothing. */
const terminalLayer = Layer.effect(
  Terminal.Terminal,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const live = yield* Effect.cached(
      Effect.promise(() => import("@effect/platform-node/NodeTerminal")).pipe(
        Effect.flatMap(({ layer }) => Layer.buildWithScope(layer, scope)),
        Effect.map(Context.get(Terminal.Terminal))
      )
    )
    return Terminal.make({
      columns: Effect.flatMap(live, (terminal) => terminal.columns),
      rows: Effect.flatMap(live, (terminal) => terminal.rows),
      size: Effect.flatMap(live, (terminal) => terminal.size),
      readInput: Effect.flatMap(live, (terminal) => terminal.readInput),
      readLine: Effect.flatMap(live, (terminal) => terminal.readLine),
      display: (text) => Effect.flatMap(live, (terminal) => terminal.display(text))
    })
  })
)

/** The services that effect/cli works with. */
export const platformLayer = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, GivenFilesNode.layer, terminalLayer)
)

/** What was drawn before is cleared from its first row on, in the same write as what takes its place. */
const redraw = (block: string, above: number) =>
  Effect.sync(() => {
    const up = above > 0 ? `\u001b[${above}A` : ""
    process.stderr.write(`\r${up}\u001b[J${block}`)
  })

const browser = Effect.promise(() => import("./person/loopback.ts"))

const rooms = Effect.promise(() => import("./rooms.ts"))

const set = (name: string): boolean => (process.env[name] ?? "") !== ""

const dumb = process.env["TERM"] === "dumb"

export const hostLayer: Layer.Layer<Host> = Layer.sync(Host, () =>
  Host.of({
    version,
    cwd: process.cwd(),
    environment: (name) => process.env[name],
    terminal: {
      canAsk: isatty(0) && isatty(1) && !dumb,
      color: !set("NO_COLOR") && !dumb && (set("FORCE_COLOR") || isatty(1)),
      stdout: isatty(1),
      stderr: isatty(2),
      // A terminal that does not say how wide it is says 0.
      columns: isatty(2) && !dumb ? process.stderr.columns || 80 : undefined,
      screen: () => ({ columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 })
    },
    trust: trustStore,
    holdSignals,
    redraw,
    temporaryDirectory: Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "alembic-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
    ),
    checkups: (baseDir) => Effect.flatMap(rooms, ({ checkups }) => checkups(baseDir)),
    pageCode: Effect.flatMap(rooms, ({ pageCode }) => pageCode),
    loopback: (port) => Layer.unwrap(Effect.map(browser, ({ loopback }) => loopback(port))),
    secret: Effect.flatMap(browser, ({ secret }) => secret),
    notice: (command, facts) =>
      Effect.flatMap(
        Effect.promise(() => import("./person/notice.ts")),
        ({ notice }) => notice(command, facts)
      ),
    bell: Effect.sync(() => {
      if (isatty(2)) process.stderr.write("\u0007")
    }),
    openInBrowser: (address) => Effect.flatMap(browser, ({ openInBrowser }) => openInBrowser(address)),
    journal: (baseDir) => Layer.unwrap(Effect.map(rooms, ({ journalLayer }) => journalLayer(baseDir))),
    models: (settings) => Layer.unwrap(Effect.map(rooms, ({ modelsLayer }) => modelsLayer(settings))),
    engine: (settings) => Layer.unwrap(Effect.map(rooms, ({ engineLayer }) => engineLayer(settings)))
  })
)
