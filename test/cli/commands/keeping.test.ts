// Keeping house: what there is, one run of it, whether it is sound, cutting, moving and removing it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { alembic, jsonLines, lastLine } from "../../support/commandLine.ts"
import { planFolder } from "../../support/planFolder.ts"

const plan = `export const run = async (h, input) => {
  h.phase("A")
  await h.agent("a " + input.goal, { label: "alpha" })
  h.phase("B")
  await h.agent("b")
  return "done"
}`
const files = { "GOAL.md": "one", "two.md": "two", "three.md": "three", "alembic.plan.ts": plan }

const makeRun = (cwd: string, goal = "GOAL.md") =>
  Effect.map(alembic({ cwd }, "run", "--goal", goal, "--json"), (said) => String(lastLine(said)["runId"]))

const eventsFile = (cwd: string, runId: string) => join(cwd, ".alembic/runs", runId, "events.jsonl")

/** As if the run had last been written that many days ago. */
const age = (cwd: string, runId: string, days: number): void => {
  const then = Date.now() / 1000 - days * 86_400
  utimesSync(eventsFile(cwd, runId), then, then)
}

describe("alembic list and inspect", () => {
  it.live("list the runs, the last written first, and @last and unique beginnings name them", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const [one, two] = [yield* makeRun(cwd), yield* makeRun(cwd, "two.md")]
      age(cwd, one, 1)
      const lines = jsonLines(yield* alembic({ cwd }, "list", "--json"))
      assert.deepStrictEqual(
        lines.map(({ goal, runId, status }) => [runId, status, goal]),
        [
          [two, "completed", "two"],
          [one, "completed", "one"],
          [undefined, undefined, undefined]
        ]
      )
      assert.deepInclude(lines[0], { calls: 2, costUsd: 0 })
      assert.deepStrictEqual(lines[2], { type: "ListSummary", ok: true, count: 2 })
      const named = (id: string) =>
        Effect.map(alembic({ cwd }, "inspect", id, "--json"), (said) => lastLine(said))
      assert.deepNestedInclude(yield* named("@last"), { "run.runId": two })
      const length = [...one].findIndex((char, n) => two[n] !== char) + 1
      assert.deepNestedInclude(yield* named(one.slice(0, length)), { "run.runId": one })
      assert.deepNestedInclude(yield* named(one.slice(4, length)), { "run.runId": one })
    })
  )

  it.live("a beginning of several runs names none", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      // Of seventeen ids two begin with the same digit.
      for (let n = 0; n < 17; n++) yield* alembic({ cwd }, "run", "--args", String(n), "--hermetic")
      const ids = jsonLines(yield* alembic({ cwd }, "list", "--json")).map(({ runId }) => String(runId))
      const shared =
        ids.find((id) => ids.filter((other) => other.startsWith(id.slice(0, 5))).length > 1) ?? ""
      const said = yield* alembic({ cwd }, "verify", shared.slice(0, 5), "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "ambiguous_id" })
    })
  )

  it.live("inspect shows phases and calls with what they cost", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = yield* makeRun(cwd)
      const inspection = lastLine(yield* alembic({ cwd }, "inspect", runId, "--json"))
      assert.deepNestedInclude(inspection, { type: "Inspect", "run.status": "completed", phases: ["A", "B"] })
      const { calls } = inspection
      assert.deepStrictEqual(
        (Array.isArray(calls) ? calls : []).map(({ attempts, costUsd, label, phase, status }) => [
          label,
          phase,
          status,
          attempts,
          costUsd
        ]),
        [
          ["alpha", "A", "completed", 1, 0],
          [undefined, "B", "completed", 1, 0]
        ]
      )
      assert.match((yield* alembic({ cwd }, "inspect", runId)).out, /▸ A\n +1 {2}✓ alpha/)
    })
  )

  it.live("tail of an ended run prints its events and ends", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = yield* makeRun(cwd)
      const said = yield* alembic({ cwd }, "tail", runId, "--json")
      const lines = said.out.split("\n")
      assert.strictEqual(`${lines.slice(0, -1).join("\n")}\n`, readFileSync(eventsFile(cwd, runId), "utf8"))
      assert.deepStrictEqual(lastLine(said), {
        type: "TailSummary",
        ok: true,
        runId,
        events: lines.length - 1,
        status: "completed"
      })
    })
  )
})

