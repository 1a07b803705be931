// `alembic init`: a goal and a plan to begin with, in the folder. Never writes over anything: all of it, or none.
import { Effect, FileSystem } from "effect"
import { configJsonSchema } from "../../adapters/Config.ts"
import { badInput } from "../CommandError.ts"
import { defineCommand } from "../defineCommand.ts"
import { toggle } from "../flags.ts"
import { resolvePath, whyUnreadable } from "../inputsText.ts"
import { initFiles } from "../initFiles.ts"
import { Output } from "../Output.ts"
import { cureText } from "../render/errorText.ts"

const printSchema = Effect.gen(function* () {
  const output = yield* Output
  const schema = configJsonSchema()
  yield* output.emit(schema)
  yield* output.print(JSON.stringify(schema, undefined, 2))
})

const writeFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const output = yield* Output
  for (const { name } of initFiles) {
    const there = yield* Effect.orElseSucceed(fs.exists(yield* resolvePath(name)), () => false)
    if (there) {
      return yield* badInput("exists", `${name} is there already, and is not written over`, {
        path: name,
        cure: "alembic run, or alembic init in another folder"
      })
    }
  }
  for (const { name, text } of initFiles) {
    yield* Effect.mapError(fs.writeFileString(yield* resolvePath(name), text, { flag: "wx" }), (error) =>
      badInput("unwritable", `${name} cannot be written: ${whyUnreadable(error)}`, {
        path: name,
        cure: "alembic init in another folder"
      })
    )
  }
  yield* output.emit({ type: "InitSummary", ok: true, files: initFiles.map(({ name }) => name) })
  for (const { about, name } of initFiles)
    yield* output.print(`${output.style.green("wrote")} ${name.padEnd(18)} ${output.style.dim(about)}`)
  yield* output.print(cureText("alembic run", output.style))
})

export default defineCommand({
  name: "init",
  description: "Begin: a goal and a commented plan that runs as it is",
  config: { schema: toggle("schema", "Print the JSON Schema of alembic.json instead") },
  examples: [
    { command: "alembic init", description: "GOAL.md and alembic.plan.ts, then alembic run" },
    {
      command: "alembic init --schema > alembic.schema.json",
      description: "For an editor that completes alembic.json"
    }
  ],
  handler: Effect.fn("cli.init")(function* ({ schema }) {
    yield* schema ? printSchema : writeFiles
  })
})
