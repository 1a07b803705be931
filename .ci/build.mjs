// Builds dist/: the command as one minified bundle (Effect inside: importing its barrels costs half a second), the
// library with its packages outside (an Effect app must have one Effect), the plan's child and its prelude. Nothing is
// done when nothing changed. `--types` adds the declarations.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const stamp = join(dist, ".built")
const withTypes = process.argv.includes("--types")

/** One hash of all that the bundles are made of. */
const sources = () => {
  const hash = createHash("sha256")
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((f) =>
    /\.(?:tsx?|css)$/.test(f)
  )
  const others = ["package.json", "package-lock.json", ".ci/build.mjs"]
  for (const file of [...files.sort().map((f) => join("src", f)), ...others]) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex")
}

/** CommonJS packages inside an ES module ask for Node's builtins by `require`. */
const requireShim =
  'import{createRequire as __alembicRequire}from"node:module";const require=__alembicRequire(import.meta.url);'

const common = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node22.19",
  outdir: "dist",
  legalComments: "none",
  logLevel: "warning"
}

/** Written whole or not at all: another process may be reading. */
const put = ({ contents, path }) => {
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, contents)
  if (path.endsWith("main.js")) chmodSync(unfinished, 0o755)
  renameSync(unfinished, path)
}

const bundle = async () => {
  const launcher = await build({
    ...common,
    splitting: false,
    entryPoints: { main: "src/app/launch.ts" },
    banner: { js: "#!/usr/bin/env node" }
  })
  const host = await build({ ...common, splitting: false, entryPoints: { host: "src/app/host.ts" } })
  const command = await build({
    ...common,
    entryPoints: { command: "src/main.ts" },
    chunkNames: "command-[hash]",
    banner: { js: requireShim },
    external: ["esbuild"]
  })
  // The same program without its commands and rooms, which it never loads: small because nothing is shared with them.
  const front = await build({
    ...common,
    splitting: false,
    entryPoints: { front: "src/main.ts" },
    banner: { js: requireShim },
    external: ["esbuild", "./commands/*", "./rooms.ts", "./person/*", "@effect/platform-node/NodeTerminal"]
  })
  const library = await build({
    ...common,
    entryPoints: { index: "src/index.ts", plan: "src/plan.ts", testing: "src/testing.ts" },
    chunkNames: "library-[hash]",
    packages: "external"
  })
  // Its functions are sent into the plan's context as text: nothing may be renamed or moved out of them.
  const child = await build({
    ...common,
    splitting: false,
    minify: false,
    entryPoints: { "plan-child": "src/plan/child/main.ts" }
  })
  const { preludeBuildOptions } = await import("../src/plan/prelude/Prelude.node.ts")
  const prelude = await build({
    ...preludeBuildOptions,
    absWorkingDir: root,
    entryPoints: { "plan-prelude": "src/plan/prelude/preludeRuntime.ts" },
    outdir: "dist",
    logLevel: "warning"
  })
  const { bufferBuildOptions } = await import("../src/plan/bundler/planBuffer.node.ts")
  const buffer = await build({
    ...bufferBuildOptions(),
    outfile: join(dist, "plan-buffer.js"),
    logLevel: "warning"
  })
  const { pageBuildOptions } = await import("../src/app/person/pageCode.ts")
  const page = await build({ ...pageBuildOptions(), outdir: dist, logLevel: "warning" })
  return [launcher, host, command, front, library, child, prelude, buffer, page].flatMap(
    ({ outputFiles }) => outputFiles
  )
}

const key = sources()
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== key) {
  const files = await bundle()
  for (const file of files) put(file)
  put({ path: stamp, contents: key })
  const kept = new Set([".built", "types", ...files.map(({ path }) => basename(path))])
  // What ends in a number another process is writing just now.
  const isOld = (name) => !kept.has(name) && !/\.\d+$/.test(name)
  for (const name of readdirSync(dist).filter(isOld))
    rmSync(join(dist, name), { recursive: true, force: true })
}
if (withTypes) {
  rmSync(join(dist, "types"), { recursive: true, force: true })
  execFileSync("tsc", ["-p", join(root, ".ci/tsconfig.json")], { stdio: "inherit" })
}
