// h.council inside a run: the debate of council/, whose every statement and vote is a call of the run. Boards in
// place or by the name they have in the configuration (resolved before, so that the board is part of the identity).
import { Effect, Result, Schema } from "effect"
import { debate, type DebatePorts } from "../../council/Debate.ts"
import { decodeBoard } from "../../council/loadBoard.ts"
import { CouncilSpec } from "../../council/Pack.ts"
import type { Json } from "../../domain/canonicalJson.ts"
import { Verdict } from "../../council/Verdict.ts"
import type { Room, RoomContext } from "../Room.ts"
import { roomFailure } from "./roomFailure.ts"

const decodeSpec = Schema.decodeUnknownResult(CouncilSpec, { onExcessProperty: "error", errors: "all" })
const encodeVerdict = Schema.encodeUnknownSync(Schema.toCodecJson(Verdict))

/** How a debate in a room asks: its board's budget is a part of the run's. */
export const askingWithin =
  (context: RoomContext): DebatePorts["ask"] =>
  (call, budget) =>
    context.ask(
      call,
      budget?.usd === undefined
        ? undefined
        : { part: "council", name: "the board's budget", caps: { usd: budget.usd } }
    )

export const councilRoom: Room = (spec, context) => {
  const decoded = decodeSpec(spec)
  if (Result.isFailure(decoded))
    return Effect.succeed(roomFailure("council", "invalid_input", decoded.failure.message))
  const { board: given, ...pack } = decoded.success
  // A name that is known was put in place of its board before.
  if (typeof given === "string") {
    const message = `there is no board "${given.slice(0, 80).toWellFormed()}"; alembic.json's boards name them`
    return Effect.succeed(roomFailure("council", "unknown_board", message))
  }
  const board = decodeBoard(given)
  if (Result.isFailure(board)) {
    const { code, message } = board.failure
    return Effect.succeed(roomFailure("council", code, message))
  }
  return Effect.map(
    debate(board.success, pack, {
      ask: askingWithin(context),
      rules: context.rules,
      record: (kind, failure) => context.record(kind, { ...failure })
    }),
    (verdict): Json => encodeVerdict(verdict)
  )
}
