// show, why and diff: what a call was asked and answered and why it failed, which call differs, what leads on.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alembic, jsonLines, lastLine } from "../../../support/commandLine.ts"
import { planFolder } from "../../../support/planFolder.ts"

const plan = `export const run = async (h, input) => {
  h.phase("Rate")
  const slots = await h.parallel(
    [1, 2, 3, 4, 5, 6].map((n) => () => h.agent(\`rate part \${n}: \${input.goal}\`, { label: \`part \${n}\`, system: "be brief" }))
  )
  const good = slots.filter((slot) => slot.ok)
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] }
  const last = await h.agent("Sum up " + good.map(({ text }) => text).join("; "), { label: "sum up", schema })
  return last.ok ? last.output : last.error.message
}
`
const failure = { failure: { code: "client_error", message: "no such thing" } }
const fixtures = {
  rules: [
    ...[2, 3, 4, 5].map((n) => ({ match: { includes: `part ${n}` }, answer: failure })),
    { match: { includes: "part 1" }, answer: { text: "half an answ" }, finishReason: "length" }
  ],
  default: { text: "the very long answer of all" }
}
const folder = planFolder({
  "GOAL.md": "Find it",
  "alembic.plan.ts": plan,
  "fixtures.json": JSON.stringify(fixtures)
})
const begin = (cwd: string) =>
  Effect.map(alembic({ cwd }, "run", "--offline-fixtures", "fixtures.json", "--json"), (said) =>
    String(lastLine(said)["runId"])
  )

describe("alembic show", () => {
  it.live("tells what a call was asked, each answer it was sent, and where it was made", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* begin(cwd)
      const { code, out } = yield* alembic({ cwd }, "show", "@last", "sum up")
      assert.strictEqual(code, 0)
      assert.match(out, /call 7 {2}sum up {2}failed/)
      assert.match(out, /made at alembic\.plan\.ts:8:/)
      assert.match(out, /── prompt\n {2}Sum up half an answ; the very long/)
      assert.match(out, /3\. invalid_response: the answer holds no JSON value/)
      assert.strictEqual(out.split("it said:").length, 4)
      const byNumber = lastLine(yield* alembic({ cwd }, "show", "@last", "7", "--json"))
      assert.deepStrictEqual(byNumber, {
        type: "ShowSummary",
        ok: true,
        runId: String(byNumber["runId"]),
        calls: 1
      })
      const [call] = jsonLines(yield* alembic({ cwd }, "show", "@last", "1", "--json"))
      assert.deepNestedInclude(call, { "call.system": "be brief", "usedIn[0]": 7 })
      const key = String(call?.["key"])
      assert.include((yield* alembic({ cwd }, "show", "@last", key.slice(0, 10))).out, "call 1")
    })
  )

  it.live("--failed shows the calls that failed; --prompt and --answer print one text for a pipe", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* begin(cwd)
      assert.strictEqual(lastLine(yield* alembic({ cwd }, "show", "@last", "--failed", "--json"))["calls"], 5)
      assert.strictEqual(
        (yield* alembic({ cwd }, "show", "@last", "part 6", "--answer")).out,
        "the very long answer of all"
      )
      assert.strictEqual(
        (yield* alembic({ cwd }, "show", "@last", "2", "--prompt")).out,
        "rate part 2: Find it"
      )
      const several = yield* alembic({ cwd }, "show", "@last", "--failed", "--prompt")
      assert.strictEqual(several.code, 2)
      assert.include(several.err, "5 calls are named so")
      const none = yield* alembic({ cwd }, "show", "@last", "nobody")
      assert.strictEqual(none.code, 2)
      assert.match(none.err, /no call "nobody"[\s\S]*alembic inspect/)
    })
  )

  it.live("an answer that was cut is no plain ✓, here and in inspect; failures alike are one line", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* begin(cwd)
      const { out } = yield* alembic({ cwd }, "inspect", "@last")
      assert.match(out, /✂ part 1 {2}.*cut at the output limit/)
      assert.match(out, /✗ 4 × client_error {2}part 2, part 3, part 4, …/)
      assert.match((yield* alembic({ cwd }, "show", "@last", "1")).out, /completed, cut at the output limit/)
    })
  )
})

