// Host: what a command may ask of the machine it runs on: where it stands, who listens, which signals came, and the
// layers that rooms run on. A service, so that a test runs every command in process. Live: app/layers.ts.
import { Context, type Deferred, type Effect, type Layer, type Scope } from "effect"
import type { HttpServer } from "effect/http"
import type { AdapterRegistry } from "../adapters/registry/AdapterRegistry.ts"
import type { Guards } from "../adapters/guard/Guards.ts"
import type { ModelCatalog } from "../adapters/registry/ModelCatalog.ts"
import type { EngineVersions } from "../engine/EngineVersions.ts"
import type { Journal } from "../journal/Journal.ts"
import type { PlanBundler } from "../plan/bundler/PlanBundler.ts"
import type { PlanVm } from "../plan/host/PlanVm.ts"
import type { Prelude } from "../plan/prelude/Prelude.ts"
import type { PageCode } from "./report/reportFile.ts"
import type { Screen } from "./render/live/liveLines.ts"
import type { TrustStore } from "./trust/TrustStore.ts"
import type { CommandError } from "./CommandError.ts"

/** All that `runPlanFile`, `resumeRun` and `replayRun` work with. */
export type EngineServices =
  | AdapterRegistry
  | Guards
  | Journal
  | PlanBundler
  | PlanVm
  | Prelude
  | EngineVersions

/** How models are reached. Texts are those of the files, which the caller has read. */
export interface ModelSettings {
  /** alembic.json. */
  readonly config?: string
  /** What the person called it; alembic.json unless given. */
  readonly configName?: string
  /** Offline fixtures. */
  readonly fixtures?: string
  /** The default model, over what the configuration says. */
  readonly model?: string
  readonly baseUrl?: string
  /** By built-in provider: where it is reached if the environment does not say. */
  readonly baseUrls?: Readonly<Record<string, string>>
  /** Nothing but the offline adapter answers, whatever is named. It is free, or (for a forecast) as its model is. */
  readonly offline?: "always" | "as_its_model"
  /** Attempts of one call at most, over what the configuration says. */
  readonly maxAttempts?: number
  /** The folder of the plan, or of what else says which models are called. */
  readonly planFolder?: string
  /** Ids are counted, so that two machines give the same ones. */
  readonly hermetic?: boolean
}

export interface EngineSettings extends ModelSettings {
  readonly baseDir: string
  /** Where missions read files and run proofs; the process's working directory unless given. */
  readonly directory?: string
}

/** A value that a check of the machine found, good or bad. */
export interface Checkup {
  readonly what: string
  readonly ok: boolean
  readonly detail: string
  /** Not the machine is at fault, but what the person named: exit code 2, not 1. */
  readonly misnamed?: boolean
}

export class Host extends Context.Service<
  Host,
  {
    readonly version: string
    /** The working directory, absolute. */
    readonly cwd: string
    readonly environment: (name: string) => string | undefined
    readonly terminal: {
      /** Whether a person can be asked. */
      readonly canAsk: boolean
      readonly color: boolean
      /** Whether a terminal reads stdout, and stderr: what it gets is made harmless. */
      readonly stdout: boolean
      readonly stderr: boolean
      /** Columns of stderr, if it is a terminal that can be redrawn. */
      readonly columns: number | undefined
      /** How large that terminal is now. */
      readonly screen: () => Screen
    }
    /**
     * From here to the end of the scope the first signal completes the Deferred with its name, instead of ending the
     * command; the second one ends the process at once. A command that holds signals is named in
     * app/signals/needsSupervisor.ts.
     */
    readonly holdSignals: (stop: Deferred.Deferred<string>) => Effect.Effect<void, never, Scope.Scope>
    readonly trust: TrustStore
    /** Replaces what was drawn last at the end of stderr: lines apart, none wider than the terminal. */
    readonly redraw: (block: string, above: number) => Effect.Effect<void>
    readonly temporaryDirectory: Effect.Effect<string, never, Scope.Scope>
    /** Facts of this machine that a run depends on: Node, disk, fsync. */
    readonly checkups: (baseDir: string) => Effect.Effect<ReadonlyArray<Checkup>>
    /** The script and the style of the page of a run. */
    readonly pageCode: Effect.Effect<PageCode>
    /** An HTTP server on the loopback address; port 0: any that is free. */
    readonly loopback: (port: number) => Layer.Layer<HttpServer.HttpServer, CommandError>
    /** 256 bits that nobody can guess, as letters and digits. */
    readonly secret: Effect.Effect<string>
    /** Rings the terminal's bell, if there is a terminal. */
    readonly bell: Effect.Effect<void>
    /** Runs a person's command line with these variables; gives what was wrong with it. */
    readonly notice: (
      command: string,
      facts: Readonly<Record<string, string>>
    ) => Effect.Effect<string | undefined>
    /** Opens an address in the person's browser, if there is a way. */
    readonly openInBrowser: (url: string) => Effect.Effect<void>
    readonly journal: (baseDir: string) => Layer.Layer<Journal>
    readonly models: (
      settings: ModelSettings
    ) => Layer.Layer<AdapterRegistry | ModelCatalog | Guards, CommandError>
    readonly engine: (settings: EngineSettings) => Layer.Layer<EngineServices | ModelCatalog, CommandError>
  }
>()("alembic/cli/Host") {}
