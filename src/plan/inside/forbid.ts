// forbid: the one named error for whatever is not deterministic, and what an uncaught error says about reaching for
// one. Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "./intrinsics.ts"
import type { Ending, Recorder } from "./record.ts"

export const forbid = (own: Intrinsics, recorder: Recorder) => {
  const { weakGet, weakSet, startsWith, slice } = own
  const denied = new own.WeakMap<object, Ending>()
  const ambient = own.create(null)
  const journaled = "use what a call answered, or `input`"
  const through = "reach the world through the verbs of `h`"

  const names: ReadonlyArray<readonly [string, string]> = [
    ["setTimeout", "order work by awaiting calls"],
    ["setInterval", "order work by awaiting calls"],
    ["setImmediate", "order work by awaiting calls"],
    ["clearTimeout", "order work by awaiting calls"],
    ["clearInterval", "order work by awaiting calls"],
    ["clearImmediate", "order work by awaiting calls"],
    ["requestAnimationFrame", "order work by awaiting calls"],
    ["performance", journaled],
    ["crypto", journaled],
    ["process", journaled],
    ["navigator", journaled],
    ["Event", journaled],
    ["File", journaled],
    ["Blob", journaled],
    ["Temporal", journaled],
    ["WeakRef", "keep a plain reference"],
    ["FinalizationRegistry", "keep a plain reference"],
    ["SharedArrayBuffer", "use an ArrayBuffer"],
    ["WebAssembly", through],
    ["ShadowRealm", through],
    ["fetch", through],
    ["WebSocket", through],
    ["EventSource", through],
    ["XMLHttpRequest", through],
    ["BroadcastChannel", through],
    ["MessageChannel", through],
    ["Worker", through],
    ["require", "import it"],
    ["global", "use globalThis"],
    ["self", "use globalThis"],
    ["window", "use globalThis"],
    ["document", through],
    ["localStorage", through],
    ["sessionStorage", through],
    ["indexedDB", through],
    ["alert", through],
    ["prompt", through],
    ["Bun", through],
    ["Deno", through],
    ["__dirname", journaled],
    ["__filename", journaled]
  ]
  for (const [name, instead] of names) ambient[name] = instead

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
    if (typeof message !== "string") return undefined
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
    if (startsWith(message, "Code generation from strings disallowed"))
      return found("eval()", "write the code out")
    if (startsWith(message, "A dynamic import callback was not specified"))
      return found("import()", "import it at the top")
    return undefined
  }

  return { reach, deny, reading, ambient, journaled, through }
}

export type Forbid = ReturnType<typeof forbid>
