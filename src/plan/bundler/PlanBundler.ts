// PlanBundler: reads a plan's files and makes one text of a module graph. The port of what is impure about loading
// a plan; what the text means is loadPlan's. Live layer: PlanBundler.node.ts.
import { Context, type Effect } from "effect"
import type { FileHashes } from "../../domain/run/RunSpec.ts"
import type { PlanError } from "../PlanError.ts"

/** A file of a plan, decoded. `path` is relative to the plan's root, with `/`. */
export interface PlanFile {
  readonly path: string
  /** Without a byte order mark. */
  readonly text: string
  readonly sha256: string
}

/** A plan's own file. `root` is the folder it is in, absolute, links resolved: nothing outside it is the plan's. */
export interface OpenedPlan extends PlanFile {
  /** As the user gave it. */
  readonly given: string
  readonly root: string
}

/** An import that a plan may not have. `offset` is where the statement starts in the author's text. */
export interface RefusedImport {
  readonly construct: string
  readonly file: string
  readonly offset: number
  /** In an npm package: a warning, refused when reached. */
  readonly inPackage: boolean
}

export interface Bundled {
  /** ESM: imports of prelude modules are left in it, and one export list. Not tree-shaken. */
  readonly esm: string
  readonly map: string
  /** Bundles of the plan's own files that are not in `esm` because nothing of them would run. */
  readonly dropped: ReadonlyArray<{ readonly esm: string; readonly map: string }>
  readonly modules: FileHashes
  /** The plan's own files. */
  readonly files: ReadonlyArray<PlanFile>
  /** Files of npm packages: `path` as the map names them, `name` as `modules` does. */
  readonly packageFiles: ReadonlyArray<PlanFile & { readonly name: string }>
  readonly refused: ReadonlyArray<RefusedImport>
}

/** What is known of a path that a script computes: what it starts and ends with. */
export interface ScriptPaths {
  readonly head: string
  readonly tail: string
}

export interface FoundScripts {
  /** By the paths under which they may be reached, `/` between folders and no `.` in them. */
  readonly scripts: ReadonlyArray<readonly [path: string, file: PlanFile]>
  /** False where the project has too many files to look at them all. */
  readonly complete: boolean
}

export class PlanBundler extends Context.Service<
  PlanBundler,
  {
    readonly open: (path: string) => Effect.Effect<OpenedPlan, PlanError>
    /** `withBuffer`: a `Buffer` is bundled for whoever names it. */
    readonly bundle: (plan: OpenedPlan, withBuffer?: boolean) => Effect.Effect<Bundled, PlanError>
    /** A file by a path relative to the plan's own folder; undefined where nothing is, or it is outside the root. */
    readonly beside: (plan: OpenedPlan, path: string) => Effect.Effect<PlanFile | undefined, PlanError>
    /** A script of the plan's project by a path that starts at the plan's folder or at the project's. */
    readonly inProject: (plan: OpenedPlan, path: string) => Effect.Effect<PlanFile | undefined, PlanError>
    /** The workflow scripts of the plan's project that a computed path may mean. */
    readonly scriptsOfProject: (plan: OpenedPlan, paths: ScriptPaths) => Effect.Effect<FoundScripts>
    /** The JavaScript files in the plan's folder, sorted. */
    readonly scriptsBeside: (plan: OpenedPlan) => Effect.Effect<ReadonlyArray<string>>
    /**
     * The plans in a folder and below, sorted: files that export `run`, and workflow scripts. Not in `node_modules` or
     * folders whose name starts with a dot. `undefined` if `path` is no folder.
     */
    readonly plansIn: (path: string) => Effect.Effect<ReadonlyArray<string> | undefined>
  }
>()("alembic/plan/PlanBundler") {}
