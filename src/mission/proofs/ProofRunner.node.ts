// The live ProofRunner: a subprocess in the working directory, in a process group of its own, its environment
// cleaned, its time and output bounded. No shell. Nothing of the group is left when it ends or is interrupted.
import process from "node:process"
import { Effect, Layer } from "effect"
import { provingPrograms } from "../../kernel/processes/programs.node.ts"
import { runSubprocess } from "../../kernel/subprocess/Subprocess.node.ts"
import type { ProcessEnd } from "../../kernel/subprocess/Subprocess.ts"
import type { Proof, ProofResult, ProofRun } from "../Mission.ts"
import { ProofRunner } from "./ProofRunner.ts"

const maxOutputBytes = 4_000_000
const drainMs = 500
const killGraceMs = 2_000

/** What a build or a test runner needs to find its tools. Keys and everything else stay out. */
const kept = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"] as const

/** `path`: without what a worker may write to. */
const cleanEnvironment = (path: string): Readonly<Record<string, string>> => {
  const env: Record<string, string> = { TZ: "UTC", LC_ALL: "C", CI: "1", NO_COLOR: "1" }
  for (const name of kept) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  env["PATH"] = path
  return env
}

const resultOf = ({ command, id }: Proof, end: ProcessEnd): ProofResult => ({
  id,
  command,
  exitCode: end.killedBy === undefined ? end.exitCode : null,
  stdout: end.stdout.toWellFormed(),
  stderr: end.stderr.toWellFormed(),
  ...(end.killedBy === "output-cap" ? { truncated: true } : {}),
  ...(end.killedBy === "deadline" ? { timedOut: true } : {}),
  ...(end.spawnError === undefined
    ? {}
    : { problem: `the command could not be started (${end.spawnError.code})` })
})

const unstarted = ({ command, id }: Proof, problem: string): ProofResult => ({
  id,
  command,
  exitCode: null,
  stdout: "",
  stderr: "",
  problem
})

/** Commands run in `directory`. Programs are found on the path as it is now, before the run. */
export const layer = (directory: string): Layer.Layer<ProofRunner> =>
  Layer.sync(ProofRunner, () => {
    const programs = provingPrograms(directory, process.env["PATH"] ?? "")
    const run = Effect.fnUntraced(function* (proof: Proof) {
      const [name = "", ...args] = proof.command
      const found = yield* Effect.promise(() => programs.find(name))
      if (found._tag === "none") return unstarted(proof, found.problem)
      const end = yield* runSubprocess({
        argv: [found.path, ...args],
        cwd: directory,
        env: cleanEnvironment(programs.path),
        timeLimitMs: proof.timeoutMs,
        maxOutputBytes,
        drainMs,
        killGraceMs
      })
      const result: ProofRun = {
        ...resultOf(proof, end),
        program: { path: found.path, sha256: found.sha256 }
      }
      return result
    })
    return ProofRunner.of({ run })
  })
