// h.council inside a run: the debate of council/, whose every statement and vote is a call of the run. Boards in
// place or by the name they have in the configuration (resolved before, so that the board is part of the identity).
import { Effect, Result, Schema } from "effect"
import { debate, type DebatePorts } from "../../council/Debate.ts"
import { decodeBoard } from "../../council/loadBoard.ts"
import { CouncilSpec } from "../../council/Pack.ts"
import { asGiven, type Evidence } from "../../verifier/Evidence.ts"
import { Verdict } from "../../council/Verdict.ts"
import type { Subflow, SubflowContext } from "./Subflow.ts"
import { subflowFailure } from "./subflowFailure.ts"

const decodeSpec = Schema.decodeUnknownResult(CouncilSpec, { onExcessProperty: "error", errors: "all" })
const encodeVerdict = Schema.encodeUnknownSync(Schema.toCodecJson(Verdict))

/** How a debate in a subflow asks: its board's budget is a part of the run's. */
export const askingWithin =
  (context: SubflowContext): DebatePorts["ask"] =>
  (call, budget) =>
    context.ask(
      call,
      budget?.usd === undefined
        ? undefined
        : { part: "council", name: "the board's budget", caps: { usd: budget.usd } }
    )

/**
 * What members read, and what their claims are held against: a command counts where the run's journal says that it
 * ran, and not where the plan does.
 */
const evidenceOf = Effect.fnUntraced(function* (given: CouncilSpec["evidence"], context: SubflowContext) {
  const shown: Array<Evidence> = []
  const judged: Array<Evidence> = []
  for (const piece of given ?? []) {
    const isProof = piece.kind === "proof"
    const evidence = isProof ? yield* context.proof(piece.proof, piece.id) : piece
    shown.push(evidence)
    judged.push(isProof ? evidence : asGiven(evidence))
  }
  return { shown, judged }
})

export const councilSubflow: Subflow = (spec, context) => {
  const decoded = decodeSpec(spec)
  if (Result.isFailure(decoded))
    return Effect.succeed(subflowFailure("council", "invalid_input", decoded.failure.message))
  const { board: given, evidence, ...pack } = decoded.success
  // A name that is known was put in place of its board before.
  if (typeof given === "string") {
    const message = `there is no board "${given.slice(0, 80).toWellFormed()}"; alembic.json's boards name them`
    return Effect.succeed(subflowFailure("council", "unknown_board", message))
  }
  const board = decodeBoard(given)
  if (Result.isFailure(board)) {
    const { code, message } = board.failure
    return Effect.succeed(subflowFailure("council", code, message))
  }
  return Effect.gen(function* () {
    const { judged, shown } = yield* evidenceOf(evidence, context)
    const verdict = yield* debate(
      board.success,
      { ...pack, ...(evidence === undefined ? {} : { evidence: shown }) },
      {
        ask: askingWithin(context),
        rules: context.rules,
        record: (kind, failure) => context.record(kind, { ...failure }),
        evidence: judged
      }
    )
    return encodeVerdict(verdict)
  })
}
