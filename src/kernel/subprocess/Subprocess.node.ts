// Runs one subprocess to its end, over Effect's ChildProcess: a process group of its own, an environment given whole,
// stdin fed and closed, output bounded, a time limit, and nothing of the group left behind however it ends. Command
// adapters and proofs run here. The plan's process does not: it starts before Effect is loaded, lives as long as the
// run, and talks over its pipes (plan/host/spawnPlan.node.ts).
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Clock, Deferred, Effect, Fiber, Layer, type PlatformError, Result, type Scope, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import { keepWatch } from "../processes/liveProcesses.node.ts"
import { RunChildren } from "./RunChildren.ts"
import type { ProcessEnd, SubprocessPlan } from "./Subprocess.ts"

const maxErrorBytes = 64 * 1024

const spawner = NodeChildProcessSpawner.layer.pipe(
  Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

/** A program that runs takes real time, also in a run whose own time is logical. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** What was read of a stream: all of it up to a limit, or its last bytes. */
class Read {
  private chunks: Array<Uint8Array> = []
  private size = 0
  /** False: it is full, and the chunk was not kept. */
  addWithin(chunk: Uint8Array, limit: number): boolean {
    if (this.size + chunk.length > limit) return false
    this.chunks.push(chunk)
    this.size += chunk.length
    return true
  }
  addLast(chunk: Uint8Array, limit: number): void {
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.size <= 2 * limit) return
    const kept = Buffer.concat(this.chunks).subarray(-limit)
    this.chunks = [kept]
    this.size = kept.length
  }
  text(limit = Infinity): string {
    const bytes = Buffer.concat(this.chunks)
    return new TextDecoder().decode(bytes.length > limit ? bytes.subarray(-limit) : bytes)
  }
}

const property = (thrown: unknown, key: string): unknown =>
  typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, key) : undefined

const codeOf = (thrown: unknown): string => {
  const code = property(thrown, "code")
  return typeof code === "string" ? code : "UNKNOWN"
}

type SpawnError = NonNullable<ProcessEnd["spawnError"]>

/** Why it could not be started. Effect looks at the working directory itself, before it starts anything. */
const spawnErrorOf = ({ reason }: PlatformError.PlatformError): SpawnError => {
  if (reason._tag === "BadArgument") return { code: "ERR_INVALID_ARG_VALUE", thrownSynchronously: true }
  const code = codeOf(reason.cause)
  if (code !== "ENOENT") return { code }
  return { code, missing: reason.module === "FileSystem" ? "cwd" : "command" }
}

/** How it exited. Effect tells the signal in words alone. */
const exitOf = (exit: Result.Result<number, PlatformError.PlatformError>) =>
  Result.match(exit, {
    onSuccess: (exitCode) => ({ exitCode, signal: null }),
    onFailure: ({ cause }) => ({
      exitCode: null,
      signal: /signal: '(\w+)'/.exec(String(property(cause, "message")))?.[1] ?? "SIGKILL"
    })
  })

const started = Effect.fnUntraced(function* (
  plan: SubprocessPlan,
  added: Readonly<Record<string, string>>
): Effect.fn.Return<
  ChildProcessSpawner.ChildProcessHandle,
  SpawnError,
  ChildProcessSpawner.ChildProcessSpawner | Scope.Scope
> {
  const [command = "", ...args] = plan.argv
  const stdin = plan.stdin === undefined ? "ignore" : Stream.make(new TextEncoder().encode(plan.stdin))
  return yield* ChildProcess.make(command, args, {
    ...(plan.cwd !== undefined && { cwd: plan.cwd }),
    env: { ...plan.env, ...added },
    extendEnv: false,
    detached: true,
    windowsHide: true,
    stdin,
    forceKillAfter: plan.killGraceMs
  }).pipe(
    Effect.mapError(spawnErrorOf),
    // `spawn` itself throws for arguments that are too long.
    Effect.catchDefect((thrown) => Effect.fail({ code: codeOf(thrown), thrownSynchronously: true }))
  )
})

const toItsEnd = Effect.fnUntraced(function* (
  plan: SubprocessPlan
): Effect.fn.Return<ProcessEnd, SpawnError, ChildProcessSpawner.ChildProcessSpawner | Scope.Scope> {
  const registry = yield* RunChildren
  const registration = yield* Effect.mapError(registry.register(plan.argv[0] ?? ""), ({ code }) => ({
    code,
    unregistered: true
  }))
  // Watched until it is gone: the scope ends it first, since it was started later.
  let forget = () => {}
  yield* Effect.addFinalizer(() => Effect.sync(() => forget()))
  const handle = yield* started(plan, registration.environment)
  forget = keepWatch(handle.pid, { group: true })
  yield* registration.started(handle.pid)

  const stdout = new Read()
  const stderr = new Read()
  const full = yield* Deferred.make<void>()
  const readStdout = Stream.runForEach(handle.stdout, (chunk) =>
    stdout.addWithin(chunk, plan.maxOutputBytes) ? Effect.void : Deferred.succeed(full, undefined)
  )
  const readStderr = Stream.runForEach(handle.stderr, (chunk) =>
    Effect.sync(() => stderr.addLast(chunk, maxErrorBytes))
  )
  const reading = yield* Effect.forkScoped(
    Effect.all([Effect.ignore(readStdout), Effect.ignore(readStderr)], { concurrency: 2, discard: true })
  )
  const exited = Effect.asVoid(Effect.result(handle.exitCode))
  const { timeLimitMs } = plan
  const late = timeLimitMs === undefined ? Effect.never : Effect.sleep(Math.min(timeLimitMs, 2 ** 31 - 1))
  // The reason is known before the kill, so that its exit is not misread.
  const killedBy = yield* Effect.raceAllFirst([
    Effect.as(exited, undefined),
    Effect.as(late, "deadline" as const),
    Effect.as(Deferred.await(full), "output-cap" as const)
  ])
  if (killedBy !== undefined) yield* Effect.ignore(handle.kill({ forceKillAfter: plan.killGraceMs }))
  const exit = exitOf(yield* Effect.result(handle.exitCode))
  yield* Effect.timeoutOption(Fiber.await(reading), plan.drainMs)
  // Its end is known: what is left of its group has no one to work for.
  yield* Effect.ignore(handle.kill({ killSignal: "SIGKILL" }))
  return {
    ...exit,
    stdout: stdout.text(),
    stderr: stderr.text(maxErrorBytes),
    ...(killedBy !== undefined && { killedBy })
  }
})

const unstarted = { exitCode: null, signal: null, stdout: "", stderr: "" }

/** Runs the program to its end. Interruption ends its whole process group and waits until it is gone. */
export const runSubprocess = (plan: SubprocessPlan): Effect.Effect<ProcessEnd> =>
  Effect.scoped(toItsEnd(plan)).pipe(
    Effect.catch((spawnError) => Effect.succeed<ProcessEnd>({ ...unstarted, spawnError })),
    Effect.provide(spawner),
    inRealTime
  )
