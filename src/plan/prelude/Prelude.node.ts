// Prelude, live: bundled by esbuild (loaded when first used) from the `effect` that Alembic itself runs on, and kept
// by content in the PlanCache. A package ships it built; then nothing is bundled at all.
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer } from "effect"
import type { BuildOptions } from "esbuild"
import { sha256 } from "../../domain/fingerprint.ts"
import { startedEsbuild } from "../bundler/esbuildProcess.node.ts"
import { PlanCache, type PlanCacheStore } from "./PlanCache.ts"
import { Prelude, PreludeError, type PreludeBundle } from "./Prelude.ts"

/** Where the prelude comes from: its source in a checkout, the built script `plan-prelude.js` in a package. */
export const PreludeEntry = Context.Reference<URL>("alembic/plan/PreludeEntry", {
  defaultValue: () =>
    import.meta.url.endsWith(".ts")
      ? new URL("./preludeRuntime.ts", import.meta.url)
      : new URL("./plan-prelude.js", import.meta.url)
})

/** `effect/http`, `effect/process` and their like are about the world outside. */
const isPreludeModule = /^(?:effect|alembic\/plan|effect\/[A-Z]\w*)$/

const globalName = "__alembic_prelude_module"

/**
 * Effect draws the hashes of objects, the ids of spans and what `Random` gives outside a plan's own program: as
 * evaluated in a plan, from a counter (Weyl's sequence by the golden ratio, mixed).
 */
const ownMath = `const Math = ((own) => {
  const { imul } = own; let drawn = 0
  const next = () => {
    drawn = (drawn + 0x9e3779b9) | 0
    let word = imul(drawn ^ (drawn >>> 16), 0x21f0aaad)
    word = imul(word ^ (word >>> 15), 0x735a2d97)
    return (word ^ (word >>> 15)) >>> 0
  }
  const random = () => ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000
  return Object.freeze(Object.create(own, { random: { value: random } }))
})(globalThis.Math);`

/** How the prelude is bundled; the package's build does the same. The result is one script expression. */
export const preludeBuildOptions: BuildOptions & { readonly write: false } = {
  bundle: true,
  format: "iife",
  globalName,
  minify: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["import"],
  target: "es2024",
  legalComments: "none",
  write: false,
  logLevel: "silent",
  banner: { js: `(() => { "use strict"; ${ownMath}` },
  footer: { js: `return ${globalName}; })()` }
}

const failed = (message: string) => (cause: unknown) =>
  new PreludeError({ message: `${message}: ${cause instanceof Error ? cause.message : String(cause)}` })

/** The sources of Alembic's own that are in the prelude, from the folder of its entry. */
export const preludeSources: ReadonlyArray<string> = [
  "preludeRuntime.ts",
  "../hooks/planServices.ts",
  "../hooks/effectHooks.ts",
  "../hooks/Hooks.ts",
  "../host/thrown.ts",
  "../../plan.ts",
  "../../domain/defined.ts",
  "../../domain/ModelRun.ts",
  "../../domain/ModelError.ts",
  "../../domain/json/canonicalJson.ts"
]

/** What the prelude is made of: its own sources, and the version of `effect`. */
const sourcesKey = Effect.fnUntraced(function* (entry: string) {
  const version: unknown = yield* Effect.try({
    try: () => createRequire(entry)("effect/package.json").version,
    catch: failed("effect is not installed")
  })
  const texts = yield* Effect.tryPromise({
    try: () => Promise.all(preludeSources.map((file) => readFile(join(dirname(entry), file), "utf8"))),
    catch: failed("the prelude's source cannot be read")
  })
  return sha256([String(version), ownMath, ...texts].join("\0"))
})

const bundle = (entry: string) =>
  Effect.tryPromise({
    try: async () => {
      const { build } = startedEsbuild(await import("esbuild"))
      const { outputFiles } = await build({ ...preludeBuildOptions, entryPoints: [entry] })
      return outputFiles[0]?.text ?? ""
    },
    catch: failed("the prelude does not bundle")
  })

/** A cached file names the hash of its own text, so that a damaged one is built again. */
const cached = Effect.fnUntraced(function* (cache: PlanCacheStore, entry: string) {
  const name = `prelude-${(yield* sourcesKey(entry)).slice(0, 32)}.js`
  const known = yield* cache.read(name)
  const [head = "", ...rest] = known?.split("\n") ?? []
  const text = rest.join("\n")
  if (head === `// ${sha256(text)}`) return text
  const code = yield* bundle(entry)
  yield* cache.keep(name, `// ${sha256(code)}\n${code}`)
  return code
})

const built = (entry: string) =>
  Effect.tryPromise({
    try: () => readFile(entry, "utf8"),
    catch: failed(`${basename(entry)} cannot be read`)
  })

export const layer: Layer.Layer<Prelude> = Layer.effect(
  Prelude,
  Effect.gen(function* () {
    const entry = fileURLToPath(yield* PreludeEntry)
    const cache = yield* PlanCache

    const load = Effect.fn("Prelude.load")(function* (imports: ReadonlyArray<string>) {
      const outside = imports.find((name) => !isPreludeModule.test(name))
      if (outside !== undefined) {
        return yield* new PreludeError({ message: `${outside} is not for plans: it reaches out of them` })
      }
      const code = entry.endsWith(".ts") ? yield* cached(cache, entry) : yield* built(entry)
      const bundle: PreludeBundle = { sha256: sha256(code), code, imports: [...imports].sort() }
      return bundle
    })

    return Prelude.of({ load })
  })
)
