// The table of commands: what each is for, and where it is. Only the commands that the arguments mention are loaded,
// so that help costs nothing. A new command is one file in commands/ and one line here.
import type { CommandModule } from "./defineCommand.ts"

export interface CommandEntry {
  readonly about: string
  readonly group: "Runs" | "Plans" | "Models" | "Waiting items" | "Keeping house"
  readonly load: () => Promise<{ readonly default: CommandModule }>
}

export const commandTable: Readonly<Record<string, CommandEntry>> = {
  init: {
    about: "Begin: a goal and a commented plan that runs as it is",
    group: "Plans",
    load: () => import("./commands/keeping/init.ts")
  },
  check: {
    about: "Check plans for what would make them differ on a second run",
    group: "Plans",
    load: () => import("./commands/checking/check.ts")
  },
  run: {
    about: "Run a plan, or go on with its run where it stopped",
    group: "Runs",
    load: () => import("./commands/running/run.ts")
  },
  resume: {
    about: "Go on with a run from its own directory",
    group: "Runs",
    load: () => import("./commands/running/resume.ts")
  },
  fork: {
    about: "Run again with one call changed; only what depends on it is made",
    group: "Runs",
    load: () => import("./commands/running/fork.ts")
  },
  replay: {
    about: "Run a plan again on its journal alone, for nothing",
    group: "Runs",
    load: () => import("./commands/running/replay.ts")
  },
  test: {
    about: "Replay frozen runs on the plan of today, or freeze one",
    group: "Plans",
    load: () => import("./commands/checking/test.ts")
  },
  list: { about: "The runs there are", group: "Runs", load: () => import("./commands/looking/list.ts") },
  inspect: {
    about: "One run: phases, calls, cost",
    group: "Runs",
    load: () => import("./commands/looking/inspect.ts")
  },
  show: {
    about: "One call: what was asked, every attempt and answer",
    group: "Runs",
    load: () => import("./commands/looking/show.ts")
  },
  why: {
    about: "Why a run or a call ended as it did, and what leads on",
    group: "Runs",
    load: () => import("./commands/looking/why.ts")
  },
  diff: {
    about: "What differs between two runs, call by call",
    group: "Runs",
    load: () => import("./commands/looking/diff.ts")
  },
  report: {
    about: "One run as one file to hand on: a page, or Markdown",
    group: "Runs",
    load: () => import("./commands/looking/report.ts")
  },
  tail: {
    about: "Follow a run from another terminal",
    group: "Runs",
    load: () => import("./commands/looking/tail.ts")
  },
  serve: {
    about: "See all runs live in a browser, and answer them there",
    group: "Runs",
    load: () => import("./commands/looking/serve.ts")
  },
  council: {
    about: "Let a board debate a question, and hear its verdict",
    group: "Runs",
    load: () => import("./commands/running/council.ts")
  },
  "check-claims": {
    about: "Prove or refute claims from evidence, never from prose",
    group: "Plans",
    load: () => import("./commands/checking/checkClaims.ts")
  },
  ask: {
    about: "One guarded call of a model",
    group: "Models",
    load: () => import("./commands/running/ask.ts")
  },
  models: {
    about: "The models that are configured, their keys and prices",
    group: "Models",
    load: () => import("./commands/looking/models.ts")
  },
  doctor: {
    about: "Check this machine: Node, keys, disk",
    group: "Models",
    load: () => import("./commands/looking/doctor.ts")
  },
  trust: {
    about: "What a file's commands and addresses would use, and the hash that --trust takes",
    group: "Keeping house",
    load: () => import("./commands/answering/trust.ts")
  },
  questions: {
    about: "What runs are waiting for from a person",
    group: "Waiting items",
    load: () => import("./commands/looking/questions.ts")
  },
  answer: {
    about: "Answer a question of a run",
    group: "Waiting items",
    load: () => import("./commands/answering/answer.ts")
  },
  parked: {
    about: "Calls and approvals that runs are parked on",
    group: "Waiting items",
    load: () => import("./commands/looking/parked.ts")
  },
  approve: {
    about: "Approve a parked item of a run",
    group: "Waiting items",
    load: () => import("./commands/answering/approve.ts")
  },
  verify: {
    about: "Check a run's log, blobs and hashes for damage",
    group: "Keeping house",
    load: () => import("./commands/checking/verify.ts")
  },
  repair: {
    about: "Make what is derived from a log again, or cut a damaged log",
    group: "Keeping house",
    load: () => import("./commands/keeping/repair.ts")
  },
  gc: {
    about: "Remove old runs; a dry run unless told otherwise",
    group: "Keeping house",
    load: () => import("./commands/keeping/gc.ts")
  },
  export: {
    about: "One run as one archive file",
    group: "Keeping house",
    load: () => import("./commands/keeping/export.ts")
  },
  import: {
    about: "A run out of an archive",
    group: "Keeping house",
    load: () => import("./commands/keeping/import.ts")
  }
}

/** The commands that an argument list mentions; all of them where the built-in flags need to know all. */
export const mentioned = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = Object.keys(commandTable)
  const needsAll = args.some((arg) => /^--(?:wizard|completions)(?:=|$)/.test(arg))
  return needsAll ? names : names.filter((name) => args.includes(name))
}
