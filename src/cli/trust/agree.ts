// Trust is given once for each content, by a person who was shown it: at a terminal they are asked, elsewhere `--trust`
// or ALEMBIC_TRUST names the hash of what was shown. `--yes` agrees to spending, and to nothing else.
import { Effect } from "effect"
import { Prompt } from "effect/cli"
import type { RunErrorInfo } from "../../domain/run/RunEvent.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"
import { trustText } from "../render/trustText.ts"
import { hashOf, needsNothing, type Requirements } from "./requirements.ts"

/** Hashes that the environment names, apart by spaces or commas. */
const named = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(/[\s,]+/).filter((word) => word !== "")

export interface Asked {
  readonly requirements: Requirements
  /** `--trust`. */
  readonly given: ReadonlyArray<string>
  /** What to type, to which `--trust HASH` is added. */
  readonly again: string
}

const refusal = (message: string, cure: string): RunErrorInfo => ({ code: "not_trusted", message, cure })

/** Why nothing may be begun, if so. What is agreed to is kept, so that it is asked once. */
export const agree = Effect.fnUntraced(function* ({ again, given, requirements }: Asked) {
  if (needsNothing(requirements)) return undefined
  const host = yield* Host
  const output = yield* Output
  const { trust } = host
  const hash = hashOf(requirements)
  if (yield* trust.isTrusted(hash)) return undefined
  if ([...given, ...named(host.environment("ALEMBIC_TRUST"))].includes(hash)) {
    yield* trust.trust(hash)
    return undefined
  }
  yield* output.note(trustText(requirements, hash, output.style))
  const cure = `${again} --trust ${hash}`
  if (!host.terminal.canAsk || output.json) {
    const [taken] = requirements.runs ?? []
    return taken === undefined
      ? refusal("commands and addresses of a file are not trusted yet, and nobody is here to be asked", cure)
      : refusal(
          `nothing proves that this machine made ${taken.runId} (${taken.status}): its answers, gates and end are taken for this machine's own only if you agree`,
          `${cure}, or --fresh for a run of your own`
        )
  }
  const asked = Prompt.run(Prompt.Confirm({ message: "Do you trust this?", initial: false }))
  if (!(yield* Effect.orElseSucceed(asked, () => false))) return refusal("nothing was started", cure)
  yield* trust.trust(hash)
  return undefined
})