describe("alembic verify and repair", () => {
  it.live(
    "a changed byte is found with its line and exit 5; the log is cut before it, with a backup, and goes on",
    () =>
      Effect.gen(function* () {
        const cwd = yield* planFolder(files)
        const runId = yield* makeRun(cwd)
        const path = eventsFile(cwd, runId)
        const log = readFileSync(path, "utf8")
        writeFileSync(path, log.replace(`"label":"alpha"`, `"label":"alphb"`))
        const said = yield* alembic({ cwd }, "verify", runId, "--json")
        assert.strictEqual(said.code, 5)
        const summary = lastLine(said)
        assert.deepInclude(summary, { type: "VerifySummary", ok: false })
        const { problems } = summary
        const line = Math.min(
          ...(Array.isArray(problems) ? problems : []).map((one) => Number(one.line)).filter((n) => n > 0)
        )
        assert.strictEqual(line, 3)
        const people = yield* alembic({ cwd }, "verify", runId)
        assert.include(people.out, `next: alembic repair ${runId} --truncate-at 2`)

        const damaged = yield* alembic({ cwd }, "resume", runId, "--json")
        assert.strictEqual(damaged.code, 5)
        assert.deepInclude(lastLine(damaged), { status: "damaged", ok: false })

        const repaired = yield* alembic({ cwd }, "repair", runId, "--truncate-at", "2", "--json")
        assert.strictEqual(repaired.code, 0, repaired.out)
        const { backup } = lastLine(repaired)
        assert.strictEqual(
          readFileSync(String(backup), "utf8"),
          log.replace(`"label":"alpha"`, `"label":"alphb"`)
        )
        assert.strictEqual((yield* alembic({ cwd }, "verify", runId)).code, 0)
        const resumed = yield* alembic({ cwd }, "resume", runId, "--json")
        assert.deepInclude(lastLine(resumed), { status: "completed", result: "done" })
      })
  )

  it.live("what is derived from the log has a cure that works: repair makes it again", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = yield* makeRun(cwd)
      const dir = join(cwd, ".alembic/runs", runId)
      for (const file of ["checkpoint.json", "result.json"]) {
        writeFileSync(join(dir, file), "{}")
        const said = yield* alembic({ cwd }, "verify", runId)
        assert.strictEqual(said.code, 5)
        assert.include(said.out, `next: alembic repair ${runId} (`)
        const repaired = yield* alembic({ cwd }, "repair", runId, "--json")
        assert.deepInclude(lastLine(repaired), { ok: true, remade: [join(dir, file)] })
        assert.strictEqual((yield* alembic({ cwd }, "verify", runId)).code, 0)
      }
    })
  )

  it.live("a torn last line is cut when the run is gone on with, and is no damage", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = yield* makeRun(cwd)
      appendFileSync(eventsFile(cwd, runId), `{"seq":99,"at"`)
      assert.deepInclude(lastLine(yield* alembic({ cwd }, "resume", runId, "--json")), {
        status: "completed"
      })
      assert.strictEqual((yield* alembic({ cwd }, "verify", runId)).code, 0)
    })
  )
})

describe("alembic export and import", () => {
  it.live("move a run: the same bytes wherever it is done, and it replays identical there", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runId = yield* makeRun(cwd)
      const out = lastLine(yield* alembic({ cwd }, "export", runId, "--to", "a.tar", "--json"))
      assert.deepInclude(out, { type: "ExportSummary", ok: true, runId, file: "a.tar" })
      const there = lastLine(yield* alembic({ cwd }, "import", "a.tar", "--base-dir", "there", "--json"))
      assert.deepInclude(there, { type: "ImportSummary", ok: true, runId, sha256: out["sha256"] })
      assert.deepInclude(
        lastLine(yield* alembic({ cwd }, "replay", runId, "--base-dir", "there", "--json")),
        { identical: true }
      )
      const again = lastLine(
        yield* alembic({ cwd }, "export", runId, "--to", "b.tar", "--base-dir", "there", "--json")
      )
      assert.strictEqual(again["sha256"], out["sha256"])
      assert.deepStrictEqual(readFileSync(join(cwd, "a.tar")), readFileSync(join(cwd, "b.tar")))
    })
  )

  it.live("nothing is written over, and nothing is taken in that does not verify", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({ ...files, "a.tar": "mine", "bad.tar": "no archive" })
      const runId = yield* makeRun(cwd)
      const kept = yield* alembic({ cwd }, "export", runId, "--to", "a.tar", "--json")
      assert.notStrictEqual(kept.code, 0)
      assert.strictEqual(readFileSync(join(cwd, "a.tar"), "utf8"), "mine")
      const refused = yield* alembic({ cwd }, "import", "bad.tar", "--base-dir", "there", "--json")
      assert.notStrictEqual(refused.code, 0)
      assert.deepInclude(lastLine(refused), { ok: false })
      assert.isFalse(existsSync(join(cwd, "there/runs")) && readdirSync(join(cwd, "there/runs")).length > 0)
    })
  )
})

describe("alembic gc", () => {
  it.live("shows what would go, and removes it only when told to", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder(files)
      const runs = [
        yield* makeRun(cwd),
        yield* makeRun(cwd, "two.md"),
        yield* makeRun(cwd, "three.md")
      ] as const
      age(cwd, runs[0], 40)
      age(cwd, runs[1], 10)
      const shown = jsonLines(yield* alembic({ cwd }, "gc", "--older-than", "30", "--json"))
      assert.deepStrictEqual(
        shown.map(({ reason, removed, runId }) => [runId, reason, removed]),
        [
          [runs[0], "age", false],
          [undefined, undefined, undefined]
        ]
      )
      assert.strictEqual(jsonLines(yield* alembic({ cwd }, "list", "--json")).length, 4)
      const gone = lastLine(yield* alembic({ cwd }, "gc", "--keep", "1", "--apply", "--json"))
      assert.deepInclude(gone, { type: "GcSummary", ok: true, applied: true, count: 2 })
      assert.deepStrictEqual(
        jsonLines(yield* alembic({ cwd }, "list", "--json")).map(({ runId }) => runId),
        [runs[2], undefined]
      )
    })
  )

  it.live("asks which runs may go", () =>
    Effect.gen(function* () {
      const said = yield* alembic({ cwd: yield* planFolder({}) }, "gc", "--json")
      assert.strictEqual(said.code, 2)
      assert.deepNestedInclude(lastLine(said), { "error.code": "usage" })
    })
  )
})
