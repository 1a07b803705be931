// record: what the plan did since the host last looked (its requests), where it did it, and whether it has ended
// for good: a forbidden source was reached, or a limit passed. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"

/** A place in the script that runs, not yet in the author's source. */
export interface RawSite {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Limits {
  /** Calls without an answer at one time. */
  readonly pending: number
  /** Calls of the whole run. */
  readonly calls: number
  /** Phases and log lines of the whole run. */
  readonly notes: number
  /** Length of one list given to a fan-out. */
  readonly list: number
}

/** How a plan ended for good. The host turns `site` into the author's place. */
export interface Ending {
  readonly code: string
  readonly message: string
  readonly construct?: string
  readonly instead?: string
  readonly site?: RawSite | undefined
}

/** One call that waits for its answer. */
export interface Pending {
  readonly n: number
  readonly verb: string
  readonly site: RawSite | undefined
  readonly settle: (answer: unknown) => void
  /** Whether the run may return without its answer. */
  readonly mayBeLeft: boolean
}

/** A promise that the run may not return without. */
export interface Watched {
  readonly verb: string
  readonly site: RawSite | undefined
}

export const record = (own: Intrinsics, limits: Limits) => {
  const {
    stringify,
    captureStackTrace,
    Error: OwnError,
    mapGet,
    mapSet,
    mapDelete,
    mapForEach,
    weakGet,
    weakSet
  } = own
  const { startsWith, apply } = own
  const sites = new own.WeakMap<object, RawSite>()
  const pending = new own.Map<number, Pending>()
  const unawaited = new own.Map<number, Watched>()
  const callLimit = 30
  const mostCounted = 1e9
  const verbs: Record<string, boolean> = own.create(null)
  for (const verb of ["agent", "mission", "swarm", "council", "sleep"]) verbs[verb] = true

  let requests = ""
  let calls = 0
  let notes = 0
  let waiting = 0
  let watched = 0
  let ending: Ending | undefined
  let over = false
  let last: Pending | undefined

  interface CallSite {
    getFileName(): string | undefined
    getLineNumber(): number | null
    getColumnNumber(): number | null
  }

  /** A whole number as JSON, whatever it was given as: the plan may have put anything where one belongs. */
  const whole = (value: unknown, least: number): string =>
    typeof value === "number" && value >= least && value <= mostCounted && value % 1 === 0
      ? stringify(value)
      : stringify(least)

  const planSite = (frames: ReadonlyArray<CallSite>): RawSite | undefined => {
    for (let index = 0; index < frames.length; index++) {
      const frame = frames[index]
      const file = frame?.getFileName()
      // The plan may call this with frames of its own.
      if (frame === undefined || typeof file !== "string" || !startsWith(file, "plan:")) continue
      const line = frame.getLineNumber()
      const column = frame.getColumnNumber()
      if (typeof line === "number" && typeof column === "number") return { file, line, column }
    }
    return undefined
  }

  /** `Name: message`, which is all that an error's `stack` says inside: no paths, no frames. */
  const heading = (error: unknown): string => {
    const name = own.member(error, "name")
    const message = own.member(error, "message")
    const title = name === undefined ? "Error" : own.text(name)
    const rest = message === undefined ? "" : own.slice(own.text(message), 0, own.longestMessage)
    return rest === "" ? title : `${title}: ${rest}`
  }

  own.pin(OwnError, "prepareStackTrace", (error: object, frames: ReadonlyArray<CallSite>): string => {
    try {
      const site = planSite(frames)
      if (site !== undefined) weakSet(sites, error, site)
    } catch {
      // Called by the plan with whatever it likes.
    }
    return heading(error)
  })
  own.put(
    OwnError,
    "captureStackTrace",
    (target: object) => own.put(target, "stack", heading(target), false),
    false
  )
  own.defineProperty(OwnError, "stackTraceLimit", {
    value: 10,
    writable: true,
    enumerable: false,
    configurable: false
  })

  /** Where the plan is. `skip` and what it called are left out; `most` frames are looked at. */
  const mark = (skip: (...args: Array<never>) => unknown, most = callLimit): RawSite | undefined => {
    const holder: { readonly stack?: unknown } = own.create(null)
    const limit = OwnError.stackTraceLimit
    // The plan may have frozen it: then there are as many frames as it left.
    own.set(OwnError, "stackTraceLimit", most)
    try {
      apply(captureStackTrace, OwnError, [holder, skip])
      return holder.stack === undefined ? undefined : weakGet(sites, holder)
    } catch {
      return undefined
    } finally {
      own.set(OwnError, "stackTraceLimit", limit)
    }
  }

  /** Where an error was made, if it is one. */
  const siteOf = (error: unknown): RawSite | undefined => {
    if ((typeof error !== "object" && typeof error !== "function") || error === null) return undefined
    own.member(error, "stack")
    return weakGet(sites, error)
  }

  // Text by text: an object would be asked for a `toJSON` that the plan may have put on its prototype.
  const siteJson = (site: RawSite): string =>
    `{"file":${stringify(own.text(site.file))},"line":${whole(site.line, 1)},"column":${whole(site.column, 1)}}`

  const end = (how: Ending): void => {
    if (ending === undefined) ending = how
  }

  const push = (request: string): void => {
    if (ending !== undefined || over) return
    requests = requests === "" ? request : `${requests},${request}`
  }

  const note = (request: string): void => {
    notes += 1
    if (notes > limits.notes) passed(`more than ${limits.notes} phases and log lines in one run`)
    push(request)
  }

  const passed = (message: string): never => {
    end({ code: "plan_limit", message })
    throw new own.RangeError(message)
  }

  /** `json`: the options, as `plainJson` wrote them. */
  const call = (
    verb: string,
    json: string,
    phase: string | undefined,
    settle: (answer: unknown) => void,
    site: RawSite | undefined,
    mayBeLeft = false
  ): Pending => {
    if (typeof verb !== "string" || verbs[verb] !== true) throw new own.TypeError("there is no such verb")
    if (over) {
      end({ code: "hook_pending", message: `\`${verb}\` was called after run had returned`, site })
      throw new own.Error(`${verb} was called after run had returned`)
    }
    if (ending !== undefined) throw new own.Error(ending.message)
    if (calls >= limits.calls) passed(`more than ${limits.calls} calls in one run`)
    if (waiting >= limits.pending) {
      passed(`more than ${limits.pending} calls wait at one time: bound the fan-out with { concurrency }`)
    }
    calls += 1
    waiting += 1
    const entry: Pending = { n: calls, verb, site, settle, mayBeLeft }
    mapSet(pending, calls, entry)
    const group = typeof phase !== "string" ? "" : `,"phase":${stringify(own.toWellFormed(phase))}`
    const where = site === undefined ? "" : `,"site":${siteJson(site)}`
    push(`{"t":"call","n":${calls},"verb":"${verb}","options":${json}${group}${where}}`)
    return entry
  }

  return {
    mark,
    siteOf,
    siteJson,
    heading,
    end,
    passed,
    call,
    limits,
    /** Remembers a promise until somebody looks at it, which is what the result is to be called for. */
    watch: (verb: string, site: RawSite | undefined): (() => void) => {
      watched += 1
      const id = watched
      mapSet(unawaited, id, { verb, site })
      return () => {
        mapDelete(unawaited, id)
      }
    },
    cancel: (n: number): void => {
      if (typeof n === "number" && mapDelete(pending, n)) {
        waiting -= 1
        push(`{"t":"cancel","n":${n}}`)
      }
    },
    phase: (title: string): void => note(`{"t":"phase","title":${stringify(own.toWellFormed(title))}}`),
    log: (message: string, data: string | undefined): void =>
      note(
        `{"t":"log","message":${stringify(own.toWellFormed(message))}${data === undefined ? "" : `,"data":${data}`}}`
      ),
    slots: (done: number, of: number, accepted: boolean): void =>
      push(
        `{"t":"slots","done":${whole(done, 0)},"of":${whole(of, 0)},"accepted":${accepted ? "true" : "false"}}`
      ),
    /** The answer of a pending call; false if there is none. */
    take: (n: number): Pending | undefined => {
      const entry = mapGet(pending, n)
      if (entry === undefined) return undefined
      mapDelete(pending, n)
      waiting -= 1
      last = entry
      return entry
    },
    isPending: (n: number): boolean => own.mapHas(pending, n),
    pendingCount: (): number => waiting,
    lastAnswered: (): Pending | undefined => last,
    firstUnawaited: (): Watched | undefined => {
      let first: Watched | undefined
      mapForEach(unawaited, (entry: Watched) => {
        if (first === undefined) first = entry
      })
      return first
    },
    /** The first that the run may not return without. */
    firstPending: (): Pending | undefined => {
      let first: Pending | undefined
      mapForEach(pending, (entry: Pending) => {
        if (first === undefined && !entry.mayBeLeft) first = entry
      })
      return first
    },
    /** The plan no longer wants what is still pending. */
    cancelAll: (): void => {
      mapForEach(pending, (entry: Pending) => push(`{"t":"cancel","n":${entry.n}}`))
      own.mapClear(pending)
      waiting = 0
    },
    close: (): void => {
      over = true
    },
    ending: (): Ending | undefined => ending,
    takeRequests: (): string => {
      const all = `[${requests}]`
      requests = ""
      return all
    }
  }
}

export type Recorder = ReturnType<typeof record>
