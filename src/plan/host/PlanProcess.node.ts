// PlanProcess: one child process with a plan in it, as the host sees it: a line out, a line back, time and memory
// watched with the machine's own clock, ended for good when it is not needed. Live: it starts real processes.
import type { ChildProcess } from "node:child_process"
import { Result } from "effect"
import { residentMb } from "../../kernel/processes/processTable.node.ts"
import { decodeChildLine, failedTurn } from "./planTurn.ts"
import type { Turn } from "./PlanProtocol.ts"
import { brokenTurn } from "./turnProtocol.ts"
import { spawnPlan, type ChildCommand } from "./spawnPlan.node.ts"

type Message = Extract<ReturnType<typeof decodeChildLine>, { readonly _tag: "Success" }>["success"]
type TurnMessage = Extract<Message, { readonly t: "turn" }>

/** What an exchange ends with: the child's own word, or the reason why there is none. */
export type Reply =
  | { readonly _tag: "turn"; readonly message: TurnMessage }
  | { readonly _tag: "ended"; readonly turn: Turn }

const watchEveryMs = 50
/** A process that does not come up is not the plan's fault, and not its time. */
const bootTimeoutMs = 60_000
const stderrLimit = 65_536
const newline = 10
/** A string of more could not be made. */
const maxLineBytes = 512 * 1024 * 1024
const outOfMemory =
  /heap out of memory|invalid size error|invalid table size|Allocation failed|allocation failed/

const neverUp = failedTurn("plan_crashed", `the plan's process did not come up in ${bootTimeoutMs} ms`)

const tooLong = (timeoutMs: number): Turn =>
  failedTurn(
    "plan_timeout",
    `the plan ran for more than ${timeoutMs} ms without going quiet`,
    "look for a loop that does not end"
  )

export class PlanProcess {
  readonly heapMb: number
  private readonly child: ChildProcess
  private waiting: ((reply: Reply) => void) | undefined
  private pieces: Array<Buffer> = []
  /** Bytes of the line that is not whole yet. */
  private held = 0
  private stderr = ""
  private ended: Turn | undefined
  private exited = false
  private ready = false
  private readonly atExit: Array<() => void> = []
  private stopWatching: () => void = () => {}
  private restartTimer: () => void = () => {}

  constructor(command: ChildCommand, heapMb: number) {
    this.heapMb = heapMb
    this.child = spawnPlan(command, heapMb)
    this.child.stdout?.on("data", (bytes: Buffer) => this.receive(bytes))
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-stderrLimit)
    })
    this.child.stdin?.on("error", () => {})
    this.child.on("error", (cause) => this.gone(`its process did not start: ${cause.message}`))
    this.child.on("close", (code, signal) => {
      this.gone(`its process ended with ${signal ?? `exit code ${code ?? "unknown"}`}`)
    })
  }

  /** Sends a line and hands over what comes back. One at a time. `timeoutMs` counts from the last sign of progress. */
  exchange(line: string, timeoutMs: number, onReply: (reply: Reply) => void): void {
    if (this.ended !== undefined) return onReply({ _tag: "ended", turn: this.ended })
    this.waiting = onReply
    this.watch(timeoutMs)
    this.child.stdin?.write(`${line}\n`)
  }

  /** Ends the process. `done` is called when it is gone. */
  kill(done: () => void = () => {}): void {
    this.waiting = undefined
    this.stopWatching()
    this.ended ??= failedTurn("plan_crashed", "the plan was ended by its host")
    if (this.exited) return done()
    this.atExit.push(done)
    this.child.kill("SIGKILL")
  }

  private watch(timeoutMs: number): void {
    let timer: NodeJS.Timeout | undefined
    const startTimer = () => {
      clearTimeout(timer)
      if (!this.ready) timer = setTimeout(() => this.end(neverUp), bootTimeoutMs)
      else if (Number.isFinite(timeoutMs)) timer = setTimeout(() => this.end(tooLong(timeoutMs)), timeoutMs)
    }
    const memory = setInterval(() => this.checkMemory(), watchEveryMs)
    this.restartTimer = startTimer
    this.stopWatching = () => {
      clearTimeout(timer)
      clearInterval(memory)
    }
    startTimer()
  }

  private checkMemory(): void {
    const { pid } = this.child
    const limit = this.heapMb * 1.5 + 128
    const used = pid === undefined ? undefined : residentMb(pid)
    if (used !== undefined && used > limit) this.end(this.tooLarge())
  }

  private tooLarge(): Turn {
    return failedTurn(
      "plan_out_of_memory",
      `the plan needed more memory than its process may have (${this.heapMb} MiB of heap)`,
      "keep less at one time"
    )
  }

  /** Ends the plan from outside: what it was doing has no other end. */
  private end(turn: Turn): void {
    if (this.ended !== undefined) return
    this.ended = turn
    this.child.kill("SIGKILL")
    this.reply({ _tag: "ended", turn })
  }

  private gone(why: string): void {
    this.exited = true
    const memory = outOfMemory.test(this.stderr)
    this.ended ??= memory ? this.tooLarge() : failedTurn("plan_crashed", `the plan crashed: ${why}`)
    this.reply({ _tag: "ended", turn: this.ended })
    for (const done of this.atExit.splice(0)) done()
  }

  private reply(reply: Reply): void {
    const { waiting } = this
    if (waiting === undefined) return
    this.waiting = undefined
    this.stopWatching()
    waiting(reply)
  }

  private receive(bytes: Buffer): void {
    let from = 0
    for (;;) {
      const at = bytes.indexOf(newline, from)
      if (at < 0) break
      this.pieces.push(bytes.subarray(from, at))
      from = at + 1
      this.line(this.takeLine())
    }
    if (from >= bytes.length) return
    this.pieces.push(bytes.subarray(from))
    this.held += bytes.length - from
    if (this.held > maxLineBytes) this.end(brokenTurn(`a line of more than ${maxLineBytes} bytes`))
  }

  /** The line whose pieces have come. A long one is there twice at the most while it is put together. */
  private takeLine(): string {
    const whole = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces)
    this.pieces = []
    this.held = 0
    return whole?.toString("utf8") ?? ""
  }

  private line(line: string): void {
    const decoded = decodeChildLine(line)
    if (Result.isFailure(decoded)) {
      return this.end(brokenTurn(decoded.failure))
    }
    if (decoded.success.t === "progress") {
      this.ready = true
      return this.restartTimer()
    }
    this.reply({ _tag: "turn", message: decoded.success })
  }
}
