// loadMission: from a spec and the contract to a Mission, or every reason why not. Every assertion is claimed by
// exactly one unit, the graph has no cycle, every command is one the contract names, and the last milestone, over
// everything, is added here: an author can neither write nor skip it.
import { Result, Schema } from "effect"
import type { Assertion, Contract } from "../domain/Contract.ts"
import { fingerprint } from "../domain/fingerprint.ts"
import { defined } from "../domain/defined.ts"
import { withoutSchema } from "../domain/json/userJson.ts"
import { issuesOf, pathText } from "../domain/schemaIssues.ts"
import { noOracle, oracleNamed } from "../verifier/oracleKit.ts"
import { allowedBy, defaultProofTimeoutMs, wordsOf } from "./proofs/commands.ts"
import { MissionSpec, type Milestone, type Mission, type Proof, type ProofRef, type Unit } from "./Mission.ts"
import { MissionError, type MissionCode, type MissionProblem } from "./MissionError.ts"
import { cycleOf } from "./unitGraph.ts"

/** The engine's own milestone, over all assertions. */
export const finalMilestone = "final"
const reserved = /^(?:final$|fix-|validator)/
const defaultMaxAttempts = 3
const defaultMaxFixRounds = 2
const defaultConcurrency = 4

const decode = Schema.decodeUnknownResult(MissionSpec, { onExcessProperty: "error" })

const problem = (code: MissionCode, path: string, message: string): MissionProblem => ({
  code,
  path,
  message
})

const repeated = (ids: ReadonlyArray<string>): ReadonlyArray<number> =>
  ids.flatMap((id, index) => (ids.indexOf(id) < index ? [index] : []))

const checkUnits = ({ units }: MissionSpec): ReadonlyArray<MissionProblem> => {
  const ids = units.map(({ id }) => id)
  const known = new Set(ids)
  const cycle = cycleOf(units.map(({ dependsOn, id }) => ({ id, dependsOn: dependsOn ?? [] })))
  return [
    ...(units.length === 0 ? [problem("no_units", "$.units", "a mission has at least one unit")] : []),
    ...repeated(ids).map((index) =>
      problem("duplicate_unit", `$.units[${index}].id`, `"${ids[index]}" stands twice`)
    ),
    ...ids.flatMap((id, index) =>
      reserved.test(id) ? [problem("reserved_id", `$.units[${index}].id`, `"${id}" is the engine's`)] : []
    ),
    ...units.flatMap(({ dependsOn }, index) =>
      (dependsOn ?? []).flatMap((on, at) =>
        known.has(on)
          ? []
          : [
              problem(
                "unknown_dependency",
                `$.units[${index}].dependsOn[${at}]`,
                `there is no unit "${on}"; there are ${ids.join(", ")}`
              )
            ]
      )
    ),
    ...(cycle === undefined ? [] : [problem("dependency_cycle", "$.units", cycle.join(" → "))]),
    ...units.flatMap(({ fulfills, proof }, index) =>
      (fulfills ?? []).length + (proof ?? []).length > 0
        ? []
        : [problem("nothing_proven", `$.units[${index}]`, "a unit has a proof or fulfils an assertion")]
    )
  ]
}

const checkAssertions = (
  { units }: MissionSpec,
  assertions: ReadonlyArray<Assertion>
): ReadonlyArray<MissionProblem> => {
  const ids = assertions.map(({ id }) => id)
  const claims = units.flatMap(({ fulfills }, index) =>
    (fulfills ?? []).map((id, at) => ({ id, path: `$.units[${index}].fulfills[${at}]` }))
  )
  return [
    ...repeated(ids).map((index) =>
      problem("duplicate_assertion", `contract.assertions[${index}].id`, `"${ids[index]}" stands twice`)
    ),
    ...assertions.flatMap(({ oracle }, index) =>
      oracleNamed(oracle) === undefined
        ? [problem("unknown_oracle", `contract.assertions[${index}].oracle`, noOracle(oracle))]
        : []
    ),
    ...claims.flatMap(({ id, path }, index) => {
      if (!ids.includes(id))
        return [
          problem(
            "unknown_assertion",
            path,
            `the contract has no assertion "${id}"${ids.length === 0 ? "" : `; it has ${ids.join(", ")}`}`
          )
        ]
      const earlier = claims.findIndex((claim) => claim.id === id)
      return earlier < index
        ? [problem("assertion_claimed_twice", path, `"${id}" is claimed at ${claims[earlier]?.path} already`)]
        : []
    }),
    ...assertions.flatMap(({ id }, index) =>
      claims.some((claim) => claim.id === id)
        ? []
        : [problem("unclaimed_assertion", `contract.assertions[${index}]`, `no unit fulfils "${id}"`)]
    )
  ]
}

const checkMilestones = ({ milestones = [], units }: MissionSpec): ReadonlyArray<MissionProblem> => {
  const ids = milestones.map(({ id }) => id)
  const known = new Set(units.map(({ id }) => id))
  return [
    ...repeated(ids).map((index) =>
      problem("duplicate_milestone", `$.milestones[${index}].id`, `"${ids[index]}" stands twice`)
    ),
    ...milestones.flatMap(({ id, units: of }, index) => [
      ...(reserved.test(id)
        ? [problem("reserved_id", `$.milestones[${index}].id`, `"${id}" is the engine's`)]
        : []),
      ...of.flatMap((unit, at) =>
        known.has(unit)
          ? []
          : [
              problem(
                "unknown_milestone_unit",
                `$.milestones[${index}].units[${at}]`,
                `there is no unit "${unit}"; there are ${[...known].join(", ")}`
              )
            ]
      )
    ])
  ]
}

