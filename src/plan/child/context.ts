// context: the fresh context a plan lives in, and the few things the child does to it: evaluate a script, hand over
// a string, run until quiet. Only strings and numbers go in; of what comes out, objects are held and never read.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hash } from "node:crypto"
import { createContext, constants, Script } from "node:vm"
import { types } from "node:util"
import type { Inside, PreludeModule } from "../inside/driver.ts"
import type { Limits } from "../inside/record.ts"
import { insideSource } from "./insideSource.ts"

const digestBytes = 32
const digest = (data: string | Uint8Array): Buffer => Buffer.from(hash("sha256", data, "hex"), "hex")

/** What V8 made of `code`, if the file says by its first bytes that it is of this code, and whole. */
const readCompiled = (path: string, code: string): Buffer | undefined => {
  try {
    const file = readFileSync(path)
    const data = file.subarray(2 * digestBytes)
    const head = Buffer.concat([digest(code), digest(data)])
    return head.equals(file.subarray(0, 2 * digestBytes)) ? data : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all; a cache that cannot be written is done without. */
const keepCompiled = (path: string, code: string, script: Script): void => {
  const unfinished = `${path}.${process.pid}`
  try {
    const data = script.createCachedData()
    writeFileSync(unfinished, Buffer.concat([digest(code), digest(data), data]), { mode: 0o600 })
    renameSync(unfinished, path)
  } catch {
    rmSync(unfinished, { force: true })
  }
}

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

  /** The prelude, compiled before if the file is of this very V8; else `keep` is to be called when there is time. */
  const evaluatePrelude = (code: string, compiled: string | undefined) => {
    const cachedData = compiled === undefined ? undefined : readCompiled(compiled, code)
    const options = cachedData === undefined ? {} : { cachedData }
    const script = new Script(code, { filename: "prelude:", ...options })
    const module: PreludeModule = script.runInContext(context)
    const isStale = cachedData === undefined || script.cachedDataRejected === true
    const keep = compiled === undefined || !isStale ? undefined : () => keepCompiled(compiled, code, script)
    return { module, keep }
  }

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
