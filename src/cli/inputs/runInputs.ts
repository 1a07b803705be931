// Inputs: what a person gives to a run, read from files and checked before anything is begun: goal, contract,
// arguments, configuration, fixtures. Attachments have a file of their own. Nothing is written here.
import { Effect, FileSystem, Option, Path, Result } from "effect"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import { issuesText } from "../../domain/schemaIssues.ts"
import { userJson, withoutSchema } from "../../domain/json/userJson.ts"
import { decodeContract, type PlanInputs } from "../../engine/launch/planSpec.ts"
import { badInput } from "../CommandError.ts"
import { readAttachments } from "./attachments.ts"
import { readText, resolvePath } from "./textFiles.ts"
import { parseFixtures } from "../../adapters/registry/Fixtures.ts"

/** `what`: how errors call the text; `path`: its file, if it is one. */
export const parseJson = (
  what: string,
  text: string,
  cure: string,
  path?: string
): Effect.Effect<Json, ReturnType<typeof badInput>> =>
  Effect.mapError(Effect.fromResult(userJson(text)), ({ column, line, message }) =>
    badInput("invalid_json", `${what} is not JSON: ${message}`, {
      cure,
      line,
      column,
      ...defined({ path })
    })
  )

/** `--args`: JSON, or `@file` with JSON in it. */
export const readArgs = Effect.fnUntraced(function* (given: string) {
  const cure = `--args '{"key": "value"}' or --args @args.json`
  if (!given.startsWith("@")) return yield* parseJson("--args", given, cure)
  const path = given.slice(1)
  if (path === "") return yield* badInput("usage", "--args @ names no file", { cure })
  return yield* parseJson(`--args ${path}`, yield* readText("arguments", path, cure), cure, path)
})

/** `--contract`: its shape is checked to the last key. */
export const readContract = Effect.fnUntraced(function* (path: string) {
  const cure = `correct ${path}, or leave --contract out`
  const value = yield* parseJson(`contract ${path}`, yield* readText("contract", path, cure), cure, path)
  const contract = decodeContract(withoutSchema(value))
  return Result.isSuccess(contract)
    ? contract.success
    : yield* badInput("invalid_contract", `contract ${path}: ${issuesText(contract.failure)}`, {
        path,
        cure
      })
})

export interface InputFlags {
  readonly goal: string
  readonly contract: Option.Option<string>
  readonly args: Option.Option<string>
  readonly attach: ReadonlyArray<string>
  readonly attachSecrets: boolean
  /** Runs are kept there: never attached. */
  readonly baseDir: string
}

/** Everything the plan is given, and what was left out of it, for the person to know. */
export const readInputs = Effect.fnUntraced(function* (flags: InputFlags) {
  const goal = yield* readText("goal", flags.goal, "alembic init (writes GOAL.md), or --goal FILE")
  const contract: Contract | undefined = Option.isSome(flags.contract)
    ? yield* readContract(flags.contract.value)
    : undefined
  const args: Json | undefined = Option.isSome(flags.args) ? yield* readArgs(flags.args.value) : undefined
  const { attachments, notices } = yield* readAttachments(flags.attach, {
    baseDir: flags.baseDir,
    secrets: flags.attachSecrets
  })
  const inputs: PlanInputs = {
    goal,
    ...defined({ contract, args }),
    attachments
  }
  return { inputs, notices }
})

/** alembic.json: `--config`, or the one beside the plan if there is one. */
export const readConfigText = Effect.fnUntraced(function* (given: Option.Option<string>, planPath: string) {
  const cure = "correct the file, or leave --config out"
  if (Option.isSome(given)) return yield* readText("configuration", given.value, cure)
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const beside = path.join(path.dirname(planPath), "alembic.json")
  const there = yield* Effect.orElseSucceed(fs.exists(yield* resolvePath(beside)), () => false)
  return there ? yield* readText("configuration", beside, `correct ${beside}`) : undefined
})

export const readFixturesText = (given: Option.Option<string>) =>
  Option.match(given, {
    onNone: () => Effect.succeed(undefined),
    onSome: Effect.fnUntraced(function* (path) {
      const text = yield* readText(
        "offline fixtures",
        path,
        "correct the file, or leave --offline-fixtures out"
      )
      yield* Effect.mapError(parseFixtures(text), ({ message }) =>
        badInput("invalid_fixtures", `offline fixtures ${path}: ${message}`, {
          file: path,
          cure: "correct the fixtures file"
        })
      )
      return text
    })
  })
