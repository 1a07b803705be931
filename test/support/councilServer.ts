// A real protocol server for debates (aimock, OpenAI-compatible): it answers by model and phase, counts what it is
// asked, and can leave a member without an answer. And what the journal of a run says was answered.
import { LLMock } from "@copilotkit/aimock"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { statement, vote } from "../council/script.ts"

export const phaseOf = (prompt: string): string => /Your task \((\w+)\)/.exec(prompt)?.[1] ?? ""

/** What a member that does as it is asked answers. */
export const good = (phase: string): string =>
  JSON.stringify(
    phase === "ballot"
      ? vote(8, ["o-1"])
      : statement("GO", phase === "contrarian" ? { objections: ["nobody has asked the users"] } : {})
  )

/** A text, an error, or never anything. */
export type Answer = string | { readonly status: number } | "never"

type Request = Parameters<Extract<Parameters<LLMock["on"]>[1], (...args: never) => unknown>>[0]
const textOf = ({ content }: Request["messages"][number]): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("")

/** All that was sent, so that members are told apart: system and prompt. */
const sentOf = ({ messages }: Request): string => messages.map(textOf).join("\n")

/** Answers by model and phase, and is told what it was asked. */
export const councilServer = (
  answer: (model: string, phase: string) => Answer,
  heard: (sent: string) => void = () => {}
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const mock = new LLMock({ port: 0, logLevel: "silent" })
      mock.on({}, (request) => {
        const sent = sentOf(request)
        heard(sent)
        const given = answer(request.model, phaseOf(sent))
        if (given === "never") return new Promise(() => {})
        return typeof given === "string"
          ? { content: given }
          : { error: { message: "overloaded", type: "server_error" }, status: given.status }
      })
      await mock.start()
      return mock
    }),
    (mock) => Effect.promise(() => mock.stop())
  )

/** Calls (system and prompt) whose answers stand in the journal of the one run in a base directory, in whole lines. */
export const journaledIn = (base: string): ReadonlyArray<string> => {
  const runs = join(base, "runs")
  return readdirSync(runs).flatMap((run) => {
    const events = readFileSync(join(runs, run, "events.jsonl"), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    const prompts = new Map(
      events
        .filter(({ type }) => type === "CallScheduled")
        .map(({ call, key, occurrence }) => [`${key}#${occurrence}`, `${call.system}\n${call.prompt}`])
    )
    return events
      .filter(({ type }) => type === "CallCompleted")
      .flatMap(({ key, occurrence }) => prompts.get(`${key}#${occurrence}`) ?? [])
  })
}