const contractProofs = (contract: Contract): ReadonlyArray<Proof> =>
  (contract.proofs ?? []).map(({ command, id, timeoutMs }) => ({
    id,
    command,
    timeoutMs: timeoutMs ?? defaultProofTimeoutMs
  }))

const listed = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none" : names.join(", "))
const proofIds = (contract: Contract): string => listed((contract.proofs ?? []).map(({ id }) => id))

const proofOf = (contract: Contract, ref: ProofRef, path: string): Result.Result<Proof, MissionProblem> => {
  const named = contractProofs(contract).find(({ id }) => id === ref)
  if (named !== undefined) return Result.succeed(named)
  const command = typeof ref === "string" ? wordsOf(ref) : ref
  if (command === undefined) {
    return Result.fail(
      problem(
        "bad_command",
        path,
        `neither a proof of the contract (${proofIds(contract)}) nor plain words; there is no shell`
      )
    )
  }
  const allowed = allowedBy(contract, command)
  if (allowed === undefined) {
    return Result.fail(
      problem(
        "command_not_allowed",
        path,
        `the contract does not allow \`${command.join(" ")}\`; its proofs are ${proofIds(contract)}, its commands ${listed(contract.commands ?? [])}; a free place such as <file> takes one path inside the working directory, and no option`
      )
    )
  }
  const { places, prefix } = allowed
  return Result.succeed({
    id: command.join(" "),
    command,
    timeoutMs: defaultProofTimeoutMs,
    ...(places.length === 0 ? {} : { places }),
    ...defined({ prefix })
  })
}

/** The proofs of units that the contract allows, each once: those of a mission that has loaded. */
export const proofsOf = (contract: Contract, refs: ReadonlyArray<ProofRef>): ReadonlyArray<Proof> =>
  refs.flatMap((ref) => {
    const proof = proofOf(contract, ref, "$")
    return Result.isSuccess(proof) ? [proof.success] : []
  })

/** What whoever wrote the contract shall know: prefixes that allow more than a pattern would. */
export const noticesOf = ({ units }: Mission): ReadonlyArray<string> =>
  Array.from(
    new Set(
      units.flatMap(({ proofs }) =>
        proofs.flatMap(({ command, prefix }) =>
          prefix === undefined
            ? []
            : [
                `"${prefix}" under commands has no free place, and allows \`${command.join(" ")}\` as it would anything behind it that is no option; write "${prefix} <file>"`
              ]
        )
      )
    )
  )

/** Loads a mission. Without a contract there are no assertions, and no command is allowed. */
export const loadMission = (
  value: unknown,
  contract: Contract = {}
): Result.Result<Mission, MissionError> => {
  const read = decode(withoutSchema(value))
  if (Result.isFailure(read)) {
    const shape = issuesOf(read.failure).map(({ message, path }) =>
      problem("bad_shape", pathText(path), message)
    )
    return failWith(shape)
  }
  const spec = read.success
  const assertions = contract.assertions ?? []
  const proofs = spec.units.map(({ proof }, index) =>
    (proof ?? []).map((ref, at) => proofOf(contract, ref, `$.units[${index}].proof[${at}]`))
  )
  const problems = [
    ...checkUnits(spec),
    ...checkAssertions(spec, assertions),
    ...checkMilestones(spec),
    ...proofs.flat().flatMap((proof) => (Result.isFailure(proof) ? [proof.failure] : []))
  ]
  const id = fingerprint({ v: 1, spec, contract })
  if (Result.isFailure(id)) return failWith([...problems, problem("bad_shape", "$", id.failure.message)])
  if (problems.length > 0) return failWith(problems)

  const units = spec.units.map((unit, index): Unit => ({
    id: unit.id,
    prompt: unit.prompt,
    proofs: (proofs[index] ?? []).flatMap((proof) => (Result.isSuccess(proof) ? [proof.success] : [])),
    fulfills: unit.fulfills ?? [],
    dependsOn: unit.dependsOn ?? [],
    tier: unit.tier ?? "T4",
    local: unit.local ?? false,
    ...defined({ model: unit.model, profile: unit.profile }),
    maxAttempts: unit.maxAttempts ?? spec.maxAttempts ?? defaultMaxAttempts
  }))
  const claimedBy = (ids: ReadonlyArray<string>) => {
    const claimed = new Set(units.filter((unit) => ids.includes(unit.id)).flatMap(({ fulfills }) => fulfills))
    return assertions.filter((assertion) => claimed.has(assertion.id))
  }
  const milestones: ReadonlyArray<Milestone> = [
    ...(spec.milestones ?? []).map((milestone) => ({ ...milestone, assertions: claimedBy(milestone.units) })),
    { id: finalMilestone, units: units.map((unit) => unit.id), assertions }
  ]
  return Result.succeed({
    id: `m-${id.success.slice(0, 8)}`,
    title: spec.title,
    units,
    milestones,
    proofs: contractProofs(contract),
    maxFixRounds: spec.maxFixRounds ?? defaultMaxFixRounds,
    concurrency: spec.concurrency ?? defaultConcurrency
  })
}

/** What a contract asks of a run without a mission: its proofs and assertions, on what the run leaves behind. */
export const bareMission = (contract: Contract): Mission => ({
  id: "run",
  title: "the run",
  units: [],
  milestones: [{ id: finalMilestone, units: [], assertions: contract.assertions ?? [] }],
  proofs: contractProofs(contract),
  maxFixRounds: 0,
  concurrency: 1
})

const failWith = (problems: ReadonlyArray<MissionProblem>): Result.Result<Mission, MissionError> => {
  const [first = problem("bad_shape", "$", "not a mission"), ...rest] = problems
  return Result.fail(new MissionError({ problems: [first, ...rest] }))
}
