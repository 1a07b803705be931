// hardenHost: code made from strings, shared memory, waiting, garbage collection: removed, or behind the named error.
// V8 itself refuses code from strings in this context; what is here gives that its name. Evaluated inside the plan's
// context: see intrinsics.ts.
import type { hardenTime } from "./hardenTime.ts"
import type { Forbid } from "./forbid.ts"
import type { Intrinsics } from "./intrinsics.ts"

export const hardenHost = (
  own: Intrinsics,
  { reach, deny, advice }: Forbid,
  { guardConstructor }: ReturnType<typeof hardenTime>
) => {
  const { put, getPrototypeOf, getOwnPropertyDescriptor } = own
  const { global } = own

  const absent = ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "WebAssembly", "ShadowRealm"]
  for (const name of absent) Reflect.deleteProperty(global, name)

  // How large one may become is what the machine's address space allows.
  guardConstructor(global, "ArrayBuffer", ArrayBuffer, (args) => {
    if (own.member(args[1], "maxByteLength") !== undefined)
      reach("new ArrayBuffer(length, { maxByteLength })", advice.memory)
  })

  const atomics: object = Atomics
  for (const name of ["wait", "waitAsync", "notify", "pause"]) {
    if (getOwnPropertyDescriptor(atomics, name) === undefined) continue
    put(atomics, name, () => reach(`Atomics.${name}()`, advice.timer), false)
  }

  const makers: ReadonlyArray<readonly [string, object]> = [
    ["Function", function () {}],
    ["AsyncFunction", async function () {}],
    ["GeneratorFunction", function* () {}],
    ["AsyncGeneratorFunction", async function* () {}]
  ]
  for (const [name, sample] of makers) {
    const prototype: object = getPrototypeOf(sample)
    const replacement = function (...args: Array<unknown>): () => unknown {
      // How libraries ask for the global object: the one text that makes no code.
      if (
        name === "Function" &&
        args.length === 1 &&
        (args[0] === "return this" || args[0] === "return this;")
      )
        return () => global
      return deny(`${name}()`, advice.code)
    }
    own.defineProperty(replacement, "name", { value: name, configurable: true })
    own.defineProperty(replacement, "prototype", { value: prototype, writable: false })
    own.defineProperty(prototype, "constructor", {
      value: replacement,
      writable: name === "Function",
      enumerable: false,
      configurable: name === "Function"
    })
    if (name === "Function") put(global, "Function", replacement, false)
  }
  put(global, "eval", { eval: (): never => deny("eval()", advice.code) }.eval, false)

  own.pin(global, "Error", own.Error)
}
