// PlanVm, live: a Node process for each plan, of the very Node that runs the host, with a cleared environment.
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Schema } from "effect"
import { defined } from "../../domain/defined.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { startedEsbuild } from "../bundler/esbuildProcess.node.ts"
import type { FromHost } from "../child/messages.ts"
import type { PlanBundle } from "../bundler/PlanBundle.ts"
import { PlanCache, type PlanCacheStore } from "../prelude/PlanCache.ts"
import { defaultHeapMb } from "./planHeap.ts"
import { PlanProcess } from "./PlanProcess.node.ts"
import { PlanInput, type Answer, type PlanDriver, type Turn } from "./PlanProtocol.ts"
import { believing } from "./planTurn.ts"
import { builtCommand, planChildEntry, type ChildCommand } from "./spawnPlan.node.ts"
import { defaultLimits, defaultTurnTimeoutMs, PlanVm, type LaunchOptions } from "./PlanVm.ts"

/** The child's main module: source beside this file in a checkout, `plan-child.js` beside the bundle in a package. */
export const PlanChildEntry = Context.Reference<URL>("alembic/plan/PlanChildEntry", {
  defaultValue: planChildEntry
})

/** What Node is given to run: the built child, or the source bundled here (stripping its types takes four times as long). */
const commandOf = (entry: URL): Effect.Effect<ChildCommand> => {
  const path = fileURLToPath(entry)
  if (!path.endsWith(".ts") || process.platform === "win32") {
    return Effect.succeed(builtCommand(path))
  }
  return Effect.promise(async () => {
    const { build } = startedEsbuild(await import("esbuild"))
    const { outputFiles } = await build({
      entryPoints: [path],
      bundle: true,
      minify: true,
      platform: "node",
      format: "esm",
      target: "node22.19",
      write: false
    })
    return { args: ["--input-type=module", "-e", outputFiles[0]?.text ?? ""], cwd: dirname(path) }
  })
}

const encodeInput = Schema.encodeSync(Schema.fromJsonString(PlanInput))

/** V8 takes compiled code only from a build and flags like its own: they are in the file's name. */
const preludeMessage = (cache: PlanCacheStore, { heapMb = defaultHeapMb, prelude }: LaunchOptions) => {
  if (prelude === undefined) return {}
  const { code } = prelude
  // The code's own hash: a run directory from elsewhere could name another's.
  const name = `${sha256(code).slice(0, 32)}-${process.versions.v8}-${process.arch}-${heapMb}.compiled`
  return { prelude: { code, ...defined({ compiled: cache.pathFor(`prelude-${name}`) }) } }
}

const startMessage = (
  cache: PlanCacheStore,
  bundle: PlanBundle,
  input: PlanInput,
  options: LaunchOptions
): FromHost => ({
  t: "start",
  kind: bundle.kind,
  entry: bundle.entry,
  code: bundle.code,
  imports: bundle.kind === "module" ? bundle.imports : [],
  packages: JSON.stringify(bundle.kind === "module" ? (bundle.packages ?? []) : []),
  input: encodeInput(input),
  nested:
    bundle.kind === "workflow"
      ? Object.entries(bundle.workflows).map(([name, { entry, code }]) => ({ name, entry, code }))
      : [],
  limits: { ...defaultLimits, ...options.limits },
  ...preludeMessage(cache, options)
})

const ended = (child: PlanProcess) => Effect.callback<void>((resume) => child.kill(() => resume(Effect.void)))

const driverOf = (
  cache: PlanCacheStore,
  child: PlanProcess,
  bundle: PlanBundle,
  input: PlanInput,
  options: LaunchOptions
): PlanDriver => {
  const believe = believing(bundle, { ...defaultLimits, ...options.limits })
  const timeoutMs = options.turnTimeoutMs ?? defaultTurnTimeoutMs
  const say = (message: () => FromHost, batch: ReadonlyArray<Answer>): Effect.Effect<Turn> =>
    Effect.callback<Turn>((resume) =>
      child.exchange(JSON.stringify(message()), timeoutMs, (reply) => {
        if (reply._tag === "ended") return resume(Effect.succeed(reply.turn))
        const { broken, turn } = believe(reply.message, batch)
        if (broken) child.kill()
        resume(Effect.succeed(turn))
      })
    )
  return {
    start: say(() => startMessage(cache, bundle, input, options), []),
    deliver: (answers) =>
      say(() => ({ t: "deliver", answers: answers.map(({ n, json }) => [n, json] as const) }), answers)
  }
}

export const layer: Layer.Layer<PlanVm> = Layer.effect(
  PlanVm,
  Effect.gen(function* () {
    const command = yield* Effect.cached(commandOf(yield* PlanChildEntry))
    const cache = yield* PlanCache
    let ahead: PlanProcess | undefined

    const prestart = Effect.acquireRelease(
      Effect.map(command, (child) => {
        ahead ??= new PlanProcess(child, defaultHeapMb)
        return ahead
      }),
      (child) =>
        Effect.suspend(() => {
          if (ahead !== child) return Effect.void
          ahead = undefined
          return ended(child)
        })
    ).pipe(Effect.asVoid)

    const take = (heapMb: number) =>
      Effect.map(command, (child) => {
        if (ahead === undefined || ahead.heapMb !== heapMb) return new PlanProcess(child, heapMb)
        const started = ahead
        ahead = undefined
        return started
      })

    const launch = Effect.fn("PlanVm.launch")(function* (
      bundle: PlanBundle,
      input: PlanInput,
      options: LaunchOptions = {}
    ) {
      const child = yield* Effect.acquireRelease(take(options.heapMb ?? defaultHeapMb), ended)
      return driverOf(cache, child, bundle, input, options)
    })

    return PlanVm.of({ launch, prestart })
  })
)
