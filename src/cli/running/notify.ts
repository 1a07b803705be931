// notify: tells whoever has gone away that a run has ended or waits: by the terminal's bell, or a command of theirs.
import { Effect, Option } from "effect"
import { decodeConfigText } from "../../adapters/registry/Config.ts"
import type { RunStatus } from "../../domain/run/RunStatus.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"

export interface Notifying {
  /** `bell`, or a command line. */
  readonly by: string
  /** It stands in a file: it does nothing before that file is trusted. */
  readonly isFromFile: boolean
}

/** The flag goes before `notify` of alembic.json. */
export const notifyingOf = (
  flag: Option.Option<string>,
  config: string | undefined
): Notifying | undefined => {
  if (Option.isSome(flag)) return { by: flag.value, isFromFile: false }
  const by = config === undefined ? undefined : Option.getOrUndefined(decodeConfigText(config))?.notify
  return by === undefined ? undefined : { by, isFromFile: true }
}

/** Ends that nobody has gone away from: nothing was begun, or the person stopped it. */
const unremarkable: ReadonlySet<RunStatus> = new Set(["invalid", "locked", "interrupted"])

/** Says so, if there is something to say. A notice that fails changes nothing of the run, and is told. */
export const notify = Effect.fnUntraced(function* (
  { by, isFromFile }: Notifying,
  summary: RunSummary,
  isTrusted: boolean
) {
  if (unremarkable.has(summary.status) || (isFromFile && !isTrusted)) return
  const host = yield* Host
  const output = yield* Output
  if (by === "bell") return yield* host.bell
  const { dir = "", runId = "", spentUsd, status } = summary
  const problem = yield* host.notice(by, {
    ALEMBIC_RUN: runId,
    ALEMBIC_STATUS: status,
    ALEMBIC_SPENT_USD: String(spentUsd),
    ALEMBIC_DIR: dir
  })
  if (problem !== undefined)
    yield* output.note(`the notice ${JSON.stringify(by.slice(0, 60))} failed: ${problem}`)
})
