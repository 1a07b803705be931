// The kill matrix: a real process of the command against a real server on loopback, killed with SIGKILL at a chosen
// moment, then resumed. The server's own count is the witness of what was asked again.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** When the process is killed. `event`: its n-th event is out. `asked` / `answered`: the server has its n-th request, before or after it answers. */
export interface Moment {
  readonly at: "event" | "asked" | "answered"
  readonly n: number
}

/** Fan-out, pipeline and a reduce: 5 calls for every four of `width`, and one more. */
export const planOf = (width: number): string => `export const run = async (h) => {
  h.phase("fan out")
  const seeds = Array.from({ length: ${width} }, (_, index) => index)
  const judged = await h.parallel(seeds.map((seed) => () => h.agent("judge " + seed)))
  h.log("judged", { of: judged.length })
  h.phase("refine")
  const refined = await h.pipeline(
    judged.filter((slot) => slot.ok).slice(0, ${Math.floor(width / 8)}),
    (slot) => h.agent("draft from " + slot.text),
    (draft) => h.agent("polish " + draft.text)
  )
  const sum = await h.agent("sum up " + refined.map((slot) => slot.text).join(" "))
  return { judged: judged.map((slot) => slot.text), sum: sum.text }
}
`

export const callsOf = (width: number): number => width + 2 * Math.floor(width / 8) + 1

interface Ended {
  readonly code: number | null
  readonly summary: Record<string, unknown> | undefined
  readonly events: number
}

export interface Trial {
  /** Requests for prompts whose answer the journal already had when the process was killed. Must be 0. */
  readonly repeated: number
  readonly sameResult: boolean
  readonly killed: boolean
  readonly requests: number
  readonly status: unknown
}

const promptOf = (body: string): string => {
  const { messages } = JSON.parse(body)
  const { content } = messages.at(-1)
  return typeof content === "string" ? content : content[0].text
}

export class KillMatrix {
  readonly main: string
  readonly folder: string
  readonly width: number
  private readonly counts = new Map<string, number>()
  private readonly server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (text += chunk))
    request.on("end", () => this.answer(promptOf(text), response))
  })
  private port = 0
  private asked = 0
  private answered = 0
  private onAsked: (n: number) => void = () => {}
  private onAnswered: (n: number) => void = () => {}
  private golden = ""
  events = 0

  constructor(main: string, width: number) {
    this.main = main
    this.width = width
    this.folder = mkdtempSync(join(tmpdir(), "alembic-kill-"))
    writeFileSync(join(this.folder, "GOAL.md"), "Go through it all.\n")
    writeFileSync(join(this.folder, "alembic.plan.js"), planOf(width))
  }

  private answer(prompt: string, response: ServerResponse): void {
    this.counts.set(prompt, (this.counts.get(prompt) ?? 0) + 1)
    this.onAsked(++this.asked)
    const body = JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 0,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: `<${prompt.slice(0, 60)}>` },
          finish_reason: "stop"
        }
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    })
    response.writeHead(200, { "content-type": "application/json" })
    response.end(body, () => this.onAnswered(++this.answered))
  }

  private run(args: ReadonlyArray<string>, onEvent: (n: number, kill: () => void) => void): Promise<Ended> {
    return new Promise((resolve) => {
      const env = {
        PATH: process.env["PATH"] ?? "",
        NO_COLOR: "1",
        OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${this.port}/v1`
      }
      const child = spawn(process.execPath, [this.main, ...args], {
        cwd: this.folder,
        env,
        stdio: ["ignore", "pipe", "ignore"]
      })
      const kill = () => void child.kill("SIGKILL")
      this.onAsked = (n) => onEvent(-n, kill)
      this.onAnswered = (n) => onEvent(-n - 0.5, kill)
      let out = ""
      let events = 0
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        out += chunk
        const lines = chunk.split("\n").length - 1
        for (let line = 0; line < lines; line++) onEvent(++events, kill)
      })
      child.on("close", (code) => {
        const last = out.trim().split("\n").at(-1) ?? ""
        const parsed: unknown =
          last.endsWith("}") && last.includes('"RunSummary"') ? JSON.parse(last) : undefined
        const summary =
          typeof parsed === "object" && parsed !== null
            ? Object.fromEntries(Object.entries(parsed))
            : undefined
        resolve({ code, summary, events })
      })
    })
  }

  private runArgs(base: string): ReadonlyArray<string> {
    return [
      "run",
      "--plan",
      "alembic.plan.js",
      "--model",
      "openai-compatible:m",
      "--yes",
      "--json",
      "--concurrency",
      "8",
      "--base-dir",
      base
    ]
  }

  /** Starts the server and runs once undisturbed. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    const address = this.server.address()
    this.port = typeof address === "object" && address !== null ? address.port : 0
    const whole = await this.run(this.runArgs("golden"), () => {})
    if (whole.summary?.["status"] !== "completed")
      throw new Error(`the undisturbed run ended with ${JSON.stringify(whole)}`)
    this.golden = JSON.stringify(whole.summary["result"])
    this.events = whole.events - 1
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Prompts whose answer stands in the journal, in a whole line. */
  private journaled(base: string): ReadonlyArray<string> {
    const runs = join(this.folder, base, "runs")
    mkdirSync(runs, { recursive: true })
    const prompts = new Map<string, string>()
    const done: Array<string> = []
    for (const run of readdirSync(runs)) {
      const lines = readFileSync(join(runs, run, "events.jsonl"), "utf8")
        .split("\n")
        .slice(0, -1)
      for (const line of lines) {
        const event = JSON.parse(line)
        const id = `${event.key}#${event.occurrence}`
        if (event.type === "CallScheduled") prompts.set(id, event.call.prompt)
        if (event.type === "CallCompleted") done.push(prompts.get(id) ?? "")
      }
    }
    return done
  }

  /** One run, killed at that moment and resumed. */
  async trial(name: string, { at, n }: Moment): Promise<Trial> {
    this.counts.clear()
    this.asked = 0
    this.answered = 0
    let killed = false
    const moment = at === "event" ? n : at === "asked" ? -n : -n - 0.5
    await this.run(this.runArgs(name), (now, kill) => {
      if (now !== moment) return
      killed = true
      kill()
    })
    const done = this.journaled(name)
    const before = new Map(done.map((prompt) => [prompt, this.counts.get(prompt) ?? 0]))
    const resumed = await this.run(this.runArgs(name), () => {})
    const repeated = done.filter((prompt) => (this.counts.get(prompt) ?? 0) !== before.get(prompt)).length
    rmSync(join(this.folder, name), { recursive: true, force: true })
    return {
      repeated,
      killed,
      sameResult: JSON.stringify(resumed.summary?.["result"]) === this.golden,
      requests: this.asked,
      status: resumed.summary?.["status"]
    }
  }
}
