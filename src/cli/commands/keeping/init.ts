// `alembic init`: a goal and a plan to begin with, or a board, in the folder. Never writes over anything: all of it, or
// none. With --schema it prints the shape of a file instead.
import { Effect, FileSystem, Option, Path } from "effect"
import { Argument } from "effect/cli"
import { badInput } from "../../CommandError.ts"
import { defineCommand } from "../../defineCommand.ts"
import { fileKinds, type FileKind } from "../../init/fileKinds.ts"
import { toggle } from "../../flags.ts"
import { boardFile, boardSchemaName } from "../../init/initBoard.ts"
import { resolvePath, whyUnreadable } from "../../inputs/textFiles.ts"
import { configFile, configSchemaName, initFiles, withoutTypes, type InitFile } from "../../init/initFiles.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"

const printSchema = Effect.fnUntraced(function* (kind: FileKind) {
  const output = yield* Output
  // Boards, missions and oracles come with it: nothing else of this command needs them.
  const { fileSchema } = yield* Effect.promise(() => import("../../init/fileSchemas.ts"))
  const schema = fileSchema(kind)
  yield* output.emit(schema)
  yield* output.data(JSON.stringify(schema, undefined, 2))
})

/** A schema as a file that an editor reads. */
const schemaFile = Effect.fnUntraced(function* (kind: FileKind, name: string) {
  const { fileSchema } = yield* Effect.promise(() => import("../../init/fileSchemas.ts"))
  const text = `${JSON.stringify(fileSchema(kind), undefined, 2)}\n`
  const file: InitFile = { name, about: "what your editor completes it by", text }
  return file
})

/** alembic.json with the schema that it names; nothing where there is one already. */
const configFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const there = fs.exists(yield* resolvePath(configFile.name))
  if (yield* Effect.orElseSucceed(there, () => false)) return []
  return [configFile, yield* schemaFile("config", configSchemaName)]
})

const writeFiles = Effect.fnUntraced(function* (files: ReadonlyArray<InitFile>, next: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const output = yield* Output
  for (const { name } of files) {
    const there = yield* Effect.orElseSucceed(fs.exists(yield* resolvePath(name)), () => false)
    if (there) {
      return yield* badInput("exists", `${name} is there already, and is not written over`, {
        path: name,
        cure: "alembic run, or alembic init in another folder"
      })
    }
  }
  for (const { name, text } of files) {
    const path = yield* resolvePath(name)
    const made = Effect.andThen(
      fs.makeDirectory(paths.dirname(path), { recursive: true }),
      fs.writeFileString(path, text, { flag: "wx" })
    )
    yield* Effect.mapError(made, (error) =>
      badInput("unwritable", `${name} cannot be written: ${whyUnreadable(error)}`, {
        path: name,
        cure: "alembic init in another folder"
      })
    )
  }
  yield* output.emit({ type: "InitSummary", ok: true, files: files.map(({ name }) => name) })
  const width = Math.max(...files.map(({ name }) => name.length))
  for (const { about, name } of files)
    yield* output.print(`${output.style.green("wrote")} ${name.padEnd(width)} ${output.style.dim(about)}`)
  yield* output.print(cureText(next, output.style))
})

/** Whether the package stands where a plan of this folder would find it: its types need no copy then. */
const isInstalled = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  let folder = yield* resolvePath(".")
  for (;;) {
    const found = fs.exists(paths.join(folder, "node_modules", "alembic", "package.json"))
    if (yield* Effect.orElseSucceed(found, () => false)) return true
    const above = paths.dirname(folder)
    if (above === folder) return false
    folder = above
  }
})

export default defineCommand({
  name: "init",
  description:
    "Begin: a goal and a commented plan that runs as it is; or a board to debate with; or the JSON Schemas of the files that you write",
  config: {
    kind: Argument.Literals("kind", fileKinds).pipe(
      Argument.withDescription(
        "With --schema: config (alembic.json, the default), contract, board, claims, or mission (what h.mission is given)"
      ),
      Argument.optional
    ),
    schema: toggle("schema", "Print a JSON Schema instead of writing anything"),
    board: toggle("board", "Write boards/technical-decision.yaml, an example board for alembic council")
  },
  examples: [
    { command: "alembic init", description: "GOAL.md and alembic.plan.ts, then alembic run" },
    {
      command: "alembic init --board",
      description: 'Then alembic council boards/technical-decision.yaml "QUESTION" --dry'
    },
    {
      command: "alembic init --schema > alembic.schema.json",
      description: "For an editor that completes alembic.json"
    },
    {
      command: "alembic init --schema contract",
      description: "What a contract may hold, with the arguments of every oracle"
    }
  ],
  handler: Effect.fn("cli.init")(function* ({ board, kind, schema }) {
    if (Option.isSome(kind) && !schema) {
      return yield* badInput("usage", `${kind.value} is a kind of schema`, {
        cure: `alembic init --schema ${kind.value}`
      })
    }
    if (schema && board) {
      return yield* badInput("usage", "--board writes a file, --schema prints", {
        cure: "alembic init --schema board, or alembic init --board"
      })
    }
    if (schema) return yield* printSchema(Option.getOrElse(kind, () => "config" as const))
    if (board) {
      const files = [boardFile, yield* schemaFile("board", boardSchemaName)]
      return yield* writeFiles(files, `alembic council ${boardFile.name} "QUESTION" --dry`)
    }
    const files = (yield* isInstalled) ? withoutTypes(initFiles) : initFiles
    return yield* writeFiles([...files, ...(yield* configFiles)], "alembic run")
  })
})
