// One file out of a bench and all it imports, as the command is built: for what is measured in a process of its own.
import { tmpdir } from "node:os"
import { basename } from "node:path"
import process from "node:process"

/** The bundle's path. The caller removes it. */
export const bundled = async (entry: string): Promise<string> => {
  const outfile = `${tmpdir()}/alembic-${basename(entry, ".ts")}-${process.pid}.mjs`
  // Here and not above: the bundle, which holds this too, has no use for it.
  const { build } = await import("esbuild")
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    external: ["esbuild"],
    logLevel: "warning"
  })
  return outfile
}
