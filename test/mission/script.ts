// A mission on a script: ports that answer by label and command and keep what they were asked. For tests of the
// interpreter, without models and subprocesses.
import { Effect } from "effect"
import type { AgentOptions } from "../../src/domain/Call.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import type { Contract } from "../../src/domain/Contract.ts"
import { sha256 } from "../../src/domain/fingerprint.ts"
import type { ModelRunResult } from "../../src/domain/ModelRun.ts"
import type { ProofResult } from "../../src/mission/Mission.ts"
import type { Approval, MissionPorts, ProofRequest } from "../../src/mission/MissionPorts.ts"

export const contract: Contract = {
  commands: ["npm", "node --test"],
  assertions: [
    {
      id: "a-built",
      statement: "it is built",
      oracle: "containment",
      args: { value: "built" },
      evidence: "file:out.txt"
    },
    {
      id: "a-tested",
      statement: "the tests pass",
      oracle: "exit_code",
      args: { code: 0 },
      evidence: "proof:suite"
    }
  ],
  proofs: [{ id: "suite", command: ["npm", "test"] }]
}

export const spec = (rest: Readonly<Record<string, Json>> = {}): { readonly [key: string]: Json } => ({
  title: "Ship it",
  units: [
    { id: "build", prompt: "Build it", proof: [["npm", "run", "build"]], fulfills: ["a-built"], tier: "T1" },
    {
      id: "test",
      prompt: "Test it",
      proof: ["suite"],
      fulfills: ["a-tested"],
      dependsOn: ["build"],
      tier: "T1"
    }
  ],
  ...rest
})

export const worked = (summary: string, files: ReadonlyArray<string> = []): ModelRunResult => ({
  ok: true,
  adapterId: "fake",
  modelId: "m",
  requestId: "r",
  durationMs: 0,
  text: summary,
  output: { summary, files, notes: "" },
  finishReason: "stop",
  costUsd: 0,
  attempts: 1
})

export const workerFailed = (status: "failed" | "parked" = "failed"): ModelRunResult => ({
  ok: false,
  status,
  adapterId: "fake",
  modelId: "m",
  requestId: "r",
  durationMs: 0,
  attempts: 1,
  error: { code: "server_error", message: "down", retryable: true }
})

export const ended = ({ proof }: ProofRequest, exitCode: number | null = 0, stdout = ""): ProofResult => ({
  id: proof.id,
  command: proof.command,
  exitCode,
  stdout,
  stderr: ""
})

export interface Script {
  readonly ask?: (call: AgentOptions) => ModelRunResult
  readonly prove?: (request: ProofRequest) => ProofResult
  readonly files?: Readonly<Record<string, string>>
  readonly approve?: (item: string) => Approval
  /** Whether a council's GO is enough: not where a person has refused it. */
  readonly waive?: boolean
  readonly council?: { readonly decision?: string; readonly conclusive?: boolean }
  readonly scope?: { readonly ok: boolean; readonly detail: string }
  readonly isLocal?: boolean
}

export const scripted = (script: Script = {}) => {
  const asked: Array<AgentOptions> = []
  const proved: Array<ProofRequest> = []
  const recorded: Array<readonly [string, Json]> = []
  const approvals: Array<string> = []
  const files: Record<string, string> = { "out.txt": "built", ...script.files }
  const { council, isLocal, scope, waive } = script
  const ports: MissionPorts = {
    ask: (call) =>
      Effect.sync(() => {
        asked.push(call)
        return script.ask?.(call) ?? worked(`did ${call.label}`)
      }),
    prove: (request) =>
      Effect.sync(() => {
        proved.push(request)
        return script.prove?.(request) ?? ended(request)
      }),
    readFile: (path) =>
      Effect.sync(() => {
        const text = files[path]
        return text === undefined ? undefined : new TextEncoder().encode(text)
      }),
    folder: Effect.sync(() =>
      Object.entries(files)
        .map(([path, text]) => [path, sha256(text)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    ),
    record: (kind, data) => Effect.sync(() => void recorded.push([kind, data])),
    approve: ({ item }) =>
      Effect.sync(() => {
        approvals.push(item)
        return script.approve?.(item) ?? "parked"
      }),
    ...(waive === undefined ? {} : { waive: () => Effect.succeed(waive) }),
    ...(council === undefined ? {} : { council: Effect.succeed(council) }),
    ...(scope === undefined ? {} : { scope: Effect.succeed(scope) }),
    ...(isLocal === undefined ? {} : { isLocal: () => Effect.succeed(isLocal) })
  }
  return {
    ports,
    asked,
    proved,
    recorded,
    approvals,
    files,
    labels: () => asked.map(({ label = "" }) => label.replace(/^m-[0-9a-f]{8}\//, ""))
  }
}
