// The command in process: real files in a folder, real plans in real processes, everything it says kept. Only the
// process itself (signals, terminal, exit) is a fake.
import { ConfigProvider, Console, Effect, Layer, type Terminal } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { platformLayer } from "../../src/app/layers.ts"
import { loopback } from "../../src/app/person/loopback.ts"
import { notice } from "../../src/app/person/notice.ts"
import { checkups, engineLayer, journalLayer, modelsLayer, pageCode } from "../../src/app/rooms.ts"
import type { Origin } from "../../src/cli/trust/TrustStore.ts"
import { Host } from "../../src/cli/Host.ts"
import { runCommand } from "../../src/cli/root.ts"

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Somebody at a terminal. */
  readonly terminal?: Layer.Layer<Terminal.Terminal>
  /** Other rooms than the live ones. */
  readonly host?: Partial<Host["Service"]>
}

/** By directory: what commands of this process have said of the runs that they made. */
const origins = new Map<string, Origin>()

const hostOf = ({ cwd, env = {}, host = {} }: CommandOptions) =>
  Host.of({
    version: "0.0.0-test",
    cwd,
    environment: (name) => env[name],
    terminal: {
      canAsk: false,
      color: false,
      stdout: false,
      stderr: false,
      columns: undefined,
      screen: () => ({ columns: 80, rows: 24 })
    },
    // Somebody trusts whatever there is; what asks for trust has tests of its own.
    trust: {
      isTrusted: () => Effect.succeed(true),
      trust: () => Effect.void,
      originOf: (dir) => Effect.sync(() => origins.get(dir) ?? { own: true, foreignUntil: 0 }),
      claim: (dir, _runId, origin) => Effect.sync(() => void origins.set(dir, origin)),
      witness: Effect.undefined
    },
    holdSignals: () => Effect.void,
    redraw: () => Effect.void,
    temporaryDirectory: Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "alembic-dry-"))),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    ),
    checkups,
    pageCode,
    loopback,
    secret: Effect.succeed("the-key"),
    bell: Effect.void,
    notice,
    openInBrowser: () => Effect.void,
    journal: journalLayer,
    models: modelsLayer,
    engine: engineLayer,
    ...host
  })

/** A host in a folder, for what is below the command. */
export const testHost = (options: CommandOptions): Layer.Layer<Host> => Layer.succeed(Host, hostOf(options))

/** Runs `alembic` with these arguments, in a folder, with an environment of its own. */
export const alembic = (options: CommandOptions, ...args: ReadonlyArray<string>): Effect.Effect<Said> =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    const console: Console.Console = {
      ...globalThis.console,
      log: (...said) => void out.push(said.map(String).join(" ")),
      error: (...said) => void err.push(said.map(String).join(" "))
    }
    const { terminal = Layer.empty } = options
    const code = yield* runCommand(args).pipe(
      Effect.provide(terminal),
      Effect.provideService(Console.Console, console),
      Effect.provideService(Host, hostOf(options)),
      Effect.provide(
        Layer.merge(platformLayer, ConfigProvider.layer(ConfigProvider.fromEnv({ env: options.env ?? {} })))
      )
    )
    return { code, out: out.join("\n"), err: err.join("\n") }
  })

/** Every line of stdout as JSON; fails the test where one is not. */
export const jsonLines = ({ out }: Said): ReadonlyArray<Record<string, unknown>> =>
  out === "" ? [] : out.split("\n").map((line): Record<string, unknown> => JSON.parse(line))

/** The last line of stdout as JSON. */
export const lastLine = (said: Said): Record<string, unknown> => jsonLines(said).at(-1) ?? {}
