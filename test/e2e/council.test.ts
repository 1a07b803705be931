// `alembic council` as it is shipped, over a real protocol server: killed in the middle, it is gone on with out of its
// own directory, its board's file gone; nobody is asked again what was answered.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { finish, start, summaryOf } from "../support/commandProcess.ts"
import { councilServer, good, journaledIn, phaseOf } from "../support/councilServer.ts"
import { planFolder } from "../support/planFolder.ts"

const board = `id: three
members:
  - { id: ana, role: engineer }
  - { id: bo, role: tester }
  - { id: cy, role: owner }
  - { id: con, role: contrarian }
axes:
  - { id: value, weight: 1 }
  - { id: risk, weight: 1 }
`

/** Members that were given evidence are asked for claims on it too. */
const withClaims = (phase: string): string => {
  const said = JSON.parse(good(phase))
  return JSON.stringify(phase === "ballot" ? said : { ...said, claims: [] })
}

describe("alembic council", () => {
  for (const phase of ["critique", "contrarian", "ballot"]) {
    it.live(
      `killed in ${phase} and resumed from its own directory asks only what was not answered`,
      () =>
        Effect.gen(function* () {
          const cwd = yield* planFolder({ "b.yaml": board, "notes.txt": "It costs nine.\n" })
          const reached = yield* Deferred.make<void>()
          const asked: Array<string> = []
          const mock = yield* councilServer(
            (_model, at) => withClaims(at),
            (sent) => {
              asked.push(sent)
              if (phaseOf(sent) === phase) Deferred.doneUnsafe(reached, Exit.void)
            }
          )
          const wire = ["--base-url", `${mock.url}/v1`, "--yes"]
          const held = [
            "council",
            "b.yaml",
            "Shall we?",
            "--attach",
            "notes.txt",
            "--model",
            "openai-compatible:m"
          ]
          const first = yield* start(cwd, ...held, ...wire)
          yield* Deferred.await(reached)
          first.child.kill("SIGKILL")
          yield* first.ended
          const known = journaledIn(join(cwd, ".alembic"))
          const before = asked.length
          rmSync(join(cwd, "b.yaml"))
          rmSync(join(cwd, "notes.txt"))
          const [runId = ""] = readdirSync(join(cwd, ".alembic/runs"))
          const second = yield* finish(cwd, "resume", runId, ...wire, "--json")
          assert.strictEqual(second.code, 0, second.err)
          assert.deepNestedInclude(summaryOf(second), {
            runId,
            status: "completed",
            "result.decision": "GO",
            "result.conclusive": true
          })
          // Three members in four phases, and the contrarian: 13 calls.
          const again = asked.slice(before)
          assert.deepStrictEqual(
            again.filter((sent) => known.includes(sent)),
            []
          )
          assert.strictEqual(again.length, 13 - known.length)
          // People are shown the verdict, also by resume.
          assert.match((yield* finish(cwd, "resume", runId)).out, /^GO: Shall we\?$/m)
          assert.strictEqual(asked.length, before + again.length)
        }),
      30_000
    )
  }
})
