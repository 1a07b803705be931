// Supervision: two processes, so that a signal is heard whatever the command does. Node runs a signal's handler on the
// main thread, between two pieces of its work: while it works on one, nobody hears. So a command that has something to
// put away runs in a process of its own, the host, and the process that the person started, the supervisor, does
// nothing but hear signals. What they say to each other, and when the supervisor ends the host. Pure.
//
// Invariants:
// G1  A host that holds no signals has nothing to put away: the first signal ends it.
// G2  Where it holds them, the first signal is handed on to it, and nothing is ended.
// G3  A second signal ends it after `graceMs` at the latest, a third one at once.
// G4  After SIGTERM it ends within `termMs`, whatever it does.
// G5  A terminal sends a signal to both processes; heard by both it counts once.
// G6  A host that does not say within `answerMs` that it has heard the first signal is busy: the person is told.
// G7  A host that ends by itself decides the exit code, unless it was ended.
import { constants } from "node:os"

export const held = ["SIGINT", "SIGTERM"] as const
export type Held = (typeof held)[number]

const isHeld = (name: string): name is Held => name === "SIGINT" || name === "SIGTERM"

/** What a host that listens may take for killing what it has started. */
export const graceMs = 500
export const termMs = 5000
export const answerMs = 1000

/** The exit code of a process that a signal ended. */
export const signalExitCode = (signal: NodeJS.Signals): number => 128 + (constants.signals[signal] ?? 0)

/** What is said over the channel between the two, either way. `watch`: a process or group that dies with the host. */
export type Said =
  | { readonly _tag: "hold" }
  | { readonly _tag: "holding" }
  | { readonly _tag: "release" }
  | { readonly _tag: "heard" }
  | { readonly _tag: "signal"; readonly name: Held }
  | { readonly _tag: "watch" | "unwatch"; readonly target: number }

export const sayOf = (said: Said): string =>
  said._tag === "signal"
    ? `signal ${said.name}`
    : said._tag === "watch" || said._tag === "unwatch"
      ? `${said._tag} ${said.target}`
      : said._tag

/** Undefined for what neither of the two says. */
export const saidOf = (message: unknown): Said | undefined => {
  if (typeof message !== "string") return undefined
  const [t = "", rest = ""] = message.split(" ", 2)
  switch (t) {
    case "hold":
    case "holding":
    case "release":
    case "heard":
      return { _tag: t }
    case "signal":
      return isHeld(rest) ? { _tag: t, name: rest } : undefined
    case "watch":
    case "unwatch":
      // 0, 1 and -1 are not a host's to name: they mean this group, the first process, everybody.
      return Number.isSafeInteger(Number(rest)) && Math.abs(Number(rest)) > 1
        ? { _tag: t, target: Number(rest) }
        : undefined
    default:
      return undefined
  }
}

export interface Supervision {
  readonly holds: boolean
  /** How many signals each of the two has heard, and how many were acted on. */
  readonly bySupervisor: number
  readonly byHost: number
  readonly heard: number
  /** The host has said that it heard the first one. */
  readonly answered: boolean
  /** The code to end with, once a signal was heard. */
  readonly code: number | undefined
  readonly ended: boolean
}

export const unsignalled: Supervision = {
  holds: false,
  bySupervisor: 0,
  byHost: 0,
  heard: 0,
  answered: false,
  code: undefined,
  ended: false
}

export type Happened =
  | { readonly _tag: "hold" | "release" | "heard" | "silence" | "timeIsOver" }
  | { readonly _tag: "signal"; readonly name: Held; readonly at: "supervisor" | "host" }
  | { readonly _tag: "exited"; readonly code: number }

export type Action =
  /** Say it to the host. */
  | { readonly _tag: "tell"; readonly said: Said }
  /** `timeIsOver` after that many milliseconds, in place of an earlier limit. */
  | { readonly _tag: "limit"; readonly ms: number }
  /** `silence` after that many milliseconds. */
  | { readonly _tag: "listen"; readonly ms: number }
  /** Say it to the person. */
  | { readonly _tag: "note"; readonly text: string }
  /** Kill the host and all that it watches. */
  | { readonly _tag: "end" }
  | { readonly _tag: "exit"; readonly code: number }

const busy = "the run is busy with something; a second signal ends it at once, and what is journaled is safe"

type Step = readonly [Supervision, ReadonlyArray<Action>]

const ending = (state: Supervision): Step => [{ ...state, ended: true }, [{ _tag: "end" }]]

const signalled = (state: Supervision, name: Held): Step => {
  const heard = state.heard + 1
  const next = { ...state, heard, code: signalExitCode(name) }
  if (!state.holds || heard > 2) return ending(next)
  const tell: Action = { _tag: "tell", said: { _tag: "signal", name } }
  const ms = heard === 2 ? graceMs : name === "SIGTERM" ? termMs : undefined
  const listen: ReadonlyArray<Action> = heard === 1 ? [{ _tag: "listen", ms: answerMs }] : []
  const limit: ReadonlyArray<Action> = ms === undefined ? [] : [{ _tag: "limit", ms }]
  return [next, [tell, ...listen, ...limit]]
}

export const step = (state: Supervision, happened: Happened): Step => {
  if (happened._tag === "exited") {
    const code = state.ended ? (state.code ?? happened.code) : happened.code
    return [{ ...state, ended: true }, [{ _tag: "exit", code }]]
  }
  if (state.ended) return [state, []]
  switch (happened._tag) {
    case "hold":
      return [{ ...state, holds: true }, [{ _tag: "tell", said: { _tag: "holding" } }]]
    case "release":
      return [{ ...state, holds: false }, []]
    case "heard":
      return [{ ...state, answered: true }, []]
    case "silence":
      return [state, state.answered || state.heard > 1 ? [] : [{ _tag: "note", text: busy }]]
    case "timeIsOver":
      return ending(state)
    case "signal": {
      const bySupervisor = state.bySupervisor + (happened.at === "supervisor" ? 1 : 0)
      const byHost = state.byHost + (happened.at === "host" ? 1 : 0)
      const counted = { ...state, bySupervisor, byHost }
      return Math.max(bySupervisor, byHost) > state.heard ? signalled(counted, happened.name) : [counted, []]
    }
  }
}
