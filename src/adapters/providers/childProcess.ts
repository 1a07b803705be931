// Runs one subprocess to its end: its own process group, stdin fed and closed, output bounded, a time limit, and
// nothing of the group left behind however it ends. What the end means is classifyProcess.ts's.
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { keepWatch } from "../../kernel/liveProcesses.node.ts"
import type { ProcessEnd } from "../classifyProcess.ts"

export interface ChildPlan {
  readonly argv: ReadonlyArray<string>
  /** What is written to stdin before it is closed; absent: stdin is closed from the start. */
  readonly stdin?: string
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Its own limit in ms, beside the spine's. */
  readonly timeLimitMs?: number
  readonly maxOutputBytes: number
  /** How long output is still read after the child has gone: a grandchild may hold the pipe open for ever. */
  readonly drainMs: number
  /** From SIGTERM to SIGKILL. */
  readonly killGraceMs: number
}

const maxErrorBytes = 64 * 1024

/** The last bytes of a stream. */
class Tail {
  private chunks: Array<Buffer> = []
  private size = 0
  add(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.size > 2 * maxErrorBytes) {
      const kept = Buffer.concat(this.chunks).subarray(-maxErrorBytes)
      this.chunks = [kept]
      this.size = kept.length
    }
  }
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.chunks).subarray(-maxErrorBytes))
  }
}

const property = (thrown: unknown, key: string): unknown =>
  typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, key) : undefined

const codeOf = (thrown: unknown): string => {
  const code = property(thrown, "code")
  return typeof code === "string" ? code : "UNKNOWN"
}

/** Ends a whole process group; one that is gone already is no error. */
const signalGroup = (child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // ESRCH: nothing of it is left.
  }
}

class Running {
  private readonly child: ChildProcess
  private readonly plan: ChildPlan
  private readonly done: (end: ProcessEnd) => void
  private readonly stdout: Array<Buffer> = []
  private readonly stderr = new Tail()
  private readonly timers: Array<NodeJS.Timeout> = []
  private readonly forget: () => void
  private outputBytes = 0
  private killedBy: "deadline" | "output-cap" | undefined
  private exit: { readonly code: number | null; readonly signal: string | null } | undefined
  private settled = false
  private onSettled: (() => void) | undefined

  constructor(child: ChildProcess, plan: ChildPlan, done: (end: ProcessEnd) => void) {
    this.child = child
    this.plan = plan
    this.done = done
    this.forget = keepWatch(child.pid, { group: true })
    child.on("error", (error) => this.spawnFailed(error))
    child.on("exit", (code, signal) => this.exited(code, signal))
    child.on("close", () => this.settle())
    child.stdout?.on("data", (chunk: Buffer) => this.received(chunk))
    child.stderr?.on("data", (chunk: Buffer) => this.stderr.add(chunk))
    for (const stream of [child.stdout, child.stderr, child.stdin]) stream?.on("error", () => {})
    // A child that does not read its stdin breaks the pipe; its exit says more than that.
    child.stdin?.end(plan.stdin ?? "")
    if (plan.timeLimitMs !== undefined) this.after(plan.timeLimitMs, () => this.end("deadline"))
  }

  private after(ms: number, run: () => void): void {
    this.timers.push(setTimeout(run, Math.min(ms, 2 ** 31 - 1)))
  }

  private received(chunk: Buffer): void {
    if (this.outputBytes > this.plan.maxOutputBytes) return
    this.outputBytes += chunk.length
    if (this.outputBytes > this.plan.maxOutputBytes) this.end("output-cap")
    else this.stdout.push(chunk)
  }

  /** Ends the group, gently first. The reason is known before the kill, so that its exit is not misread. */
  private end(reason: "deadline" | "output-cap"): void {
    if (this.settled) return
    this.killedBy ??= reason
    this.stop()
  }

  private stop(): void {
    signalGroup(this.child, "SIGTERM")
    this.after(this.plan.killGraceMs, () => signalGroup(this.child, "SIGKILL"))
  }

  private exited(code: number | null, signal: string | null): void {
    this.exit = { code, signal }
    this.after(this.plan.drainMs, () => this.settle())
  }

  private spawnFailed(error: unknown): void {
    // Also emitted when a kill fails; then the child is there and its exit will tell.
    if (this.child.pid !== undefined) return
    this.settle(spawnEnd(error, this.plan))
  }

  private settle(end?: ProcessEnd): void {
    if (this.settled || (end === undefined && this.exit === undefined)) return
    this.settled = true
    for (const timer of this.timers) clearTimeout(timer)
    signalGroup(this.child, "SIGKILL")
    this.forget()
    this.child.stdout?.destroy()
    this.child.stderr?.destroy()
    this.onSettled?.()
    this.done(
      end ?? {
        exitCode: this.exit?.code ?? null,
        signal: this.exit?.signal ?? null,
        stdout: new TextDecoder().decode(Buffer.concat(this.stdout)),
        stderr: this.stderr.text(),
        ...(this.killedBy !== undefined && { killedBy: this.killedBy })
      }
    )
  }

  /** Ends the group and calls back once it is gone. */
  interrupt(gone: () => void): void {
    if (this.settled) return gone()
    this.onSettled = gone
    this.stop()
  }
}

const empty = { exitCode: null, signal: null, stdout: "", stderr: "" }

const spawnEnd = (thrown: unknown, plan: ChildPlan, synchronously = false): ProcessEnd => {
  const code = codeOf(thrown)
  const missing = plan.cwd !== undefined && !existsSync(plan.cwd) ? "cwd" : "command"
  return {
    ...empty,
    spawnError: {
      code,
      ...(synchronously && { thrownSynchronously: true }),
      ...(code === "ENOENT" && { missing })
    }
  }
}

/** Runs the child to its end. Interruption ends its whole process group and waits until it is gone. */
export const runChild = (plan: ChildPlan): Effect.Effect<ProcessEnd> =>
  Effect.callback<ProcessEnd>((resume) => {
    const [command = "", ...args] = plan.argv
    let child: ChildProcess
    try {
      child = spawn(command, args, {
        ...(plan.cwd !== undefined && { cwd: plan.cwd }),
        env: plan.env,
        detached: true,
        stdio: [plan.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true
      })
    } catch (thrown) {
      // `spawn` itself throws for arguments that are too long or hold a NUL.
      resume(Effect.succeed(spawnEnd(thrown, plan, true)))
      return undefined
    }
    const running = new Running(child, plan, (end) => resume(Effect.succeed(end)))
    return Effect.callback<void>((gone) => running.interrupt(() => gone(Effect.void)))
  })
