// From what a person gives to a run's spec and back: goal, plan, contract, args and attachments as values, their
// place in the spec, and the input the plan sees. Reading them from files is the caller's.
import { Result, Schema } from "effect"
import { canonicalJson, type Json, type NotCanonicalError } from "../../domain/json/canonicalJson.ts"
import { Contract } from "../../domain/Contract.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import { defined } from "../../domain/defined.ts"
import type { RunSpec } from "../../domain/run/RunSpec.ts"
import type { PlanBundle } from "../../plan/bundler/PlanBundle.ts"
import type { PlanInput } from "../../plan/host/PlanProtocol.ts"

/** A file that goes into the run's identity and to the plan as text. `path` is relative, with `/`. */
export interface Attachment {
  readonly path: string
  readonly bytes: Uint8Array
}

export interface PlanInputs {
  readonly goal: string
  readonly args?: Json
  readonly contract?: Contract
  /** Sorted by path. */
  readonly attachments: ReadonlyArray<Attachment>
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false })

/**
 * The value as a run's directory gives it back: keys in canonical order, no negative zero. What has no canonical form
 * has no run either.
 */
const asKept = (value: Json): Json =>
  Result.match(canonicalJson(value), {
    onSuccess: (text): Json => JSON.parse(text),
    onFailure: () => value
  })

/** What the plan's `run` gets: the same bytes when the run begins, goes on, is replayed or lends its answers. */
export const planInputOf = (inputs: PlanInputs): PlanInput => ({
  goal: inputs.goal,
  ...(inputs.args === undefined ? {} : { args: asKept(inputs.args) }),
  ...(inputs.contract === undefined ? {} : { contract: contractJson(inputs.contract) }),
  files: inputs.attachments.map(({ bytes, path }) => ({
    path,
    text: decoder.decode(bytes),
    sha256: sha256(bytes)
  })),
  ...(inputs.contract?.budget?.outputTokens === undefined
    ? {}
    : { budgetOutputTokens: inputs.contract.budget.outputTokens })
})

/** The contract as plain JSON. A contract that decoded is JSON, so the canonical form cannot fail. */
export const contractJson = (contract: Contract): Json =>
  JSON.parse(Result.getOrThrow(canonicalJson(contract)))

export const decodeContract = Schema.decodeUnknownResult(Contract, {
  onExcessProperty: "error",
  errors: "all"
})

/** The part of a spec that boards are: without any, no part. */
export const boardsPart = (boards: Readonly<Record<string, Json>> = {}): Pick<RunSpec, "boards"> =>
  Object.keys(boards).length === 0 ? {} : { boards }

/** The spec of a plan's run. `models` is the registry's identity. */
export const specOfPlan = (
  bundle: PlanBundle,
  inputs: PlanInputs,
  more: {
    readonly models: Json
    readonly hermetic: boolean
    readonly boards?: Readonly<Record<string, Json>>
    readonly library?: string
    readonly nonce?: number
  }
): RunSpec => ({
  goal: inputs.goal,
  entry: bundle.entry,
  plan: bundle.modules,
  ...(inputs.contract === undefined ? {} : { contract: contractJson(inputs.contract) }),
  ...defined({ args: inputs.args }),
  ...(inputs.attachments.length === 0
    ? {}
    : { files: inputs.attachments.map(({ bytes, path }) => [path, sha256(bytes)] as const) }),
  ...boardsPart(more.boards),
  ...defined({ library: more.library }),
  models: more.models,
  ...(more.hermetic ? { hermetic: true } : {}),
  ...defined({ nonce: more.nonce })
})

/** What the plan was given, out of a run's spec and blobs. */
export const inputsOfSpec = (
  spec: RunSpec,
  bytesOf: (sha256: string) => Uint8Array | undefined
): Result.Result<PlanInputs, NotCanonicalError | string> => {
  const attachments: Array<Attachment> = []
  for (const [path, hash] of spec.files ?? []) {
    const bytes = bytesOf(hash)
    if (bytes === undefined) return Result.fail(`attachment ${path} is not in the run's blobs`)
    attachments.push({ path, bytes })
  }
  const contract = spec.contract === undefined ? undefined : decodeContract(spec.contract)
  if (contract !== undefined && Result.isFailure(contract)) return Result.fail(contract.failure.message)
  return Result.succeed({
    goal: spec.goal,
    ...defined({ args: spec.args }),
    ...(contract === undefined ? {} : { contract: contract.success }),
    attachments
  })
}
