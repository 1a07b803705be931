// Where a run comes from, as a command finds it, and what follows from that: what has to be trusted before it goes on,
// and which approvals count. What this machine began was agreed to when it began.
import { Effect } from "effect"
import type { Contract } from "../../domain/Contract.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { unproven, type Proving } from "../../engine/people/Witness.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { Host } from "../Host.ts"
import type { Settings } from "../settings/runSettings.ts"
import { requirementsOf, type Requirements } from "./requirements.ts"
import { foreign, type Origin } from "./TrustStore.ts"

export const directoryOf = (baseDir: string, runId: string): string => `${baseDir}/runs/${runId}`

export const originOf = Effect.fnUntraced(function* (baseDir: string, runId: string) {
  const { trust } = yield* Host
  return (yield* trust.originOf(directoryOf(baseDir, runId), runId)) ?? foreign
})

/** What this machine can prove of a run. `own` absent: nobody has asked. */
export interface Proven {
  readonly own?: boolean
  readonly witness?: Proving | undefined
}

export const provenIn = Effect.fnUntraced(function* (runId: RunId) {
  const { trust } = yield* Host
  const dir = (yield* Journal).directory(runId)
  const own = (yield* trust.originOf(dir, runId))?.own === true
  const proven: Proven = { own, witness: yield* trust.witness }
  return proven
})

/** What is told of a run that this machine cannot prove to have made, and of approvals that nobody gave here. */
export interface Provenance {
  readonly madeElsewhere?: true
  readonly unprovenApprovals?: ReadonlyArray<string>
}

export const provenance = (
  { own, witness }: Proven,
  { runId, state }: Pick<RunJournal, "runId" | "state">
): Provenance => {
  const items = unproven(witness, runId, state().questions.values())
  return {
    ...(own === false ? { madeElsewhere: true } : {}),
    ...(items.length === 0 ? {} : { unprovenApprovals: items })
  }
}

export const madeElsewhere = "made elsewhere, as far as this machine can prove"

/** The same for people. */
export const provenanceText = (told: Provenance): ReadonlyArray<string> => [
  ...(told.madeElsewhere === undefined ? [] : [madeElsewhere]),
  ...(told.unprovenApprovals === undefined
    ? []
    : [
        `${told.unprovenApprovals.join(", ")}: nothing proves that this was given here; what would still act by it is asked again`
      ])
]

/**
 * Writes down where a run comes from, as its first event of this process tells: begun here, or gone on with. Before
 * that event nothing of it was written here.
 */
export const claimAs =
  (trust: Host["Service"]["trust"], baseDir: string, runId: string | undefined, origin: Origin) =>
  (event: RunEvent): Effect.Effect<void> => {
    const claim = (id: string, of: Origin) => trust.claim(directoryOf(baseDir, id), id, of)
    if (event.type === "RunStarted") return claim(event.runId, { own: true, foreignUntil: 0 })
    if (runId === undefined || (event.type !== "RunResumed" && event.type !== "RunReopened"))
      return Effect.void
    const foreignUntil = Math.min(origin.foreignUntil, event.seq - 1)
    return claim(runId, { own: origin.own, foreignUntil })
  }

/** What the run has kept, without the approvals that were given beforehand elsewhere. */
export const countingOnly = <Kept extends Settings>(origin: Origin, stored: Kept): Kept => {
  if (origin.own) return stored
  const { approve: _, ...kept } = stored.kept
  return { ...stored, kept }
}

/** What a run is gone on with: what it has kept, and what the command line says now. */
export interface GoneOn {
  readonly origin: Origin
  readonly contract: Contract | undefined
  readonly stored: Settings
  readonly given: Settings
  readonly hermetic: boolean
}

/** Addresses that the run has kept and that nobody names now. */
const keptUrls = (stored: Settings["kept"], given: Settings["kept"]): Readonly<Record<string, string>> => ({
  ...(stored.baseUrl === undefined || given.baseUrl !== undefined
    ? {}
    : { "the default model": stored.baseUrl }),
  ...Object.fromEntries(
    Object.entries(stored.baseUrls ?? {}).filter(([provider]) => given.baseUrls?.[provider] === undefined)
  )
})

/** What has to be trusted before the run goes on. A hermetic run calls nobody. */
export const requirementsOfRun = ({ contract, given, hermetic, origin, stored }: GoneOn): Requirements => {
  const config = given.config ?? stored.config
  if (origin.own) {
    return requirementsOf({ config: hermetic || config === stored.config ? undefined : config })
  }
  return requirementsOf({
    contract,
    ...(hermetic ? {} : { config, keptUrls: keptUrls(stored.kept, given.kept) })
  })
}
