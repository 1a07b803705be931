// The live TrustStore. In the user's state directory: `key`, 32 random bytes that sign which runs this machine wrote,
// and a file for each hash that was agreed to. In a run's directory: `origin.json`, which says nothing without the key.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { Origin, TrustStore } from "../cli/trust/TrustStore.ts"
import { canonicalJsonOf } from "../domain/json/canonicalJson.ts"
import { sha256 } from "../domain/fingerprint.ts"
import type { Proving, Said } from "../engine/people/Witness.ts"
import { userState } from "../kernel/userDirectories.node.ts"

const OriginFile = Schema.fromJsonString(
  Schema.Struct({
    v: Schema.Literal(1),
    own: Schema.Boolean,
    foreignUntil: Schema.Int,
    head: Schema.optionalKey(Schema.Struct({ seq: Schema.Int, hash: Schema.String })),
    knownFrom: Schema.optionalKey(Schema.Int),
    mac: Schema.String
  })
)
const decodeOrigin = Schema.decodeUnknownOption(OriginFile)
const encodeOrigin = Schema.encodeSync(OriginFile)

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

const orUndefined = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** This user's key, made when it is first needed; undefined where there is no place for it. */
const key = (): Buffer | undefined => {
  const directory = userState("trust")
  if (directory === undefined) return undefined
  const path = join(directory, "key")
  // Made by whoever comes first; everybody reads what stands there.
  orUndefined(() => writeFileSync(path, randomBytes(32), { flag: "wx", mode: 0o600 }))
  const bytes = orUndefined(() => readFileSync(path))
  return bytes?.length === 32 ? bytes : undefined
}

const originPath = (dir: string): string => join(dir, "origin.json")

/** Of the run's name and what it was made of: who changes a command in it makes it another. */
const macOf = (
  secret: Buffer,
  dir: string,
  runId: string,
  { foreignUntil, head, knownFrom, own }: Origin
): string => {
  const made = [1, runId, own, foreignUntil, sha256(readFileSync(join(dir, "meta.json")))]
  const left = head === undefined && knownFrom === undefined ? [] : [head?.seq, head?.hash, knownFrom]
  return createHmac("sha256", secret)
    .update(JSON.stringify([...made, ...left]))
    .digest("hex")
}

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const readOrigin = (dir: string, runId: string): Origin | undefined => {
  const secret = key()
  const text = orUndefined(() => readFileSync(originPath(dir), "utf8"))
  const found = Option.getOrUndefined(decodeOrigin(text))
  if (secret === undefined || found === undefined) return undefined
  const { mac, v: _, ...origin } = found
  return orUndefined(() => equal(mac, macOf(secret, dir, runId, origin))) === true ? origin : undefined
}

const writeOrigin = (dir: string, runId: string, origin: Origin): void => {
  const secret = key()
  if (secret === undefined) return
  const path = originPath(dir)
  const unfinished = `${path}.${process.pid}`
  const written = orUndefined(() => {
    const file = encodeOrigin({ v: 1, ...origin, mac: macOf(secret, dir, runId, origin) })
    writeFileSync(unfinished, `${file}\n`, { mode: 0o600 })
    renameSync(unfinished, path)
    return true
  })
  if (written === undefined) rmSync(unfinished, { force: true })
}

/** Another purpose than that of `origin.json`: neither's MAC is ever the other's. */
const macOfSaid = (secret: Buffer, said: Said): string =>
  createHmac("sha256", secret)
    .update(canonicalJsonOf(["said", 1, { ...said }]))
    .digest("hex")

const witness = (): Proving | undefined => {
  const secret = key()
  return secret === undefined
    ? undefined
    : {
        sign: (said) => macOfSaid(secret, said),
        holds: (said, mac) => mac !== undefined && equal(mac, macOfSaid(secret, said))
      }
}

export const trustStore: TrustStore = {
  witness: Effect.sync(witness),
  isTrusted: (hash) =>
    Effect.sync(() => {
      const directory = userState("trust")
      return directory !== undefined && isHash(hash) && existsSync(join(directory, hash))
    }),
  trust: (hash) =>
    Effect.sync(() => {
      const directory = userState("trust")
      if (directory !== undefined && isHash(hash))
        orUndefined(() => writeFileSync(join(directory, hash), "", { mode: 0o600 }))
    }),
  originOf: (dir, runId) => Effect.sync(() => readOrigin(dir, runId)),
  claim: (dir, runId, origin) => Effect.sync(() => writeOrigin(dir, runId, origin))
}
