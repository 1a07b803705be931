// `alembic doctor`: is this machine fit for runs? Node, disk, fsync, the configuration, keys present. Exit 1 if not.
import { Effect, Option, Result } from "effect"
import { ModelCatalog } from "../../../adapters/registry/ModelCatalog.ts"
import { baseDirectory } from "../../inputs/baseDirectory.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host, type Checkup } from "../../Host.ts"
import { Output } from "../../Output.ts"
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

export default defineCommand({
  name: "doctor",
  description: "Check this machine: Node, keys present, disk, fsync",
  config: { config: flags.configFlag },
  examples: [
    { command: "alembic doctor --json", description: "Exit 1 if something is wrong, 2 if what was named is" }
  ],
  handler: Effect.fn("cli.doctor")(function* ({ config }) {
    const host = yield* Host
    const output = yield* Output
    const { style } = output
    const baseDir = yield* baseDirectory
    const models = yield* Effect.result(modelCheckups(config))
    // A file that was named and cannot be read is no finding about the machine.
    if (Option.isSome(config) && Result.isFailure(models) && models.failure.code === "unreadable")
      return yield* models.failure
    const found: ReadonlyArray<Checkup> = [
      ...(yield* host.checkups(baseDir)),
      ...(Result.isSuccess(models)
        ? models.success
        : [{ what: "models", ok: false, detail: models.failure.message }])
    ]
    for (const { detail, ok, what } of found) {
      yield* output.print(`${ok ? style.green("✓") : style.red("✗")} ${what.padEnd(15)} ${detail}`)
    }
    const ok = found.every((one) => one.ok)
    yield* output.emit({ type: "DoctorSummary", ok, version: host.version, checks: found })
    yield* output.print(
      ok ? cureText("alembic run", style) : cureText("put right what is marked ✗, then alembic doctor", style)
    )
    if (!ok) yield* output.exitWith(found.some(({ misnamed }) => misnamed === true) ? 2 : 1)
  })
})
