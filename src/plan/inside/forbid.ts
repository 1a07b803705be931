// forbid: the one named error for whatever is not deterministic, and what an uncaught error says about reaching for
// one. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"
import type { Ending, Recorder } from "./record.ts"

export interface Advice {
  readonly clock: string
  readonly random: string
  readonly timer: string
  readonly ids: string
  readonly environment: string
  readonly files: string
  readonly network: string
  readonly code: string
  readonly memory: string
  readonly imports: string
  readonly location: string
}

export const forbid = (own: Intrinsics, recorder: Recorder, advice: Advice) => {
  const { weakGet, weakSet, startsWith, slice } = own
  const denied = new own.WeakMap<object, Ending>()
  const ambient = own.create(null)

  const { clock, environment, files, memory, network, timer } = advice
  const groups: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [
      timer,
      [
        "setTimeout",
        "setInterval",
        "setImmediate",
        "clearTimeout",
        "clearInterval",
        "clearImmediate",
        "requestAnimationFrame",
        "requestIdleCallback",
        "scheduler"
      ]
    ],
    [clock, ["performance", "Event", "CustomEvent", "MessageEvent", "File", "Temporal"]],
    [advice.ids, ["crypto"]],
    [files, ["Blob", "FileReader"]],
    [
      environment,
      [
        "process",
        "navigator",
        "location",
        "document",
        "localStorage",
        "sessionStorage",
        "indexedDB",
        "global",
        "self",
        "window",
        "Bun",
        "Deno"
      ]
    ],
    [memory, ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer"]],
    [advice.code, ["WebAssembly", "ShadowRealm"]],
    [
      network,
      [
        "fetch",
        "Request",
        "Response",
        "WebSocket",
        "EventSource",
        "XMLHttpRequest",
        "BroadcastChannel",
        "MessageChannel",
        "Worker"
      ]
    ],
    [advice.imports, ["require"]],
    [advice.location, ["__dirname", "__filename"]]
  ]
  for (const [instead, names] of groups) for (const name of names) ambient[name] = instead

  const sentence = (construct: string) => `Non-deterministic construct detected: ${construct}`

  class NonDeterministicError extends own.Error {}
  own.put(NonDeterministicError.prototype, "name", "NonDeterministicError", false)

  /** Ends the run, even if the plan catches what is thrown: two runs could have differed from here on. */
  const reach = (construct: string, instead: string): never => {
    const error = new NonDeterministicError(sentence(construct))
    recorder.end({
      code: "non_deterministic",
      message: sentence(construct),
      construct,
      instead,
      site: recorder.siteOf(error)
    })
    throw error
  }

  /** Throws the same error where nothing could differ yet, so that a plan or a library may probe and go on. */
  const deny = (construct: string, instead: string): never => {
    const error = new NonDeterministicError(sentence(construct))
    weakSet(denied, error, {
      code: "non_deterministic",
      message: sentence(construct),
      construct,
      instead,
      site: recorder.siteOf(error)
    })
    throw error
  }

  /** What an error that ended the run means, if it came of reaching for something that is not there. */
  const reading = (error: unknown): Ending | undefined => {
    if (typeof error !== "object" || error === null) return undefined
    const known = weakGet(denied, error)
    if (known !== undefined) return known
    const message = own.member(error, "message")
    // The engine's own messages are short; one that is not would only be copied here.
    if (typeof message !== "string" || message.length > 1000) return undefined
    const found = (construct: string, instead: string): Ending => ({
      code: "non_deterministic",
      message: sentence(construct),
      construct,
      instead,
      site: recorder.siteOf(error)
    })
    const suffix = " is not defined"
    const name = slice(message, 0, -suffix.length)
    if (
      message === `${name}${suffix}` &&
      ambient[name] !== undefined &&
      own.member(error, "name") === "ReferenceError"
    ) {
      return found(name, ambient[name])
    }
    if (startsWith(message, "Code generation from strings disallowed")) return found("eval()", advice.code)
    if (startsWith(message, "A dynamic import callback was not specified"))
      return found("import()", advice.imports)
    return undefined
  }

  return { reach, deny, reading, advice }
}

export type Forbid = ReturnType<typeof forbid>
