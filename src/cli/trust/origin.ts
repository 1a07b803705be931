// Where a run comes from, as a command finds it, and what follows from that: what has to be trusted before it goes on,
// and which approvals count. What this machine began was agreed to when it began.
import { Effect } from "effect"
import type { Contract } from "../../domain/Contract.ts"
import { defined } from "../../domain/defined.ts"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import { unproven, type Proving } from "../../engine/people/Witness.ts"
import { Journal } from "../../journal/Journal.ts"
import type { RunJournal } from "../../journal/RunJournal.ts"
import { fromJournal } from "../CommandError.ts"
import { Host } from "../Host.ts"
import type { Settings } from "../settings/runSettings.ts"
import { requirementsOf, type Requirements } from "./requirements.ts"
import { foreign, type Origin } from "./TrustStore.ts"

/** Where the run comes from. One whose log was rewritten since this machine left it is like any that came from elsewhere. */
export const originOf = Effect.fnUntraced(function* (runId: RunId) {
  const { trust } = yield* Host
  const store = yield* Journal
  const origin = yield* trust.originOf(store.directory(runId), runId)
  if (origin?.head === undefined) return origin ?? foreign
  const left = yield* Effect.mapError(store.hasHead(runId, origin.head), fromJournal)
  return left ? origin : foreign
})

/** What this machine can prove of a run. `own` absent: nobody has asked. */
export interface Proven {
  readonly own?: boolean
  readonly witness?: Proving | undefined
}

export const provenIn = Effect.fnUntraced(function* (runId: RunId) {
  const { trust } = yield* Host
  const { own } = yield* originOf(runId)
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

export const madeElsewhere = "made elsewhere, or changed since it was left, as far as this machine can prove"

/** The same for people. */
export const provenanceText = (told: Provenance): ReadonlyArray<string> => [
  ...(told.madeElsewhere === undefined ? [] : [madeElsewhere]),
  ...(told.unprovenApprovals === undefined
    ? []
    : [
        `${told.unprovenApprovals.join(", ")}: nothing proves that this was given here; what would still act by it is asked again`
      ])
]

/** Whoever runs a run: it writes down where it comes from, and where its log ends when its process leaves it in order. */
export interface Claiming {
  /** As the first event of this process tells: begun here, or gone on with. Before it nothing was written here. */
  readonly claim: (event: RunEvent) => Effect.Effect<void>
  readonly leave: Effect.Effect<void>
}

export const claiming = Effect.fnUntraced(function* (run: RunId | undefined, origin: Origin) {
  const { trust } = yield* Host
  const store = yield* Journal
  let claimed: { readonly runId: RunId; readonly origin: Origin } | undefined
  const claim = (runId: RunId, origin: Origin) =>
    Effect.suspend(() => {
      claimed = { runId, origin }
      return trust.claim(store.directory(runId), runId, origin)
    })
  const begins = (event: RunEvent) =>
    Effect.ignore(
      Effect.flatMap(store.runId(event.type === "RunStarted" ? event.runId : ""), (runId) =>
        claim(runId, { own: true, foreignUntil: 0 })
      )
    )
  const goesOn = (runId: RunId, { seq }: RunEvent) => {
    const before = seq - 1
    const { head, knownFrom = 0, own } = origin
    // A process that was killed, or anybody, wrote what stands between the head and here.
    const known = head?.seq === before ? knownFrom : before
    return claim(runId, {
      own,
      foreignUntil: Math.min(origin.foreignUntil, before),
      ...defined({ head }),
      ...(known === 0 ? {} : { knownFrom: known })
    })
  }
  const made: Claiming = {
    claim: (event) =>
      event.type === "RunStarted"
        ? begins(event)
        : run !== undefined &&
            claimed === undefined &&
            (event.type === "RunResumed" || event.type === "RunReopened")
          ? goesOn(run, event)
          : Effect.void,
    leave: Effect.suspend(() => {
      if (claimed === undefined) return Effect.void
      const { origin, runId } = claimed
      return Effect.ignore(
        Effect.flatMap(store.head(runId), (head) =>
          head === undefined ? Effect.void : claim(runId, { ...origin, head })
        )
      )
    })
  }
  return made
})

/**
 * An answer was journaled for a run at rest, whose log ended at `lastSeq` before. Where that was as a process had left it,
 * the log is in order behind the answer too: an answer that is given here is no gap in what is known.
 */
export const claimAnswered = Effect.fnUntraced(
  function* (runId: RunId, origin: Origin, lastSeq: number) {
    if (origin.head?.seq !== lastSeq) return
    const { trust } = yield* Host
    const store = yield* Journal
    const head = yield* store.head(runId)
    if (head !== undefined) yield* trust.claim(store.directory(runId), runId, { ...origin, head })
  },
  (claimed) => Effect.ignore(claimed)
)

/**
 * The end of an own run's log was given up by the person here: it is their own still, and goes on unasked. What is left
 * of it is known to nobody, so that no claim rests on it.
 */
export const claimRepaired = Effect.fnUntraced(
  function* (runId: RunId) {
    const { trust } = yield* Host
    const store = yield* Journal
    const origin = yield* trust.originOf(store.directory(runId), runId)
    if (origin?.head === undefined) return
    const lastSeq = yield* Effect.scoped(
      Effect.map(store.open(runId, "read"), (journal) => journal.state().lastSeq)
    )
    const { foreignUntil, own } = origin
    yield* trust.claim(store.directory(runId), runId, { own, foreignUntil, knownFrom: lastSeq })
  },
  (claimed) => Effect.ignore(claimed)
)

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
