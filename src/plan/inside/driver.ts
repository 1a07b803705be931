// driver: the plan's side of a turn. The host starts the plan, settles answers, and asks how things stand; this
// never throws to the host. Evaluated inside the plan's context: see intrinsics.ts.
import type { FanOut } from "./fanOut.ts"
import type { Forbid } from "./forbid.ts"
import type { Intrinsics } from "./intrinsics.ts"
import type { PackageLines } from "./packages/callers.ts"
import type { PackageGlobals } from "./packages/packageGlobals.ts"
import type { PlainJson, Seen } from "./plainJson.ts"
import type { Ending, Recorder } from "./record.ts"

/** What a prelude brings: the modules plans import, and how an Effect is run on the recorder. */
export interface PreludeModule {
  readonly modules: { readonly [name: string]: unknown }
  readonly isEffect: (value: unknown) => boolean
  readonly run: (program: unknown, bridge: unknown, seed: string) => Promise<unknown>
}

/** What the host holds. Numbers and strings in, numbers and strings out. */
export interface Inside {
  readonly prelude: (module: PreludeModule) => void
  /** `packages`: PackageLines of the script, as JSON text. */
  readonly startModule: (plan: unknown, path: string, input: string, packages: string) => void
  readonly startWorkflow: (script: unknown, nested: ReadonlyArray<unknown>, input: string) => void
  readonly isPending: (n: number) => boolean
  readonly settle: (n: number, json: string) => void
  /** Runs the oldest job that waits for the plan to be quiet; false if none does. */
  readonly runDue: () => boolean
  /** Remembers a lost rejection; `describeLost` says what it was. */
  readonly lost: (reason: unknown) => void
  readonly describeLost: () => void
  /** 0: waiting, 1: returned, 2: failed, 3: waiting for nothing. */
  readonly standing: () => number
  readonly seal: () => void
  readonly result: () => string | undefined
  /** What there is to say of the result, a list of strings as JSON text. */
  readonly notices: () => string
  readonly ending: () => string
  readonly takeRequests: () => string
  readonly takeSeen: () => Seen | undefined
  readonly refuse: (code: string, message: string) => void
}

