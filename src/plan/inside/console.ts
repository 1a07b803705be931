// console: what a plan prints goes to the journal as log lines. Nothing it returns depends on anything but its
// arguments; it keeps no time. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"
import type { PlainJson } from "./plainJson.ts"
import type { Recorder } from "./record.ts"

export const planConsole = (own: Intrinsics, plain: PlainJson, recorder: Recorder): void => {
  const { text } = own
  const OwnError = own.Error

  const show = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return text(value)
    if (value instanceof OwnError) return recorder.heading(value)
    try {
      return plain.json(value, "console")
    } catch {
      return text(value)
    }
  }

  const line = (args: ReadonlyArray<unknown>): string => {
    let out = ""
    for (let index = 0; index < args.length; index++) out += `${index === 0 ? "" : " "}${show(args[index])}`
    return out
  }

  const print = (...args: Array<unknown>): void => recorder.log(line(args), undefined)
  const nothing = (): void => {}
  const own_ = {
    log: print,
    info: print,
    warn: print,
    error: print,
    debug: print,
    trace: print,
    dir: (value: unknown): void => print(value),
    table: (value: unknown): void => print(value),
    group: print,
    assert: (truth: unknown, ...args: Array<unknown>): void => {
      if (truth !== true && !truth) print("Assertion failed", ...args)
    },
    groupCollapsed: print,
    groupEnd: nothing,
    clear: nothing,
    count: nothing,
    countReset: nothing,
    time: nothing,
    timeLog: nothing,
    timeEnd: nothing
  }
  own.put(own.global, "console", own_, false)
}
