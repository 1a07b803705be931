// Preflight: before a run is made or gone on with, the models it names are there with keys and addresses, the person
// knows what may be spent, and has agreed to it. Nothing is asked of a run that has nothing left to do.
import { Effect } from "effect"
import { Prompt } from "effect/cli"
import { AdapterRegistry, RegistryError, type Binding } from "../../adapters/registry/AdapterRegistry.ts"
import { ModelCatalog } from "../../adapters/registry/ModelCatalog.ts"
import { defined } from "../../domain/defined.ts"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import type { PlanBundle } from "../../plan/bundler/PlanBundle.ts"
import { agree, type Asked } from "../trust/agree.ts"
import { Host } from "../Host.ts"
import { namedModels } from "../../plan/load/namedModels.ts"
import { Output } from "../Output.ts"
import { dollarsText } from "../render/numbers.ts"
import { priceText } from "../render/priceText.ts"

export interface Spending {
  /** `--yes`. */
  readonly agreed: boolean
  /** The cap in US dollars: the lower of `--max-usd` and the contract's. */
  readonly maxUsd: number | undefined
  /** What to type to agree. */
  readonly again: string
  /** Models that are named elsewhere than in the plan's text, such as those of board members. */
  readonly models?: ReadonlyArray<string>
  /** What has to be trusted before anything is begun, and what was. */
  readonly trust: Asked
}

interface Named {
  readonly reference: string
  readonly links: ReadonlyArray<Binding>
}

/** References that must be callable, and the first that is not. */
const bindAll = Effect.fnUntraced(function* (bundle: PlanBundle, others: ReadonlyArray<string>) {
  const registry = yield* AdapterRegistry
  const { entries } = yield* ModelCatalog
  const configured = (yield* entries).map(({ reference }) => reference)
  const { calls, phases } = namedModels(bundle)
  const own = new Set([...phases, ...calls])
  const output = yield* Output
  const found = new Map<string, Named>()
  for (const reference of new Set([...configured, ...phases, ...others, ...calls])) {
    const links = yield* Effect.result(registry.bind(reference))
    if (links._tag === "Success") found.set(reference, { reference, links: links.success })
    else if (bundle.kind === "module" || links.failure.code !== "unknown_model" || !own.has(reference))
      return yield* links.failure
    // A script's own name for a model, which nothing explains, means the default model.
    else yield* output.note(`model ${JSON.stringify(reference)} is not configured: the default model answers`)
  }
  return [...found.values()]
})

const capText = (maxUsd: number | undefined): string =>
  maxUsd === undefined
    ? "no cap (--max-usd sets one)"
    : maxUsd <= 0
      ? "free models only"
      : `at most ${dollarsText(maxUsd)}`

/** One line: the cap, and what each model costs. */
const forecastLine = (named: ReadonlyArray<Named>, maxUsd: number | undefined): string => {
  const prices = new Map<string, string>()
  for (const { links } of named) {
    for (const { adapter, modelId, price } of links) {
      if (adapter.free) continue
      const name = adapter.id.startsWith("command:") ? adapter.id : `${adapter.id}:${modelId}`
      const costs =
        adapter.reserveUsd !== undefined && price === undefined
          ? "bounded a call"
          : priceText({ free: false, ...defined({ price }) })
      prices.set(name, `${name} ${costs}`)
    }
  }
  return `spending: ${capText(maxUsd)}; ${[...prices.values()].join("; ")}`
}

/** The first model that may cost something nobody knows how much of. */
const withoutPrice = (named: ReadonlyArray<Named>): string | undefined =>
  named.find(({ links }) =>
    links.some(
      ({ adapter, price }) => !adapter.free && adapter.reserveUsd === undefined && price === undefined
    )
  )?.reference

const noPrice = (reference: string): RunErrorInfo => ({
  code: "unknown_price",
  message: `${reference} has no known price, so it cannot run under a cost bound`,
  cure: reference.startsWith("command:")
    ? `name what a call costs at most, in alembic.json: "commands": { "${reference.slice("command:".length)}": { "maxUsdPerCall": 0.5 } }, or run without --max-usd and budget.usd`
    : `give its price in alembic.json ("prices"), or run without --max-usd and budget.usd`
})

const infoOf = ({ code, cure, message }: RegistryError): RunErrorInfo => ({ code, message, cure })

/** Asks at a terminal; elsewhere the flag is named. */
const consent = Effect.fnUntraced(function* ({ again }: Spending) {
  const host = yield* Host
  const output = yield* Output
  if (!host.terminal.canAsk || output.json) {
    const refusal: RunErrorInfo = {
      code: "not_agreed",
      message: "this run may spend money, and nobody is here to be asked: --yes agrees to it",
      cure: again
    }
    return refusal
  }
  const asked = Prompt.run(Prompt.Confirm({ message: "Start the run?", initial: false }))
  // Whoever answers with Ctrl-C has answered.
  const agreed = yield* Effect.orElseSucceed(asked, () => false)
  const refusal: RunErrorInfo = {
    code: "not_agreed",
    message: "nothing was started or spent",
    cure: `${again} (agrees to it)${again.startsWith("alembic resume") ? "" : ", or the same with --dry (says what it would cost)"}`
  }
  return agreed ? undefined : refusal
})

/**
 * The preflight of a run, and the registry it shall run on: until spending is agreed to, no model that may cost
 * something is bound, whatever the plan computes.
 */
export const makePreflight = Effect.fnUntraced(function* (spending: Spending) {
  const registry = yield* AdapterRegistry
  const output = yield* Output
  const context = yield* Effect.context<AdapterRegistry | ModelCatalog | Host | Output | Prompt.Environment>()
  let { agreed } = spending

  const preflight = (bundle: PlanBundle): Effect.Effect<RunErrorInfo | undefined> =>
    Effect.gen(function* () {
      const untrusted = yield* agree(spending.trust)
      if (untrusted !== undefined) return untrusted
      const named = yield* bindAll(bundle, spending.models ?? [])
      if (named.every(({ links }) => links.every(({ adapter }) => adapter.free))) return undefined
      yield* output.note(forecastLine(named, spending.maxUsd))
      const unpriced = spending.maxUsd === undefined ? undefined : withoutPrice(named)
      if (unpriced !== undefined) return noPrice(unpriced)
      const refusal = agreed ? undefined : yield* consent(spending)
      agreed = refusal === undefined
      return refusal
    }).pipe(
      Effect.catchTag("RegistryError", (error) => Effect.succeed(infoOf(error))),
      Effect.provideContext(context)
    )

  const guarded = AdapterRegistry.of({
    ...registry,
    bind: (reference) =>
      Effect.flatMap(registry.bind(reference), (links) =>
        agreed || links.every(({ adapter }) => adapter.free)
          ? Effect.succeed(links)
          : Effect.fail(
              new RegistryError({
                reference,
                code: "auth",
                message: `${reference} may cost money, and spending was not agreed to`,
                cure: spending.again
              })
            )
      )
  })
  return { preflight, guarded }
})
