// Runs of earlier versions still open. Each folder of test/fixtures/runs holds one, as the version that made it left
// it, and says in expected.json what is true of it; its README says how they were made. Here each is put into a
// folder of its own and used as somebody would who updated Alembic in between: verified, listed, inspected, replayed,
// gone on with, and begun once more.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { alembic, jsonLines, lastLine } from "../support/commandLine.ts"
import { finish, summaryOf } from "../support/commandProcess.ts"
import { modelServer } from "../support/ModelServer.ts"
import { planFolder } from "../support/planFolder.ts"

const fixtures = fileURLToPath(new URL("../fixtures/runs", import.meta.url))

/** An argument `RUN` is the run's id, `URL` the address of a model that answers. */
const Step = Schema.Struct({ args: Schema.Array(Schema.String), code: Schema.Int })

const Replay = Schema.Struct({
  identical: Schema.Boolean,
  compared: Schema.optionalKey(Schema.String),
  divergence: Schema.optionalKey(Schema.String),
  /** What the rule is now that the run began before. */
  rule: Schema.optionalKey(Schema.String)
})

const Expected = Schema.Struct({
  what: Schema.String,
  /** The commands that made it. */
  made: Schema.Array(Schema.String),
  run: Schema.String,
  /** What the crash left beside the log; a lock names its machine, so it is written here. */
  lock: Schema.optionalKey(Schema.Literal("of a dead process")),
  /** Blobs that are kept once for all runs. */
  shared: Schema.optionalKey(Schema.Array(Schema.String)),
  /** As it lies there: codes of the problems, state, replay. */
  verify: Schema.Array(Schema.String),
  status: Schema.String,
  replay: Replay,
  /** Commands that act in the working directory: the steps are made by the command as it is shipped. */
  acts: Schema.optionalKey(Schema.Boolean),
  /** What takes it to its end, and how that is. `made`: calls that the last step made. */
  steps: Schema.Array(Step),
  end: Schema.Struct({
    status: Schema.String,
    result: Schema.optionalKey(Schema.Json),
    coverage: Schema.Struct({ done: Schema.Int, of: Schema.Int }),
    costUsd: Schema.optionalKey(Schema.Finite),
    error: Schema.optionalKey(Schema.String),
    made: Schema.Int,
    inDoubt: Schema.optionalKey(Schema.Int),
    /** False for a run that had ended: its bytes are as they were. */
    appends: Schema.Boolean
  }),
  replayAtEnd: Schema.optionalKey(Replay),
  /** The command that began it: finds the run that is there, and makes no call. */
  again: Schema.optionalKey(Step)
})
const readExpected = Schema.decodeUnknownSync(Schema.fromJsonString(Expected), { onExcessProperty: "error" })

const versions = readdirSync(fixtures).filter((name) => /^v\d+$/.test(name))
const kinds = versions.flatMap((version) =>
  readdirSync(join(fixtures, version)).map((kind) => `${version}/${kind}`)
)

const objectIn = (value: unknown, name: string): Record<string, unknown> => Object(Object(value)[name])

/** A member of each phase of a board of three and a contrarian. */
const statements: Readonly<Record<string, unknown>> = {
  opening: { position: "yes", stance: "GO", objections: [] },
  contrarian: { position: "yes", stance: "PIVOT", objections: ["nobody has asked the users"] },
  ballot: {
    abstain: false,
    reason: "so",
    scores: { value: 9 },
    answers: [{ objection: "o-1", answer: "asked now", stands: false }]
  }
}

const statementFor = (prompt: string): string | undefined => {
  const phase = /Your task \((\w+)\)/.exec(prompt)?.[1]
  return phase === undefined ? undefined : JSON.stringify(statements[phase])
}

const kept = (kind: string) => {
  const folder = join(fixtures, kind)
  const expected = readExpected(readFileSync(join(folder, "expected.json"), "utf8"))
  return { folder, expected }
}

/** The run in a folder of its own, with the files that its commands read. */
const unpacked = Effect.fnUntraced(function* (folder: string, expected: typeof Expected.Type) {
  const cwd = yield* planFolder({})
  cpSync(join(folder, "work"), cwd, { recursive: true })
  const runs = join(cwd, ".alembic", "runs")
  cpSync(join(folder, "runs"), runs, { recursive: true })
  const directory = join(runs, expected.run)
  for (const hash of expected.shared ?? []) {
    cpSync(join(fixtures, "blobs", hash), join(directory, "blobs", hash))
  }
  if (expected.lock !== undefined) {
    // Of a process that went with the machine it ran on, which has been started again since.
    const owner = { boot: "before", host: hostname(), pid: process.pid, started: "1" }
    writeFileSync(join(directory, "lock"), JSON.stringify(owner))
  }
  return { cwd, directory }
})

