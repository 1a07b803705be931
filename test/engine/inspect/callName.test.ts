// Calls are named by what they are: proofs by unit and proof, approvals by what they let through, sleeps by their end;
// a proof that did not pass is marked so. A run that could not be opened shows no counts.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RunEventOf } from "../../../src/domain/run/RunEvent.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { notStarted } from "../../../src/engine/run/summarize.ts"
import { callName, proofFailure, sleepMsOf } from "../../../src/engine/inspect/callName.ts"
import { makeStyle } from "../../../src/cli/terminal/style.ts"
import { summaryText } from "../../../src/cli/render/run/summaryText.ts"
import { alembic, lastLine } from "../../support/commandLine.ts"
import { finish } from "../../support/commandProcess.ts"
import { missionFlags, missionFolder } from "../../support/missionFolder.ts"

const call = (verb: string, spec: Json, prompt?: string): RunEventOf<"CallScheduled"> => ({
  seq: 1,
  at: 0,
  prev: "",
  type: "CallScheduled",
  n: 7,
  key: "k",
  occurrence: 1,
  call: { verb, spec, ...(prompt === undefined ? {} : { prompt }) }
})

describe("callName", () => {
  const proof = { id: "tests", command: ["node", "--test"], timeoutMs: 1 }
  const cases: ReadonlyArray<readonly [RunEventOf<"CallScheduled">, string]> = [
    [call("agent", null, "Which   colour\nis it?"), "Which colour is it?"],
    [{ ...call("agent", null, "Which?"), label: "colour" }, "colour"],
    [
      call("mission.prove", { of: "m#1", step: { proof, task: "m-0123/queue", round: 1 } }),
      "prove queue tests"
    ],
    [
      call("mission.question", { of: "m#1", ask: { kind: "approval", text: "publish: what it made" } }),
      "approval: publish: what it made"
    ],
    [call("mission", { title: "Mend it", units: [] }), "mission Mend it"],
    [call("council", { question: "Which queue?", board: "tech" }), "council Which queue?"],
    [call("sleep", { ms: 90_000 }), "sleep 1 min 30 s"],
    [call("mission.look", "odd"), "mission.look"]
  ]
  for (const [event, name] of cases) it(name, () => assert.strictEqual(callName(event), name))

  it("knows how long a sleep is, and that nothing else is one", () => {
    assert.strictEqual(sleepMsOf(call("sleep", { ms: 5 })), 5)
    assert.isUndefined(sleepMsOf(call("agent", null, "sleep")))
  })

  it("says why a proof did not pass", () => {
    assert.strictEqual(proofFailure({ exitCode: 1 }), "exit code 1")
    assert.strictEqual(proofFailure({ exitCode: null, problem: "no such command" }), "no such command")
    assert.strictEqual(proofFailure({ exitCode: null, timedOut: true }), "timed out")
    assert.isUndefined(proofFailure({ exitCode: 0 }))
    assert.isUndefined(proofFailure({ ok: true, text: "exit" }))
  })
})

describe("a mission that is watched", () => {
  it.live("shows each proof with its unit, and that it failed; inspect says the same", () =>
    Effect.gen(function* () {
      const cwd = yield* missionFolder({ council: false, tier: "T2" })
      const said = yield* finish(cwd, "run", ...missionFlags, "--approve", "publish", "--yes", "--plain")
      assert.strictEqual(said.code, 0, said.err)
      assert.match(said.err, /✗ prove mend tests: exit code 1/)
      assert.match(said.err, /✓ prove mend tests/)
      const shown = yield* alembic({ cwd }, "inspect", "@last")
      assert.match(shown.out, /✗ prove mend tests .*exit code 1/)
      assert.notMatch(shown.out, /[0-9a-f]{12}#/)
      const { calls } = lastLine(yield* alembic({ cwd }, "inspect", "@last", "--json"))
      for (const one of Array.isArray(calls) ? calls : []) assert.isString(one.name)
    })
  )
})

describe("the summary of a run that could not be opened", () => {
  for (const status of ["damaged", "locked", "invalid"] as const) {
    it(`${status}: counts nothing`, () => {
      const text = summaryText(
        notStarted(status, { code: "x", message: "why" }, { runId: "run-0123456789abcdef", dir: "d" }),
        makeStyle(undefined)
      )
      assert.strictEqual(text.split("\n")[0], `${status} run-0123456789abcdef`)
      assert.notMatch(text, /calls|cost|tokens/)
    })
  }
})
