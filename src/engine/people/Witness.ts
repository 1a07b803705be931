// Witness: proof that a person's word was written by this machine. A log is a file like any other: a line in it that
// says `approve` may be put there by whoever can write to the folder. So what is said to a question carries a MAC under a
// key that only this user has, and an approval without a valid one lets nothing act: it is asked again.
//
// Where there is no witness (the library, tests that bring none) nothing is signed, and whatever the log says counts:
// whoever embeds the engine answers for the folder.
import { Context, Effect } from "effect"
import { defined } from "../../domain/defined.ts"
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { RunEventBody, RunEventOf } from "../../domain/run/RunEvent.ts"

/** What is signed: the answer, and all that it is an answer to. */
export interface Said {
  readonly runId: string
  readonly item: string
  readonly kind: RunEventOf<"QuestionAsked">["kind"]
  readonly key: string
  readonly occurrence: number
  /** Of an approval: fingerprint of what is approved. */
  readonly hash: string | null
  readonly answer: Json
}

export interface Proving {
  /** The MAC of what was said; undefined where there is no key, so that it will be asked again. */
  readonly sign: (said: Said) => string | undefined
  readonly holds: (said: Said, mac: string | undefined) => boolean
}

export const Witness = Context.Reference<Proving | undefined>("alembic/engine/Witness", {
  defaultValue: () => undefined
})

type Asked = RunEventOf<"QuestionAsked">
type AnswerBody = Extract<RunEventBody, { readonly type: "QuestionAnswered" }>

const saidTo = (runId: string, { hash, item, key, kind, occurrence }: Asked, answer: Json): Said => ({
  runId,
  item,
  kind,
  key,
  occurrence,
  hash: hash ?? null,
  answer
})

/** The MAC of an answer, as a member of what holds it. */
export const signed = Effect.fnUntraced(function* (runId: string, asked: Asked | undefined, answer: Json) {
  const witness = yield* Witness
  const mac = asked === undefined ? undefined : witness?.sign(saidTo(runId, asked, answer))
  return defined({ mac })
})

/** An answer as an event, signed. */
export const answered = Effect.fnUntraced(function* (
  runId: string,
  asked: Asked | undefined,
  answer: Omit<AnswerBody, "type" | "mac">
) {
  return { type: "QuestionAnswered" as const, ...answer, ...(yield* signed(runId, asked, answer.answer)) }
})

/** Whether that answer counts: it is no approval, or this machine wrote it. */
export const counts = (
  witness: Proving | undefined,
  runId: string,
  asked: Asked,
  said: { readonly answer: Json; readonly mac?: string }
): boolean =>
  witness === undefined ||
  asked.kind !== "approval" ||
  witness.holds(saidTo(runId, asked, said.answer), said.mac)

/** Approvals of a run that nobody is known to have given here, by item. */
export const unproven = (
  witness: Proving | undefined,
  runId: string,
  questions: Iterable<{ readonly event: Asked; readonly answer?: Json; readonly mac?: string }>
): ReadonlyArray<string> =>
  [...questions].flatMap(({ answer, event, mac }) =>
    answer === undefined || counts(witness, runId, event, { answer, ...defined({ mac }) }) ? [] : [event.item]
  )