describe.concurrent("a run of an earlier version", () => {
  for (const kind of kinds) {
    const { expected, folder } = kept(kind)
    it.live(`${kind}: ${expected.what}`, () =>
      Effect.gen(function* () {
        const { cwd, directory } = yield* unpacked(folder, expected)
        const server = yield* modelServer
        server.reply(statementFor)
        const env = { PATH: process.env["PATH"] ?? "" }
        const meant = (args: ReadonlyArray<string>) => [
          ...args.map((arg) => (arg === "RUN" ? expected.run : arg === "URL" ? server.baseUrl : arg)),
          "--json"
        ]
        const say = (args: ReadonlyArray<string>) => alembic({ cwd, env }, ...meant(args))
        /** One step: how it exits, the summary, and all that it said. */
        const step = (args: ReadonlyArray<string>) =>
          expected.acts === true
            ? Effect.map(
                finish(cwd, ...meant(args)),
                (ended) => [ended.code, summaryOf(ended), ended] as const
              )
            : Effect.map(say(args), (said) => [said.code, lastLine(said), said] as const)
        const read = (...args: ReadonlyArray<string>) => Effect.map(say(args), lastLine)
        const events = () => readFileSync(join(directory, "events.jsonl"), "utf8")
        const replayed = Effect.map(read("replay", "RUN"), (said) => ({
          identical: said["identical"],
          ...("compared" in said ? { compared: said["compared"] } : {}),
          ...("divergence" in said ? { divergence: objectIn(said, "divergence")["kind"] } : {}),
          ...("rule" in said ? { rule: said["rule"] } : {})
        }))
        const problems = Effect.map(read("verify", "RUN"), ({ problems }) =>
          Array.isArray(problems) ? problems.map(({ code }) => code) : problems
        )
        const before = events()

        // As it lies there, and nothing of it is changed by looking.
        assert.deepStrictEqual(yield* problems, expected.verify)
        const listed = jsonLines(yield* say(["list"])).find(({ runId }) => runId === expected.run)
        assert.strictEqual(listed?.["status"], expected.status)
        const inspected = objectIn(yield* read("inspect", "RUN"), "run")
        assert.strictEqual(inspected["status"], expected.status)
        assert.deepStrictEqual(yield* replayed, expected.replay)
        assert.strictEqual(events(), before)

        // Gone on with, to its end.
        let last: Record<string, unknown> = {}
        for (const { args, code } of expected.steps) {
          const [exit, summary, { err, out }] = yield* step(args)
          assert.strictEqual(exit, code, `${args.join(" ")}: ${out}${err}`)
          last = summary
        }
        const { error, inDoubt = 0, made, appends, ...rest } = expected.end
        const seen = Object.fromEntries(Object.keys(rest).map((name) => [name, last[name]]))
        assert.deepStrictEqual(seen, { ...rest })
        assert.strictEqual(objectIn(last, "error")["code"], error)
        const calls = objectIn(last, "calls")
        assert.deepStrictEqual([calls["live"], calls["inDoubt"]], [made, inDoubt])

        // What was there is there still; a line that the crash tore is none.
        const after = events()
        assert.isTrue(after.startsWith(before.slice(0, before.lastIndexOf("\n") + 1)))
        assert.strictEqual(after !== before, appends)
        if (appends) {
          assert.deepStrictEqual(yield* problems, [])
          assert.deepStrictEqual(yield* replayed, expected.replayAtEnd)
        }

        const { again } = expected
        if (again === undefined) return
        const asked = server.prompts.length
        const said = yield* say(again.args)
        assert.strictEqual(said.code, again.code, said.err)
        assert.deepInclude(lastLine(said), { runId: expected.run, status: expected.end.status })
        assert.strictEqual(objectIn(lastLine(said), "calls")["live"], 0)
        assert.strictEqual(server.prompts.length, asked)
        assert.strictEqual(events(), after)
      }).pipe(Effect.scoped)
    )
  }
})
