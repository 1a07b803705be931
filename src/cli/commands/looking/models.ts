// `alembic models`: what is configured: references behind names, keys present or absent (never shown), prices, limits.
import { Effect } from "effect"
import { ModelCatalog, type CatalogEntry, type CatalogLink } from "../../../adapters/registry/ModelCatalog.ts"
import { defineCommand } from "../../defineCommand.ts"
import * as flags from "../../flags.ts"
import { Host } from "../../Host.ts"
import { Output } from "../../Output.ts"
import { cureText } from "../../render/errorText.ts"
import { priceText } from "../../render/priceText.ts"
import type { Style } from "../../terminal/style.ts"
import { modelSettings } from "../../settings/runSettings.ts"

const linkText = (link: CatalogLink, style: Style): string => {
  const key =
    link.key === "absent"
      ? style.red(`${link.keyVariable ?? "key"} not set`)
      : link.key === "present"
        ? style.green("key set")
        : ""
  const limits =
    link.limits === undefined
      ? ""
      : Object.entries(link.limits)
          .map(([name, n]) => `${name} ${n}`)
          .join(", ")
  const facts = [
    key,
    priceText(link),
    limits,
    link.problem === undefined || link.key === "absent" ? "" : style.red(link.problem)
  ]
  const cure = link.cure === undefined ? "" : `\n  ${cureText(link.cure, style)}`
  return `    ${link.reference}  ${facts.filter((fact) => fact !== "").join(" · ")}${cure}`
}

const entryText = ({ kind, links, name }: CatalogEntry, style: Style): string =>
  [`${style.bold(name)} ${style.dim(kind)}`, ...links.map((link) => linkText(link, style))].join("\n")

export default defineCommand({
  name: "models",
  description: "The models that are configured: keys present or absent, prices, limits",
  config: {
    model: flags.optionalText("model", "<ref>", "As the default model"),
    baseUrl: flags.baseUrlFlag,
    config: flags.configFlag,
    offlineFixtures: flags.fixturesFlag
  },
  examples: [{ command: "alembic models", description: "What alembic.json and the environment say" }],
  handler: Effect.fn("cli.models")(function* (input) {
    const host = yield* Host
    const output = yield* Output
    const settings = yield* modelSettings(input, "alembic.plan.ts")
    yield* Effect.gen(function* () {
      const catalog = yield* ModelCatalog
      const entries = yield* catalog.entries
      for (const entry of entries) {
        yield* output.emit(entry)
        yield* output.print(entryText(entry, output.style))
      }
      yield* output.print(output.style.dim("providers"))
      for (const { baseUrl, baseUrlVariable, key, keyVariable, provider } of catalog.providers) {
        const keyed =
          key === "not_needed"
            ? "no key needed"
            : `${keyVariable ?? "key"} ${key === "present" ? "set" : "not set"}`
        const based =
          baseUrl === "default" || baseUrlVariable === undefined
            ? ""
            : ` · ${baseUrlVariable} ${baseUrl === "set" ? "set" : "not set"}`
        yield* output.print(`    ${provider}  ${keyed}${based}`)
      }
      yield* output.emit({
        type: "ModelsSummary",
        ok: true,
        default: catalog.defaultModel,
        count: entries.length,
        providers: catalog.providers
      })
    }).pipe(Effect.provide(host.models(settings)))
  })
})
