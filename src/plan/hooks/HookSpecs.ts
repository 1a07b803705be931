// HookSpecs: what `h.mission` and `h.council` are given, as an editor completes it. Types only, the shapes of the Schemas
// that mission/ and council/ check them with, which the plan's side does not import: a test holds the two together.
// Types and not interfaces, so that they are JSON as they are.
import type { Json } from "../../domain/json/canonicalJson.ts"
import type { Tier } from "../../domain/Call.ts"

/** A unit of work of a mission. It has a proof or fulfils an assertion of the contract. */
export type MissionUnit = {
  /** Letters, digits, `.`, `_`, `-`. */
  readonly id: string
  readonly prompt: string
  /** Ids of the contract's proofs, or commands that it allows: a text of plain words, or the words. No shell. */
  readonly proof?: ReadonlyArray<string | ReadonlyArray<string>>
  /** Ids of the contract's assertions. Each assertion is claimed by exactly one unit. */
  readonly fulfills?: ReadonlyArray<string>
  /** Ids of units that must be done before. */
  readonly dependsOn?: ReadonlyArray<string>
  /** Without one it is T4: a person must approve of it. */
  readonly tier?: Tier
  /** Only models that are free and local. */
  readonly local?: boolean
  readonly model?: string
  readonly profile?: string
  readonly maxAttempts?: number
}

/** A goal with a contract: units, each with its proof. */
export type MissionSpec = {
  readonly title: string
  readonly units: ReadonlyArray<MissionUnit>
  /** After these units are done, what they fulfil is validated. */
  readonly milestones?: ReadonlyArray<{ readonly id: string; readonly units: ReadonlyArray<string> }>
  /** Of each unit; 3 unless given. */
  readonly maxAttempts?: number
  /** How many times what the validator refused is given back as fix units; 2 unless given. */
  readonly maxFixRounds?: number
  readonly concurrency?: number
}

/** A member of a board. Exactly one has the role `contrarian`: it speaks last and alone. */
export type BoardMember = {
  readonly id: string
  readonly role: string
  readonly model?: string
  readonly persona?: string
  readonly weight?: number
}

export type BoardPhaseKind = "opening" | "critique" | "revision" | "contrarian" | "ballot"

/** A board in place, as its file has it. Times in milliseconds. */
export type BoardSpec = {
  readonly id?: string
  readonly title?: string
  readonly members: ReadonlyArray<BoardMember>
  readonly phases?: ReadonlyArray<
    | BoardPhaseKind
    | {
        readonly phase: BoardPhaseKind
        readonly members?: ReadonlyArray<string>
        readonly instructions?: string
      }
  >
  /** Scored from 0 to 10. Only the ratios of weights count. */
  readonly axes?: ReadonlyArray<{
    readonly id: string
    readonly weight: number
    readonly description?: string
  }>
  readonly thresholds?: { readonly go: number; readonly pivot: number }
  readonly contrarianVotes?: boolean
  readonly anonymous?: boolean
  readonly permutations?: number
  readonly budget?: { readonly calls?: number; readonly usd?: number }
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly timeoutMs?: number
}

/** Evidence that members may cite in claims. */
export type CouncilEvidence =
  | {
      readonly kind: "file"
      readonly id: string
      readonly path: string
      readonly sha256: string
      readonly bytes: number
      readonly text?: string
    }
  /** Members read it; a claim on it is unproven. What the engine ran itself is named by `kind: "proof"`. */
  | {
      readonly kind: "command"
      readonly id: string
      readonly command: ReadonlyArray<string>
      readonly exitCode: number | null
      readonly stdout: string
      readonly stderr: string
      readonly truncated?: boolean
      readonly timedOut?: boolean
    }
  | { readonly kind: "number"; readonly id: string; readonly value: number | string; readonly unit?: string }
  | { readonly kind: "json"; readonly id: string; readonly value: Json }
  | { readonly kind: "source"; readonly id: string; readonly uri: string; readonly text: string }
  | { readonly kind: "unreadable"; readonly id: string; readonly reason: string }
  /** A proof of a mission of this run, by its id: as it ended when it was last run. */
  | { readonly kind: "proof"; readonly id: string; readonly proof: string }

/** A debate: a board and what it decides on. */
export type CouncilSpec = {
  /** A name in alembic.json's `boards`, or a board in place. */
  readonly board: string | BoardSpec
  readonly question: string
  readonly context?: string
  readonly files?: ReadonlyArray<{ readonly path: string; readonly text: string }>
  /** What the ballot ranks; ids are unique. */
  readonly options?: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly evidence?: ReadonlyArray<CouncilEvidence>
}
