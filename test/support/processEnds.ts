// Ends of subprocesses as a test writes them down, and what is read of them.
import { Result } from "effect"
import { readProcess } from "../../src/adapters/classify/classifyProcess.ts"
import type { CliFormat } from "../../src/adapters/classify/readCli.ts"
import type { ProcessEnd } from "../../src/kernel/subprocess/Subprocess.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const reading = { now, clean: (text: string) => text }

const end = (part: Partial<ProcessEnd>): ProcessEnd => ({
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  ...part
})

export const lines = (...events: ReadonlyArray<object>) =>
  events.map((event) => `${JSON.stringify(event)}\n`).join("")

export const claude = (part: object) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "ok",
  stop_reason: "end_turn",
  total_cost_usd: 0.01,
  usage: { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 10, output_tokens: 5 },
  ...part
})

export const errorOf = (format: CliFormat, part: Partial<ProcessEnd>) => {
  const read = readProcess("tool", format, end(part), reading)
  if (Result.isSuccess(read)) throw new Error(`an answer: ${read.success.text}`)
  return read.failure
}
export const answerOf = (format: CliFormat, part: Partial<ProcessEnd>) =>
  Result.getOrThrow(readProcess("tool", format, end(part), reading))
