// Subprocess: how a program is run to its end, as what it is given and what became of it. The live one is
// Subprocess.node.ts; what an end means to an adapter or a proof is theirs.

export interface SubprocessPlan {
  readonly argv: ReadonlyArray<string>
  /** What is written to stdin before it is closed; absent: stdin is empty. */
  readonly stdin?: string
  readonly cwd?: string
  /** All of its environment: nothing of the host's is added. */
  readonly env: Readonly<Record<string, string>>
  /** Its own limit in ms, beside the spine's. */
  readonly timeLimitMs?: number
  readonly maxOutputBytes: number
  /** How long output is still read after the child has gone: a grandchild may hold the pipe open for ever. */
  readonly drainMs: number
  /** From SIGTERM to SIGKILL. */
  readonly killGraceMs: number
}

/** How a subprocess ended. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Our own kill, known before it was sent. */
  readonly killedBy?: "deadline" | "output-cap"
  readonly spawnError?: {
    readonly code: string
    readonly thrownSynchronously?: boolean
    /** Which one is not there: ENOENT means both. */
    readonly missing?: "command" | "cwd"
    /** The run's directory did not take its registration, without which nothing starts. */
    readonly unregistered?: boolean
  }
}
