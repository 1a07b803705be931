// planBuffer: the `Buffer` that a plan's bundle gets where something in it needs one: npm's `buffer`, which is pure. A
// package ships it built, as `plan-buffer.js`; a checkout bundles it from what is installed.
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import type { BuildOptions } from "esbuild"
import { sha256 } from "../../domain/fingerprint.ts"
import { startedEsbuild } from "./esbuildProcess.node.ts"
import { givenNamespace } from "./PlanBundle.ts"
import type { PlanFile } from "./PlanBundler.ts"

/** The file that puts a `Buffer` wherever one is named. */
export const onlyBuffer = "alembic-buffer"

/** What a package calls the module by. */
export const isBuffer = (name: string): boolean => /^(?:node:)?buffer\/?$/.test(name)

/** Where it is, for the bundler. */
export const ownBuffer = { path: "buffer", namespace: givenNamespace }

const names = "Buffer, SlowBuffer, kMaxLength, INSPECT_MAX_BYTES"

/** How it is bundled; the package's build does the same. Its first line says what it is. */
export const bufferBuildOptions = (): BuildOptions & { readonly write: false } => {
  const require = createRequire(import.meta.url)
  const { version } = require("buffer/package.json")
  return {
    stdin: {
      contents: `import own from "buffer/index.js"\nexport const { ${names} } = own\nexport const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 536870888 }\nexport default own\n`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url))
    },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["main"],
    // `constructor.name` is how libraries tell a Buffer, and the plan's bundle names things anew.
    keepNames: true,
    minifySyntax: true,
    minifyWhitespace: true,
    target: "es2024",
    legalComments: "none",
    write: false,
    logLevel: "silent",
    banner: { js: `// npm:buffer@${version}/index.js` }
  }
}

const built = async (): Promise<string> => {
  if (!import.meta.url.endsWith(".ts"))
    return await readFile(new URL("./plan-buffer.js", import.meta.url), "utf8")
  const { build } = startedEsbuild(await import("esbuild"))
  const { outputFiles } = await build(bufferBuildOptions())
  return outputFiles[0]?.text ?? ""
}

let made: Promise<PlanFile & { readonly name: string }> | undefined

/** As a file of a package. Made once, when first needed. */
export const bufferFile = (): Promise<PlanFile & { readonly name: string }> => {
  made ??= built().then((text) => ({
    path: `${givenNamespace}:buffer`,
    text,
    sha256: sha256(text),
    name: /^\/\/ (.*)/.exec(text)?.[1] ?? "npm:buffer"
  }))
  return made
}
