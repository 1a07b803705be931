// The code of the page that `report` writes and `serve` serves: one script and one style. A package ships them built, as
// `page.js` and `page.css`; a checkout bundles them by esbuild when they are first asked for.
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import type { BuildOptions } from "esbuild"
import type { PageCode } from "../../cli/report/reportFile.ts"
import { startedEsbuild } from "../../plan/bundler/esbuildProcess.node.ts"

const source = (file: string): string => fileURLToPath(new URL(`../../browser/${file}`, import.meta.url))

/** How it is bundled; the package's build does the same. */
export const pageBuildOptions = (): BuildOptions & { readonly write: false } => ({
  entryPoints: { page: source("main.tsx"), style: source("style.css") },
  bundle: true,
  format: "iife",
  minify: true,
  platform: "browser",
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  // What it holds of others is under the MIT licence, which asks to be named.
  banner: { js: "/* Preact (c) Jason Miller, uPlot (c) Leon Sorokin: MIT */" },
  outdir: fileURLToPath(new URL("./", import.meta.url)),
  write: false,
  logLevel: "silent"
})

const bundled = async (): Promise<PageCode> => {
  const { build } = startedEsbuild(await import("esbuild"))
  const { outputFiles } = await build(pageBuildOptions())
  const text = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? ""
  return { script: text("page.js"), style: text("style.css") }
}

const built = async (): Promise<PageCode> => {
  const read = (name: string) => readFile(new URL(name, import.meta.url), "utf8")
  return { script: await read("./page.js"), style: await read("./style.css") }
}

let known: Promise<PageCode> | undefined

/** Made once a process. That it is not there is a defect of the package. */
export const pageCode: Effect.Effect<PageCode> = Effect.promise(
  () => (known ??= import.meta.url.endsWith(".ts") ? bundled() : built())
)
