// The shared determinism cases as plans on disk. Only reads the cases and writes files; it judges nothing.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Schema } from "effect"

const optional = Schema.optionalKey
const Texts = Schema.Record(Schema.String, Schema.String)

export const DeterminismCase = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  lang: Schema.Literals(["ts", "js"]),
  entry: Schema.String,
  verdict: Schema.Literals(["accept", "refuse"]),
  binding: Schema.Literals(["must", "policy"]),
  kind: Schema.String,
  construct: Schema.String,
  layer: Schema.Literals(["static", "runtime", "either"]),
  why: Schema.String,
  at: optional(Schema.Struct({ file: Schema.String, line: Schema.Int, column: Schema.Int })),
  source: optional(Schema.String),
  files: optional(Texts),
  filesBase64: optional(Texts),
  generate: optional(
    Schema.Struct({
      file: Schema.String,
      prefix: Schema.String,
      unit: Schema.String,
      count: Schema.Int,
      suffix: Schema.String,
      unit2: optional(Schema.String),
      count2: optional(Schema.Int),
      suffix2: optional(Schema.String)
    })
  ),
  setup: optional(Schema.Struct({ outside: optional(Texts), symlinks: optional(Texts) })),
  tsconfig: optional(Schema.Record(Schema.String, Schema.Json)),
  pass: optional(Schema.String),
  hostInvariant: optional(Schema.String)
})
export type DeterminismCase = typeof DeterminismCase.Type

const decodeCases = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(DeterminismCase)))

/** All shared cases, in the file's order. */
export const determinismCases: ReadonlyArray<DeterminismCase> = decodeCases(
  readFileSync(new URL("../fixtures/cases/determinism.json", import.meta.url), "utf8")
)

/** The files of a case: path relative to the plan's folder → bytes. */
const filesOf = (test: DeterminismCase): ReadonlyArray<readonly [string, string | Uint8Array]> => {
  const files: Array<readonly [string, string | Uint8Array]> = []
  if (test.source !== undefined) files.push([test.entry, test.source])
  files.push(...Object.entries(test.files ?? {}))
  for (const [path, base64] of Object.entries(test.filesBase64 ?? {}))
    files.push([path, Buffer.from(base64, "base64")])
  if (test.generate !== undefined) {
    const { file, prefix, unit, count, suffix, unit2 = "", count2 = 0, suffix2 = "" } = test.generate
    files.push([file, prefix + unit.repeat(count) + suffix + unit2.repeat(count2) + suffix2])
  }
  files.push(...Object.entries(test.setup?.outside ?? {}))
  if (test.tsconfig !== undefined) {
    files.push(["tsconfig.json", JSON.stringify({ compilerOptions: test.tsconfig })])
  }
  return files
}

/** A new temporary folder that holds the case; `path` is the plan's absolute path. Call `remove` when done. */
export const writeCase = (test: DeterminismCase): { readonly path: string; readonly remove: () => void } => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), `alembic-${test.id}-`)))
  const folder = join(top, "plan")
  mkdirSync(folder)
  for (const [path, content] of filesOf(test)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  for (const [path, target] of Object.entries(test.setup?.symlinks ?? {}))
    symlinkSync(target, join(folder, path))
  return { path: join(folder, test.entry), remove: () => rmSync(top, { recursive: true, force: true }) }
}