describe("alembic why", () => {
  it.live("says in a sentence why the run ended so, and the command that leads on", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const runId = yield* begin(cwd)
      const { out } = yield* alembic({ cwd }, "why", "@last")
      assert.match(out, /^incomplete: 4 of 6 items were lost \(4 × client_error, 1 × invalid_response\)/)
      assert.include(out, "1 answer cut at the output limit: call 1 (part 1)")
      assert.include(out, `alembic resume ${runId} --retry-failed`)
      const why = lastLine(yield* alembic({ cwd }, "why", "@last", "--json"))
      assert.deepInclude(why, { type: "Why", ok: true, next: `alembic resume ${runId} --retry-failed` })
    })
  )

  it.live("says of a call that no cache knew it what of it is another than in the run before", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      yield* begin(cwd)
      const path = join(cwd, "alembic.plan.ts")
      writeFileSync(path, readFileSync(path, "utf8").replace("rate part", "judge part"))
      yield* begin(cwd)
      const { out } = yield* alembic({ cwd }, "why", "@last", "part 6")
      assert.match(out, /not taken from call 6 of run-[0-9a-f]+, the nearest known one: its prompt differs/)
      assert.include(out, "[-rate-]{+judge+} part 6")
    })
  )
})

describe("alembic diff", () => {
  it.live("names the first call that differs, and its words; a run differs in nothing from itself", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const before = yield* begin(cwd)
      const path = join(cwd, "alembic.plan.ts")
      writeFileSync(path, readFileSync(path, "utf8").replace("Sum up", "Add up"))
      const after = yield* begin(cwd)
      const said = yield* alembic({ cwd }, "diff", before, after)
      assert.strictEqual(said.code, 0)
      assert.include(said.out, "first difference: call 7 (sum up)")
      assert.include(said.out, "[-Sum-]{+Add+} up")
      assert.include(said.out, "6 calls the same · 1 changed")
      assert.strictEqual((yield* alembic({ cwd }, "diff", before, after, "--exit-code")).code, 1)
      const same = lastLine(yield* alembic({ cwd }, "diff", before, before, "--json", "--exit-code"))
      assert.deepInclude(same, { type: "DiffSummary", identical: true, same: 7, changed: 0 })
    })
  )
})

describe("a call that was made again", () => {
  it.live("keeps how it had failed, and no time in which nobody worked on it is its own", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "GOAL.md": "g\n",
        "alembic.plan.ts": `export const run = async (h) => (await h.agent("go", { model: "command:flip", label: "go" })).ok`
      })
      const up = join(cwd, "up")
      const flip = { command: ["/bin/sh", "-c", `test -e '${up}' && echo fine || { echo bad >&2; exit 2; }`] }
      writeFileSync(join(cwd, "alembic.json"), JSON.stringify({ commands: { flip } }))
      yield* alembic({ cwd }, "run", "--yes")
      writeFileSync(up, "")
      const resumed = yield* alembic({ cwd }, "resume", "@last", "--retry-failed", "--yes")
      assert.strictEqual(resumed.code, 0, resumed.err)
      const { out } = yield* alembic({ cwd }, "show", "@last", "go")
      assert.match(out, /1\. \w+: .*bad/)
      assert.match(out, /2\. answered {2}made again after it had failed/)
      assert.notMatch(out, /crash|wait of/)
      const why = yield* alembic({ cwd }, "why", "@last", "go")
      assert.match(why.out, /attempt 1.*: .*bad/)
      assert.notMatch(why.out, /were waits/)
      const [call] = jsonLines(yield* alembic({ cwd }, "show", "@last", "1", "--json"))
      assert.deepNestedInclude(call, { "tries[1].again": "failed", status: "completed" })
      assert.strictEqual(
        call?.["scheduledAt"],
        Reflect.get(Object(Reflect.get(Object(call?.["tries"]), 1)), "startedAt")
      )
    })
  )

  it.live("is not one that a person answered", () =>
    Effect.gen(function* () {
      const cwd = yield* planFolder({
        "GOAL.md": "g\n",
        "alembic.plan.ts": `export const run = async (h) => (await h.agent("Which?", { model: "human", label: "choice" })).text`
      })
      yield* alembic({ cwd }, "run")
      yield* alembic({ cwd }, "answer", "@last", "q-1", "this")
      yield* alembic({ cwd }, "resume", "@last")
      const { out } = yield* alembic({ cwd }, "show", "@last", "choice")
      assert.match(out, /1\. answered/)
      assert.notMatch(out, /2\.|again|not known/)
      assert.notMatch((yield* alembic({ cwd }, "why", "@last")).out, /further attempt/)
    })
  )
})
