// Every shared determinism case, by its id, against the static layer: verdict, construct, and the position to the
// column. What only the runtime layer can decide is its test's; here such a case must merely not be refused wrongly.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Finding } from "../../src/domain/Finding.ts"
import { inspectPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { determinismCases, writeCase, type DeterminismCase } from "../support/determinismCases.ts"

/**
 * Cases that sane engines judge differently, and what the static layer does with them. `accept`: it finds nothing, and
 * the runtime layer has the last word.
 */
const policies: Readonly<
  Record<string, { readonly verdict: "accept" | "refuse"; readonly because: string }>
> = {
  D149: { verdict: "refuse", because: "node: builtins are outside the plan's surface, pure ones too" },
  D150: { verdict: "refuse", because: "node: builtins are outside the plan's surface, pure ones too" },
  D152: { verdict: "refuse", because: "an import is refused for what it reaches, not for what it binds" },
  D162: { verdict: "refuse", because: "a file outside the plan's root is not part of its identity" },
  D163: { verdict: "refuse", because: "a file outside the plan's root is not part of its identity" },
  D164: { verdict: "refuse", because: "a link is where it leads: outside the root" },
  D178: { verdict: "refuse", because: "where a plan lies differs between machines" },
  D179: { verdict: "refuse", because: "where a plan lies differs between machines" },
  D180: { verdict: "refuse", because: "where a plan lies differs between machines" },
  D206: { verdict: "accept", because: "typeof reads nothing, and in a plan the answer is always undefined" },
  D207: { verdict: "accept", because: "the specification: console goes to the log" },
  D221: { verdict: "accept", because: "the plan's process has a fixed time zone" },
  D223: { verdict: "accept", because: "the plan's process has a fixed time zone" },
  D224: { verdict: "accept", because: "the plan's process has a fixed time zone" },
  D225: { verdict: "accept", because: "the plan's process has a fixed time zone" },
  D229: { verdict: "accept", because: "locale and zone are fixed; the ICU version stands in meta.json" },
  D230: { verdict: "accept", because: "public workflow scripts format numbers so; the locale is fixed" },
  D231: { verdict: "accept", because: "public workflow scripts format numbers so; the locale is fixed" },
  D234: { verdict: "accept", because: "the plan's process has a fixed locale" },
  D241: { verdict: "accept", because: "the specification: completions come one at a time, in journal order" },
  D247: { verdict: "refuse", because: "nothing legitimate in a plan needs shared memory" },
  D254: {
    verdict: "accept",
    because: "the same code has the same stack; paths in it are the runtime layer's"
  }
}

const staticVerdict = (test: DeterminismCase): "accept" | "refuse" | "either" => {
  if (test.verdict === "accept") return "accept"
  const policy = policies[test.id]
  if (policy !== undefined) return policy.verdict
  return test.layer === "runtime" ? "either" : "refuse"
}

const judge = (path: string) => inspectPlan(path).pipe(Effect.provide(layer), Effect.result)

const show = (findings: ReadonlyArray<Finding>): string =>
  findings.map((finding) => finding.message).join("\n")

/** `Date.now()` is as good as `Date.now`; what is named by how it was reached has its own tests. */
const isNamedAs = (test: DeterminismCase, finding: Finding): boolean =>
  finding.construct.replace(/\(\)$/, "") === test.construct.replace(/\(\)$/, "")

/** Where our name for it says more, or less, than the case's. */
const otherwiseNamed: Readonly<Record<string, string>> = {
  D120: "globalThis (alias)",
  D153: "import os"
}

describe("determinism, static layer", () => {
  for (const test of determinismCases) {
    const verdict = staticVerdict(test)
    it.effect(`${test.id} ${test.slug}: ${verdict}`, () =>
      Effect.gen(function* () {
        const { path } = yield* Effect.acquireRelease(
          Effect.sync(() => writeCase(test)),
          ({ remove }) => Effect.sync(remove)
        )
        const inspected = yield* judge(path)
        if (Result.isFailure(inspected)) {
          assert.strictEqual(test.verdict, "refuse", inspected.failure.message)
          assert.include(["plan_unparsable", "plan_unreadable"], inspected.failure.code)
          assert.strictEqual(test.kind, "syntax", inspected.failure.message)
          return
        }
        const { findings, hasRun } = inspected.success
        if (test.verdict === "accept") assert.isTrue(hasRun)
        if (verdict === "accept") return assert.strictEqual(show(findings), "")
        if (verdict === "either") {
          if (test.kind === "contract" || findings.length === 0) return
          return assert.strictEqual(test.kind, "escape", show(findings))
        }
        const [first] = findings
        assert.isDefined(first, "no finding")
        if (test.at !== undefined) {
          assert.deepStrictEqual(
            { file: first.file, line: first.line, column: first.column },
            test.at,
            show(findings)
          )
        }
        const named = findings.some(
          (finding) => isNamedAs(test, finding) || finding.construct === otherwiseNamed[test.id]
        )
        assert.isTrue(named, `${test.construct} is not among: ${show(findings)}`)
        for (const finding of findings) assert.isAbove(finding.instead.length, 10)
      })
    )
  }

  it("decides every policy case that the static layer can decide", () => {
    const undecided = determinismCases.filter(
      (test) =>
        test.binding === "policy" &&
        test.verdict === "refuse" &&
        test.layer !== "runtime" &&
        policies[test.id] === undefined
    )
    assert.deepStrictEqual(
      undecided.map((test) => test.id),
      []
    )
  })

  it("has no policy for a case that leaves no choice", () => {
    const must = determinismCases.filter((test) => test.binding === "must").map((test) => test.id)
    assert.deepStrictEqual(
      Object.keys(policies).filter((id) => must.includes(id)),
      []
    )
  })
})
