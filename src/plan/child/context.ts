// context: the fresh context a plan lives in, and the few things the child does to it: evaluate a script, hand over
// a string, run until quiet. Only strings and numbers go in; of what comes out, objects are held and never read.
import { createContext, constants, Script } from "node:vm"
import { types } from "node:util"
import type { Inside, PreludeModule } from "../inside/driver.ts"
import type { Limits } from "../inside/record.ts"
import { insideSource } from "./insideSource.ts"

/** A context before its plan: made while the plan is still being bundled. */
export const freshContext = () => {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    microtaskMode: "afterEvaluate",
    codeGeneration: { strings: false, wasm: false }
  })
  const build: (limits: string) => Inside = new Script(insideSource(), {
    filename: "inside:"
  }).runInContext(context)
  const quiet = new Script("0", { filename: "inside:" })

  /** Runs every job that is due. Its return is quiet. */
  const drain = (): void => {
    quiet.runInContext(context)
  }

  const evaluate = (code: string, filename: string): unknown =>
    new Script(code, { filename }).runInContext(context)

  const evaluatePrelude = (code: string): PreludeModule =>
    new Script(code, { filename: "prelude:" }).runInContext(context)

  return { build: (limits: Limits) => build(JSON.stringify(limits)), drain, evaluate, evaluatePrelude }
}

/** The path of the first Proxy among the arguments read since the last call, if there is one. */
export const proxyAmong = (inside: Inside): string | undefined => {
  let found: string | undefined
  for (let seen = inside.takeSeen(); seen !== undefined; seen = seen.next) {
    if (types.isProxy(seen.value)) found = seen.path
  }
  return found
}
