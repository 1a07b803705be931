// askHere: a run that waits for a person asks them where they sit, and goes on. What is asked is text from outside: it is
// shown through Output, and never drawn by the prompt itself.
import { Effect } from "effect"
import { Prompt } from "effect/cli"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunId } from "../../domain/run/RunSpec.ts"
import type { RunSummary } from "../../domain/run/RunSummary.ts"
import { Journal } from "../../journal/Journal.ts"
import { fromJournal } from "../CommandError.ts"
import { Host } from "../Host.ts"
import { Output } from "../Output.ts"
import { harmless } from "../terminal/harmless.ts"
import { clip } from "../terminal/style.ts"
import { answerNow, pendingQuestions, readAnswer, type WaitingItem } from "./waitingItems.ts"

/** What a person can end by a word; an outage or a full disk they cannot. */
const forPeople: ReadonlySet<string> = new Set(["question", "approval", "in_doubt"])

const later = Symbol("later")

/** What they say; undefined: not now. */
const ask = (item: WaitingItem): Effect.Effect<Json | undefined, never, Prompt.Environment> => {
  const { choices = [] } = item
  const asked: Effect.Effect<Json | typeof later, unknown, Prompt.Environment> =
    choices.length > 0
      ? Prompt.run(
          Prompt.Select<Json | typeof later>({
            message: "Your answer",
            choices: [
              ...choices.map((choice) => ({ title: clip(harmless(choice), 60), value: choice })),
              { title: "not now", value: later }
            ]
          })
        )
      : Effect.flatMap(
          Prompt.run(Prompt.String({ message: "Your answer (empty: not now)" })),
          (text): Effect.Effect<Json | typeof later> =>
            text === "" ? Effect.succeed(later) : readAnswer(text, item)
        )
  // Whoever answers with Ctrl-C has answered: not now.
  return Effect.map(
    Effect.orElseSucceed(asked, () => later),
    (answer) => (typeof answer === "symbol" ? undefined : answer)
  )
}

/** Asks all that the run waits for. True: every answer was given, so that the run can go on. */
const askAll = Effect.fnUntraced(function* (runId: RunId) {
  const output = yield* Output
  const items = (yield* pendingQuestions(runId)).filter(({ kind }) => kind !== "wait")
  for (const item of items) {
    yield* output.note(`${output.style.yellow("?")} ${item.item}: ${item.text}`)
    const answer = yield* ask(item)
    if (answer === undefined) return false
    const refused = yield* answerNow(
      runId,
      item.item,
      answer,
      item.kind === "approval" ? "approval" : undefined
    ).pipe(
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(error))
    )
    if (refused !== undefined) {
      yield* output.note(`${output.style.red("not taken")}: ${refused.message}`)
      return false
    }
  }
  return items.length > 0
})

/** Whether what the run waits for was answered here and now, so that it can go on. */
export const answeredHere = Effect.fnUntraced(function* ({ runId, status, suspended }: RunSummary) {
  const host = yield* Host
  const output = yield* Output
  const canAsk = host.terminal.canAsk && !output.json && !output.plain
  if (!canAsk || runId === undefined || status !== "suspended" || !forPeople.has(suspended?.reason ?? ""))
    return false
  const store = yield* Journal
  return yield* askAll(yield* Effect.mapError(store.runId(runId), fromJournal))
})
