// hardenTime: what reads the clock is refused, save to npm packages, which get the plan's; what reads the host's locale
// gets the one locale that every plan has. With TZ=UTC set on the process, everything else stays. Evaluated inside the
// plan's context: see intrinsics.ts.
import type { Forbid } from "./forbid.ts"
import type { Intrinsics } from "./intrinsics.ts"
import type { PackageGlobals } from "./packages/packageGlobals.ts"

export const hardenTime = (own: Intrinsics, { reach, advice }: Forbid, packages: PackageGlobals) => {
  const { put, accessor, construct, apply, getOwnPropertyDescriptor, isArray } = own
  const OwnDate = Date
  const dateText = OwnDate.prototype.toString

  type Method = (this: unknown, ...args: Array<unknown>) => unknown
  type Constructor = new (...args: Array<never>) => object

  /** The method `name` of `holder`, if this engine has it, behind `guard`. */
  const guardMethod = (holder: object, name: string, guard: (args: Array<unknown>) => void): void => {
    const original: unknown = getOwnPropertyDescriptor(holder, name)?.value
    if (typeof original !== "function") return
    const { length } = original
    const guarded: { [name: string]: Method } = {
      [name](this: unknown, ...args: Array<unknown>): unknown {
        guard(args)
        return apply(original, this, args)
      }
    }
    const replacement = guarded[name]
    if (replacement === undefined) return
    own.defineProperty(replacement, "length", { value: length, configurable: true })
    put(holder, name, replacement, false)
  }

  /**
   * `Original` behind a guard that sees its arguments, with the same prototype, so that `instanceof` holds. What the
   * guard gives is what a call gives.
   */
  const guardConstructor = (
    holder: object,
    name: string,
    Original: Constructor,
    guard: (args: Array<unknown>, called: boolean) => unknown
  ): object => {
    const replacement = function (...args: Array<unknown>): unknown {
      const given = guard(args, new.target === undefined)
      if (given !== undefined) return given
      return construct(Original, args, new.target === undefined ? replacement : new.target)
    }
    own.defineProperty(replacement, "name", { value: name, configurable: true })
    own.defineProperty(replacement, "length", { value: Original.length, configurable: true })
    own.defineProperty(replacement, "prototype", { value: Original.prototype, writable: false })
    for (const key of own.ownKeys(Original)) {
      const descriptor = getOwnPropertyDescriptor(Original, key)
      if (descriptor === undefined || key === "name" || key === "length" || key === "prototype") continue
      own.defineProperty(replacement, key, descriptor)
    }
    put(Original.prototype, "constructor", replacement, false)
    put(holder, name, replacement, false)
    return replacement
  }

  const SafeDate = guardConstructor(own.global, "Date", OwnDate, (args, called) => {
    if (called) {
      const time = packages.now() ?? reach("Date()", advice.clock)
      return apply(dateText, construct(OwnDate, [time]), [])
    }
    if (args.length === 0) put(args, 0, packages.now() ?? reach("new Date()", advice.clock))
    return undefined
  })
  const now = () => packages.now() ?? reach("Date.now()", advice.clock)
  put(SafeDate, "now", { now: () => now() }.now, false)
  const random = () => packages.random() ?? reach("Math.random()", advice.random)
  put(Math, "random", { random: () => random() }.random, false)

  // Plans and public workflow scripts say `a.localeCompare(b)` and `n.toLocaleString()` all the time, and mean no host's
  // locale by it: they get this one everywhere. What it says depends on the ICU version, which meta.json keeps.
  const locale = "en-US"
  const giveLocale = (args: Array<unknown>, at: number): void => {
    const given = args[at]
    if (given !== undefined && !(isArray(given) && given.length === 0)) return
    put(args, at, locale)
  }

  for (const name of own.ownKeys(Intl)) {
    const value: unknown = getOwnPropertyDescriptor(Intl, name)?.value
    if (typeof name !== "string" || typeof value !== "function" || typeof value.prototype !== "object")
      continue
    const Original: Constructor = value.prototype.constructor
    guardConstructor(Intl, name, Original, (args) => giveLocale(args, 0))
  }

  const formatter = Intl.DateTimeFormat.prototype
  const format = getOwnPropertyDescriptor(formatter, "format")?.get
  if (format !== undefined) {
    accessor(formatter, "format", function (this: unknown) {
      const bound: unknown = apply(format, this, [])
      return (date: unknown): unknown => {
        const given =
          date === undefined
            ? (packages.now() ?? reach("Intl.DateTimeFormat().format()", advice.clock))
            : date
        return typeof bound === "function" ? apply(bound, undefined, [given]) : undefined
      }
    })
  }
  guardMethod(formatter, "formatToParts", (args) => {
    if (args[0] === undefined)
      put(args, 0, packages.now() ?? reach("Intl.DateTimeFormat().formatToParts()", advice.clock))
  })

  const localized = (holder: object, name: string, at: number): void =>
    guardMethod(holder, name, (args) => giveLocale(args, at))
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    localized(OwnDate.prototype, name, 0)
  }
  localized(Number.prototype, "toLocaleString", 0)
  localized(BigInt.prototype, "toLocaleString", 0)
  localized(String.prototype, "toLocaleLowerCase", 0)
  localized(String.prototype, "toLocaleUpperCase", 0)
  localized(String.prototype, "localeCompare", 1)

  const temporal: unknown = own.member(own.global, "Temporal")
  const temporalNow = own.member(temporal, "Now")
  if (typeof temporalNow === "object" && temporalNow !== null) {
    for (const name of own.ownKeys(temporalNow)) {
      if (typeof name === "string")
        guardMethod(temporalNow, name, () => reach(`Temporal.Now.${name}()`, advice.clock))
    }
  }
  return { guardConstructor }
}
