// `alembic doctor`: is this machine fit for runs? Node, disk, fsync, the configuration, keys present. Exit 1 if not.
import { Effect, Option, Result } from "effect"
import { ModelCatalog } from "../../../adapters/registry/ModelCatalog.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host, type Checkup } from "../../Host.ts"
import { Output } from "../../Output.ts"
import { sameAgain } from "../../render/nextCommand.ts"
import { agree } from "../../trust/agree.ts"
import { requirementsOf } from "../../trust/requirements.ts"
import { badInput } from "../../CommandError.ts"
import { cureText } from "../../render/errorText.ts"
import { modelSettings } from "../../settings/runSettings.ts"

/** The configuration as it stands, and which keys there are. */
const modelCheckups = Effect.fnUntraced(function* (config: Option.Option<string>) {
  const host = yield* Host
  const none = Option.none<string>()
  const settings = yield* modelSettings(
    { model: none, baseUrl: none, config, offlineFixtures: none },
    "alembic.plan.ts"
  )
  return yield* Effect.gen(function* () {
    const catalog = yield* ModelCatalog
    const entries = yield* catalog.entries
    const links = entries.flatMap((entry) => entry.links)
    const broken = links.find(({ problem }) => problem !== undefined)
    const configured: Checkup = {
      what: "models",
      ok: broken === undefined,
      detail:
        broken === undefined
          ? `default ${catalog.defaultModel}, ${entries.length} configured`
          : `${broken.problem ?? ""}; ${broken.cure ?? ""}`
    }
    const keys: Checkup = {
      what: "keys",
      ok: true,
      detail: catalog.providers
        .filter(({ key }) => key !== "not_needed")
        .map(
          ({ key, keyVariable, provider }) =>
            `${provider} ${key === "present" ? "set" : `not set (${keyVariable ?? ""})`}`
        )
        .join(", ")
    }
    return [configured, keys]
  }).pipe(Effect.provide(host.models(settings)))
})

/** Prints what was found, and sets the exit code. */
const tellChecks = Effect.fnUntraced(function* (found: ReadonlyArray<Checkup>) {
  const host = yield* Host
  const output = yield* Output
  const { style } = output
  for (const { detail, ok, what } of found)
    yield* output.print(`${ok ? style.green("✓") : style.red("✗")} ${what.padEnd(15)} ${detail}`)
  const ok = found.every((one) => one.ok)
  yield* output.emit({ type: "DoctorSummary", ok, version: host.version, checks: found })
  if (!ok) yield* output.exitWith(found.some(({ misnamed }) => misnamed === true) ? 2 : 1)
  return ok
})

/** One real call of the model that is named. */
const modelTried = Effect.fnUntraced(function* ({
  trust,
  ...named
}: {
  readonly baseUrl: Option.Option<string>
  readonly config: Option.Option<string>
  readonly model: Option.Option<string>
  readonly trust: ReadonlyArray<string>
}) {
  const output = yield* Output
  const settings = yield* modelSettings({ ...named, offlineFixtures: Option.none() }, "alembic.plan.ts")
  const untrusted = yield* agree({
    requirements: requirementsOf({ config: settings.config }),
    given: trust,
    again: sameAgain(output.args)
  })
  if (untrusted !== undefined)
    return yield* badInput(untrusted.code, untrusted.message, { cure: untrusted.cure ?? "alembic trust" })
  const { tryModel } = yield* Effect.promise(() => import("../../running/tryModel.ts"))
  return yield* tryModel(settings)
})

export default defineCommand({
  name: "doctor",
  description: "Check this machine: Node, keys present, disk, fsync",
  config: {
    config: flags.configFlag,
    model: flags.optionalText(
      "model",
      "<ref>",
      "Make one real, smallest call of that model, and say what it tells"
    ),
    baseUrl: flags.baseUrlFlag,
    trust: flags.trustFlag
  },
  examples: [
    {
      command: "alembic doctor --model ollama:llama3.2",
      description: "One call: address, key, schema, time"
    },
    { command: "alembic doctor --json", description: "Exit 1 if something is wrong, 2 if what was named is" }
  ],
  handler: Effect.fn("cli.doctor")(function* ({ baseUrl, config, model, trust }) {
    const host = yield* Host
    const output = yield* Output
    const { style } = output
    const baseDir = yield* baseDirectory
    if (Option.isSome(model)) {
      yield* tellChecks(yield* modelTried({ baseUrl, config, model, trust }))
      return
    }
    const models = yield* Effect.result(modelCheckups(config))
    // A file that was named and cannot be read is no finding about the machine.
    if (Option.isSome(config) && Result.isFailure(models) && models.failure.code === "unreadable")
      return yield* Effect.fail(models.failure)
    const found: ReadonlyArray<Checkup> = [
      ...(yield* host.checkups(baseDir)),
      ...(Result.isSuccess(models)
        ? models.success
        : [{ what: "models", ok: false, detail: models.failure.message }])
    ]
    const ok = yield* tellChecks(found)
    yield* output.print(
      ok ? cureText("alembic run", style) : cureText("put right what is marked ✗, then alembic doctor", style)
    )
  })
})
