// assemble: builds everything that lives in a plan's context, in the order that leaves nothing ambient behind, and
// hands the host its side. The parts reach it as text (child/insideSource.ts), so it takes them as a parameter.
import type { planConsole } from "./console.ts"
import type { driver, Inside } from "./driver.ts"
import type { fanOut } from "./fanOut.ts"
import type { Advice, forbid } from "./forbid.ts"
import type { hardenHost } from "./hardenHost.ts"
import type { hardenTime } from "./hardenTime.ts"
import type { intrinsics } from "./intrinsics.ts"
import type { callers } from "./packages/callers.ts"
import type { eventObjects } from "./packages/eventObjects.ts"
import type { packageGlobals } from "./packages/packageGlobals.ts"
import type { timers } from "./packages/timers.ts"
import type { plainJson } from "./plainJson.ts"
import type { Limits, Pending, RawSite, record } from "./record.ts"
import type { urlParser } from "./web/urlParser.ts"
import type { verbs } from "./verbs.ts"
import type { webObjects } from "./web/webObjects.ts"
import type { webText } from "./web/webText.ts"
import type { webUrl } from "./web/webUrl.ts"
import type { workflow } from "./workflow.ts"

export interface Parts {
  /** What to use instead, in the words of the static layer. */
  readonly advice: Advice
  readonly intrinsics: typeof intrinsics
  readonly plainJson: typeof plainJson
  readonly record: typeof record
  readonly forbid: typeof forbid
  readonly callers: typeof callers
  readonly eventObjects: typeof eventObjects
  readonly timers: typeof timers
  readonly packageGlobals: typeof packageGlobals
  readonly hardenTime: typeof hardenTime
  readonly hardenHost: typeof hardenHost
  readonly planConsole: typeof planConsole
  readonly webText: typeof webText
  readonly webObjects: typeof webObjects
  readonly urlParser: typeof urlParser
  readonly webUrl: typeof webUrl
  readonly fanOut: typeof fanOut
  readonly verbs: typeof verbs
  readonly workflow: typeof workflow
  readonly driver: typeof driver
}

export const assemble = (parts: Parts, limits: Limits): Inside => {
  const own = parts.intrinsics()
  const plain = parts.plainJson(own)
  const recorder = parts.record(own, limits)
  const guard = parts.forbid(own, recorder, parts.advice)
  const packages = parts.packageGlobals(
    own,
    recorder,
    guard,
    parts.callers(own, recorder),
    parts.timers,
    parts.eventObjects
  )
  parts.hardenHost(own, guard, parts.hardenTime(own, guard, packages))
  parts.planConsole(own, plain, recorder)
  parts.webText(own)
  parts.webObjects(own, guard, packages)
  parts.webUrl(own, guard, parts.urlParser(own))
  const fan = parts.fanOut(own, plain, recorder)

  // A race leaves its losers pending when the run returns, which is otherwise a forgotten await.
  let raced = false
  for (const name of ["race", "any"] as const) {
    const original = own.Promise[name]
    const replacement = {
      [name](this: unknown, ...args: Array<unknown>): unknown {
        raced = true
        return own.apply(original, this, args)
      }
    }
    own.put(own.Promise, name, replacement[name], false)
  }

  const mark = (): RawSite | undefined => recorder.mark(mark)
  const bridge = own.freeze({
    call: (
      verb: string,
      options: unknown,
      phase: string | undefined,
      settle: (answer: unknown) => void,
      site?: RawSite
    ): number => {
      const json = plain.json(options, verb)
      const wake = verb === "sleep" ? packages.sleeping(own.member(options, "ms")) : undefined
      const settled = (answer: unknown): void => {
        wake?.()
        settle(answer)
      }
      const entry: Pending = recorder.call(verb, json, phase, settled, site)
      return entry.n
    },
    cancel: (n: number) => recorder.cancel(n),
    phase: (title: string) => recorder.phase(own.text(title)),
    log: (message: string, data?: unknown) =>
      recorder.log(own.text(message), data === undefined ? undefined : plain.json(data, "log")),
    slots: (slots: { readonly done: number; readonly of: number; readonly accepted: boolean }) =>
      recorder.slots(slots.done, slots.of, slots.accepted),
    mark
  })

  return parts.driver(
    own,
    plain,
    recorder,
    guard,
    fan,
    parts.verbs(own, plain, recorder, fan),
    bridge,
    () => raced,
    packages,
    parts.workflow(own, plain, recorder, fan)
  )
}
