// A run's identity: every part counts, absent is absent, and the hash of each part is told apart.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { fingerprint, sha256 } from "../../../src/domain/fingerprint.ts"
import {
  formerRunIdFor,
  runIdFor,
  runIdPattern,
  specFingerprints,
  specParts,
  type RunSpec
} from "../../../src/domain/run/RunSpec.ts"

const hash = (text: string) => sha256(text)
const base: RunSpec = { goal: "audit", plan: [["plan.ts", hash("plan")]] }
const idOf = (spec: RunSpec) => Result.getOrThrow(runIdFor(spec))

const variants: ReadonlyArray<readonly [string, RunSpec]> = [
  ["goal", { ...base, goal: "audit " }],
  ["plan bytes", { ...base, plan: [["plan.ts", hash("plan2")]] }],
  ["plan path", { ...base, plan: [["plan2.ts", hash("plan")]] }],
  [
    "plan module added",
    {
      ...base,
      plan: [
        ["plan.ts", hash("plan")],
        ["z.ts", hash("z")]
      ]
    }
  ],
  ["entry", { ...base, entry: "plan.ts" }],
  ["another entry", { ...base, entry: "helper.ts" }],
  ["program", { ...base, program: "p" }],
  ["contract", { ...base, contract: { budget: { usd: 1 } } }],
  ["another contract", { ...base, contract: { budget: { usd: 2 } } }],
  ["args", { ...base, args: {} }],
  ["args null", { ...base, args: null }],
  ["files", { ...base, files: [["a.txt", hash("a")]] }],
  ["no files is not absent files", { ...base, files: [] }],
  ["boards", { ...base, boards: { b: { members: [] } } }],
  ["another board", { ...base, boards: { b: { members: [1] } } }],
  ["library", { ...base, library: hash("l") }],
  ["models", { ...base, models: { default: "offline" } }],
  ["hermetic", { ...base, hermetic: true }],
  ["nonce", { ...base, nonce: 1 }],
  ["another nonce", { ...base, nonce: 2 }]
]

describe("runIdFor", () => {
  it("is run- and 16 hex digits of the fingerprint of { v: 2, ...spec }", () => {
    assert.match(idOf(base), runIdPattern)
    assert.strictEqual(idOf(base), `run-${Result.getOrThrow(fingerprint({ v: 2, ...base })).slice(0, 16)}`)
  })

  it("differs with every part", () => {
    const ids = [base, ...variants.map(([, spec]) => spec)].map(idOf)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("is the same for an absent part and an undefined one, and in any order of members", () => {
    const spec = { nonce: undefined, plan: base.plan, args: undefined, goal: base.goal }
    // Undefined members get in from untyped callers only.
    assert.strictEqual(Result.getOrThrow(fingerprint({ v: 2, ...spec })).slice(0, 16), idOf(base).slice(4))
  })

  it("was, in its first version, the same for every entry", () => {
    const former = (spec: RunSpec) => Result.getOrThrow(formerRunIdFor(spec))
    const first = `run-${Result.getOrThrow(fingerprint({ v: 1, ...base })).slice(0, 16)}`
    assert.strictEqual(former(base), first)
    assert.strictEqual(former({ ...base, entry: "plan.ts" }), first)
  })

  it("refuses a part that JSON cannot carry", () => {
    assert.isTrue(Result.isFailure(runIdFor({ ...base, goal: "\ud800" })))
  })
})

describe("specFingerprints", () => {
  it("tells which part changed, and only that", () => {
    const before = Result.getOrThrow(specFingerprints(base))
    for (const [name, spec] of variants) {
      const after = Result.getOrThrow(specFingerprints(spec))
      const changed = specParts.filter((part) => before[part] !== after[part])
      assert.strictEqual(changed.length, 1, name)
      assert.deepStrictEqual(
        after[changed[0] ?? "goal"],
        Result.getOrThrow(fingerprint(spec[changed[0] ?? "goal"]))
      )
    }
  })
})
