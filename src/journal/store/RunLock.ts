// RunLock: one writer a run. The lock names its owner; a live owner keeps it however old it is, a dead one's is
// taken over at once, by exactly one of those who try. Nothing here depends on the time of day.
//
// Taking over: whoever finds a dead owner's lock claims it by creating a file named after the lock's content, which
// only one can. It looks again, since the lock may have changed hands, and then replaces it in one step. While the
// claim stands nobody else can change the lock. A claimant that dies leaves a claim, which is claimed in its turn.
import { Effect, Schema, type Scope } from "effect"
import { canonicalJsonOf } from "../../domain/json/canonicalJson.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { defined } from "../../domain/defined.ts"
import { FsPort } from "../../kernel/files/FsPort.ts"
import { HostIdentity, ProcessIdentity } from "../../kernel/HostIdentity.ts"
import { fromFsError, JournalError } from "../JournalError.ts"

/** `for`: what the lock is held for, where that is over in a moment: an answer that is journaled. Absent: the run's work. */
const LockText = Schema.Struct({
  ...ProcessIdentity.fields,
  for: Schema.optionalKey(Schema.Literal("answer"))
})
const decodeLock = Schema.decodeUnknownOption(Schema.fromJsonString(LockText))
export type LockPurpose = NonNullable<(typeof LockText.Type)["for"]>

type Content = string | undefined

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const lockedBy = (
  path: string,
  { for: purpose, ...holder }: typeof LockText.Type,
  isAlive: boolean
): JournalError =>
  new JournalError({
    code: "run_locked",
    path,
    problem: `the run is held by process ${holder.pid} on ${holder.host}`,
    holder,
    ...defined({ heldFor: purpose }),
    cure: isAlive
      ? `wait for it, or end it (kill ${holder.pid})`
      : `it was started on another machine; if it is surely gone, remove ${path}`
  })

/**
 * Holds the lock at `path` until the scope ends. Fails at once with `run_locked` if another lives. Succeeds with
 * true if it was taken over from a dead owner.
 */
export const acquireLock = Effect.fnUntraced(function* (
  path: string,
  purpose?: LockPurpose
): Effect.fn.Return<boolean, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const fs = yield* FsPort
  const host = yield* HostIdentity
  const mine = canonicalJsonOf({ ...host.self, ...defined({ for: purpose }) })
  const bytes = new TextEncoder().encode(mine)

  const read = (file: string): Effect.Effect<Content, JournalError> =>
    Effect.catch(Effect.map(fs.readFile(file), text), (error) =>
      error.code === "ENOENT" ? Effect.succeed(undefined) : Effect.fail(fromFsError(error))
    )

  /**
   * True if it was created; false if it is to be looked at again: something is there, or an owner who came first swept
   * away what we were about to put there, with the leavings of the dead.
   */
  const create = (file: string): Effect.Effect<boolean, JournalError> =>
    Effect.catch(Effect.as(fs.createExclusive(file, bytes), true), (error) =>
      error.code === "EEXIST" || (error.code === "ENOENT" && error.op === "link")
        ? Effect.succeed(false)
        : Effect.fail(fromFsError(error))
    )

  const removeMine = (file: string): Effect.Effect<void> =>
    Effect.ignore(Effect.flatMap(read(file), (content) => (content === mine ? fs.remove(file) : Effect.void)))

  /** Fails if the owner named in `content` lives or cannot be known to be dead. An unreadable name is nobody's. */
  const refuseLiving = Effect.fnUntraced(function* (content: string) {
    const owner = decodeLock(content)
    if (owner._tag === "None") return
    const liveness = yield* host.liveness(owner.value)
    if (liveness === "dead") return
    return yield* lockedBy(path, owner.value, liveness === "alive")
  })

  const claimPath = (chain: string) => `${path}.claim-${sha256(chain).slice(0, 32)}`

  /** Claims the right to replace a lock with that content; false if the lock is no longer that one. */
  const takeOver = Effect.fnUntraced(function* (stale: string) {
    const claims: Array<string> = []
    let chain = stale
    for (;;) {
      const claim = claimPath(chain)
      claims.push(claim)
      if (yield* create(claim)) break
      const other = yield* read(claim)
      // If the lock has changed hands, that claimant is as late as we are: its owner is to be asked.
      if (other === undefined || (yield* read(path)) !== stale) return false
      yield* refuseLiving(other)
      chain += other
    }
    const mineClaim = claims[claims.length - 1] ?? ""
    return yield* Effect.gen(function* () {
      if ((yield* read(path)) !== stale) return false
      yield* Effect.mapError(fs.replace(path, bytes), fromFsError)
      // Those of dead claimants; mine goes last.
      for (const claim of claims.slice(0, -1)) yield* Effect.ignore(fs.remove(claim))
      return true
    }).pipe(Effect.ensuring(removeMine(mineClaim)))
  })

  const acquire = Effect.fnUntraced(function* () {
    // Before anything is written: on a full disk whoever lives is named, not the disk.
    const there = yield* read(path)
    if (there !== undefined) yield* refuseLiving(there)
    for (;;) {
      if (yield* create(path)) return false
      const content = yield* read(path)
      // Released in between: try again.
      if (content === undefined) continue
      yield* refuseLiving(content)
      if (yield* takeOver(content)) return true
    }
  })

  return yield* Effect.acquireRelease(acquire(), () => removeMine(path))
})

interface Holder {
  readonly identity: typeof LockText.Type
  readonly isAlive: boolean
}

const holderOf = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<Holder | undefined, JournalError, FsPort | HostIdentity> {
  const fs = yield* FsPort
  const host = yield* HostIdentity
  const content = yield* Effect.catch(Effect.map(fs.readFile(path), text), (error) =>
    error.code === "ENOENT" ? Effect.succeed("") : Effect.fail(fromFsError(error))
  )
  const owner = decodeLock(content)
  if (owner._tag === "None") return undefined
  const liveness = yield* host.liveness(owner.value)
  return liveness === "dead" ? undefined : { identity: owner.value, isAlive: liveness === "alive" }
})

/** Who holds the lock at `path`, if anybody alive does. Writes nothing. */
export const lockHolder = (path: string) => Effect.map(holderOf(path), (holder) => holder?.identity)

/**
 * Keeps everybody from working on a run that is only read, until the scope ends. Where no lock can be written, because
 * nothing can be, nobody can begin to work; whoever has begun is asked for.
 */
export const keepOthersOut = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<void, JournalError, FsPort | HostIdentity | Scope.Scope> {
  const locked = yield* Effect.result(acquireLock(path))
  if (locked._tag === "Success") return
  const { code } = locked.failure
  if (code !== "read_only" && code !== "no_space") return yield* locked.failure
  const holder = yield* holderOf(path)
  if (holder !== undefined) return yield* lockedBy(path, holder.identity, holder.isAlive)
})