export const driver = (
  own: Intrinsics,
  plain: PlainJson,
  recorder: Recorder,
  guard: Forbid,
  fan: FanOut,
  hooks: object,
  bridge: object,
  raced: () => boolean,
  packages: PackageGlobals,
  workflowOf: (input: unknown, nested: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
): Inside => {
  const { member, parse, stringify, functionText, freeze, getPrototypeOf, startsWith, text } = own
  const { TypeError: OwnTypeError } = own
  const generatorPrototype: unknown = getPrototypeOf(function* () {})
  const asyncGeneratorPrototype: unknown = getPrototypeOf(async function* () {})

  let prelude: PreludeModule | undefined
  let state: "running" | "returned" | "failed" = "running"
  let result: string | undefined
  let notices = "[]"
  let asEffect = false
  let lost: { readonly reason: unknown } | undefined

  const deepFreeze = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    const keys = own.ownKeys(value)
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]
      if (key !== undefined) deepFreeze(own.read(value, key))
    }
    return freeze(value)
  }

  const fail = (ending: Ending): void => {
    recorder.end(ending)
    state = "failed"
  }

  const threw = (error: unknown): void => {
    const message = fan.messageOf(error)
    const name = member(error, "name")
    // A failed Effect says what the same program says in process.
    const isError = !asEffect && typeof name === "string" && name !== "Error" && name !== ""
    fail(
      guard.reading(error) ?? {
        code: "plan_error",
        message: isError ? `${name}: ${message}` : message,
        site: plain.placeOf(error) ?? recorder.siteOf(error)
      }
    )
  }

  const returned = (value: unknown): void => {
    try {
      if (value !== undefined) {
        const text = plain.resultJson(value)
        result = text.json
        notices = text.notices
      }
      state = "returned"
    } catch (error) {
      fail({ code: "result_not_json", message: fan.messageOf(error), site: plain.placeOf(error) })
    }
  }

  const settled = (work: () => Promise<unknown>): void => {
    own.then(work(), returned, threw)
  }

  const notRun = (path: string, why: string): void =>
    fail({ code: "no_run", message: `plan module ${path} must export a run(hooks) function${why}` })

  const whyNotCallable = (run: unknown): string | undefined => {
    if (typeof run !== "function")
      return run === undefined ? "" : `: run is ${text(typeof run)}, not a function`
    const prototype: unknown = getPrototypeOf(run)
    if (prototype === generatorPrototype) return ": run is a generator"
    if (prototype === asyncGeneratorPrototype) return ": run is an async generator"
    if (startsWith(functionText(run), "class")) return ": run is a class"
    return undefined
  }

  const startModule = (plan: unknown, path: string, inputJson: string, lines: string): void => {
    const input: unknown = deepFreeze(parse(inputJson))
    const asked = member(input, "goal")
    const goal = typeof asked === "string" ? asked : ""
    const known: ReadonlyArray<PackageLines> = parse(lines)
    const given = packages.begin(path, goal, known, threw)
    const isEffect = (value: unknown): boolean => prelude !== undefined && prelude.isEffect(value)
    const runEffect = (program: unknown): Promise<unknown> => {
      if (prelude === undefined) throw new OwnTypeError("an Effect without its prelude")
      asEffect = true
      return prelude.run(program, bridge, goal)
    }
    settled(async () => {
      if (typeof plan !== "function") throw new OwnTypeError("not a plan")
      const module: unknown = await plan(prelude?.modules, guard.deny, given)
      const run = member(module, "run")
      if (isEffect(run)) return runEffect(run)
      const why = whyNotCallable(run)
      if (why !== undefined || typeof run !== "function") {
        notRun(path, why ?? "")
        return undefined
      }
      const value: unknown = run(hooks, input)
      if (isEffect(value)) return runEffect(value)
      const answer: unknown = await value
      return isEffect(answer) ? runEffect(answer) : answer
    })
  }

  const startWorkflow = (script: unknown, nested: ReadonlyArray<unknown>, inputJson: string): void => {
    const globals = workflowOf(parse(inputJson), nested)
    settled(async () => {
      if (typeof script !== "function") throw new OwnTypeError("not a script")
      return await own.apply(script, undefined, globals)
    })
  }

  const standing = (): number => {
    if (recorder.ending() !== undefined || state === "failed") return 2
    if (state === "returned") return 1
    return recorder.pendingCount() > 0 ? 0 : 3
  }

  /** Nothing more will come: what is left over decides how the run ended. */
  const seal = (): void => {
    const floating = recorder.firstUnawaited()
    const waiting = recorder.firstPending()
    const stands = standing()
    if (stands === 3) {
      const last = recorder.lastAnswered()
      const after =
        last === undefined ? "no call was made" : `the last call, ${last.verb} #${last.n}, is answered`
      fail({
        code: "plan_stalled",
        message: `the plan waits for something that cannot happen: no call is pending (${after})`,
        site: last?.site
      })
    } else if (stands === 1) {
      if (floating !== undefined) {
        fail({ code: "hook_pending", message: `\`${floating.verb}\` is not awaited`, site: floating.site })
      } else if (waiting !== undefined && !raced()) {
        const message = `\`${waiting.verb}\` is still pending when run returns: await it`
        fail({ code: "hook_pending", message, site: waiting.site })
      } else {
        recorder.cancelAll()
      }
    }
    recorder.close()
  }

  const describeLost = (): void => {
    if (lost === undefined) return
    const { reason } = lost
    const already = recorder.ending()
    if (already !== undefined) return
    fail(
      guard.reading(reason) ?? {
        code: "unhandled_rejection",
        message: `a promise was rejected and nobody looked: ${fan.messageOf(reason)}`,
        site: recorder.siteOf(reason)
      }
    )
  }

  return {
    prelude: (module) => {
      prelude = module
    },
    startModule: (plan, path, input, lines) => startModule(plan, path, input, lines),
    startWorkflow: (script, nested, input) => startWorkflow(script, nested, input),
    isPending: (n) => recorder.isPending(n),
    settle: (n, json) => {
      const entry = recorder.take(n)
      if (entry !== undefined) entry.settle(parse(json))
    },
    runDue: () => state === "running" && recorder.ending() === undefined && packages.runDue(),
    lost: (reason) => {
      lost = { reason }
    },
    describeLost,
    standing,
    seal,
    result: () => result,
    notices: () => notices,
    ending: () => {
      const how = recorder.ending()
      if (how === undefined) return "{}"
      const part = (name: string, value: string | undefined): string =>
        value === undefined ? "" : `,"${name}":${stringify(own.toWellFormed(value))}`
      const site = how.site === undefined ? "" : `,"site":${recorder.siteJson(how.site)}`
      const shown = `{"code":${stringify(how.code)}${part("message", own.slice(how.message, 0, 4000))}`
      return `${shown}${part("construct", how.construct)}${part("instead", how.instead)}${site}}`
    },
    takeRequests: () => recorder.takeRequests(),
    takeSeen: () => plain.takeSeen(),
    refuse: (code, message) => fail({ code, message })
  }
}
