// The durability cases of the engine, by their numbers: what a plan is given after a crash, what is paid again, and
// what a clock, a failure or a late answer can do to it.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Logger } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeError } from "../../src/domain/ModelError.ts"
import { Alembic } from "../../src/engine/Alembic.ts"
import { MemoryDisk } from "../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../src/plan/hooks/Hooks.ts"
import { engineOn } from "../support/engineLayer.ts"
import { liveEngine, temporaryFolder } from "../support/liveEngine.ts"
import { paidRegistry, said } from "../support/paidRegistry.ts"

const once = { retry: { maxAttempts: 1 } }

const logPath = (disk: MemoryDisk): string => disk.files.find((path) => path.endsWith("/events.jsonl")) ?? ""
const eventsOn = (disk: MemoryDisk): ReadonlyArray<Record<string, unknown>> =>
  new TextDecoder()
    .decode(disk.read(logPath(disk)))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const textOf = (answer: { readonly ok: boolean; readonly text?: string }) =>
  answer.ok ? (answer.text ?? "") : "lost"

/** Three calls one after the other, then two at once. */
const five = Effect.gen(function* () {
  const h = yield* Hooks
  const texts: Array<string> = []
  for (const name of ["a", "b", "c"]) texts.push(textOf(yield* h.agent(name)))
  const slots = yield* h.parallel([h.agent("d"), h.agent("e")])
  return [...texts, ...slots.map((slot) => (slot.ok && "text" in slot ? slot.text : "lost"))]
})
const spec = { program: "five", goal: "g", concurrency: 2 }

/** What time it says, in turn; the last one for ever. */
const clockOf = (times: ReadonlyArray<number>): Clock.Clock => {
  let asked = 0
  const now = () => times[Math.min(asked++, times.length - 1)] ?? 0
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: () => Effect.yieldNow
  }
}

describe("F26: a clock that goes back", () => {
  it.effect(
    "changes no order, no result and no call; durations are never negative; the run goes on and replays",
    () =>
      Effect.gen(function* () {
        const steady = paidRegistry()
        const goldenDisk = MemoryDisk.make()
        const golden = yield* Alembic.runProgram(spec, five).pipe(
          Effect.provide(engineOn(goldenDisk, steady.layer))
        )
        const backwards = Array.from({ length: 500 }, (_, n) => [10, 5, 5, -3][n % 4] ?? 0).map(
          (n) => 1_000_000 - n * 3_600_000
        )
        const disk = MemoryDisk.make()
        const paid = paidRegistry()
        const engine = engineOn(disk, paid.layer)
        const summary = yield* Alembic.runProgram(spec, five).pipe(
          Effect.provide(engine),
          Effect.provideService(Clock.Clock, clockOf(backwards))
        )
        assert.deepStrictEqual(summary.result, golden.result)
        assert.isAtLeast(summary.durationMs, 0)
        const timeless = (from: MemoryDisk) =>
          eventsOn(from).map((event) =>
            JSON.parse(
              JSON.stringify({ ...event, at: 0, prev: "" }).replace(/"durationMs":-?\d+/g, '"durationMs":0')
            )
          )
        assert.deepStrictEqual(timeless(disk), timeless(goldenDisk))
        for (const { result } of eventsOn(disk)) {
          if (typeof result === "object" && result !== null && "durationMs" in result)
            assert.isAtLeast(Number(result.durationMs), 0)
        }
        const replay = yield* Alembic.replayProgram(spec, five).pipe(
          Effect.provide(engine),
          Effect.provideService(Clock.Clock, clockOf([-1]))
        )
        assert.isTrue(replay.identical, JSON.stringify(replay))
      })
  )
})

describe("F32: another engine, another Node", () => {
  it.effect("goes on with the same run and says so, pays for nothing again, and replays identical", () =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      const paid = paidRegistry()
      const stop = yield* Deferred.make<string>()
      const held = paidRegistry({
        answer: ({ prompt }) =>
          prompt === "c"
            ? Effect.andThen(Deferred.succeed(stop, "SIGTERM"), Effect.never)
            : Effect.succeed(said(`echo:${prompt}`))
      })
      yield* Alembic.runProgram({ ...spec, stop }, five).pipe(Effect.provide(engineOn(disk, held.layer)))
      const versions = { engine: "9.9.9", node: "99.0.0", v8: "99", icu: "99" }
      const newer = engineOn(disk, paid.layer, { pid: 2, versions })
      const logged: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const summary = yield* Alembic.runProgram(spec, five).pipe(
        Effect.provide(newer),
        Effect.provide(logger)
      )
      assert.lengthOf(logged, 1)
      assert.match(logged[0] ?? "", /begun on another platform \(v8 0 then, 99 now; icu 0 then, 99 now\)/)
      assert.strictEqual(summary.status, "completed", JSON.stringify(summary))
      assert.deepStrictEqual(paid.made, ["c", "d", "e"])
      assert.isTrue((yield* Alembic.replayProgram(spec, five).pipe(Effect.provide(newer))).identical)
    })
  )
})

describe("F33, F34: order and siblings", () => {
  const wide = Effect.gen(function* () {
    const h = yield* Hooks
    const seen: Array<string> = []
    yield* h.parallel(
      ["a", "b", "c"].map((name) =>
        Effect.gen(function* () {
          const answer = textOf(yield* h.agent(name))
          seen.push(answer)
          seen.push(textOf(yield* h.agent(`${name} after ${seen.length}`)))
          return answer
        })
      )
    )
    return seen
  })
  const permutations = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0]
  ]

  it.effect(
    "whatever the order of completion, after a crash at any event the calls, their order and the result are the same",
    () =>
      Effect.gen(function* () {
        for (const order of permutations) {
          const late = (prompt: string) => order["abc".indexOf(prompt.charAt(0))] ?? 0
          const slow = () =>
            paidRegistry({
              answer: ({ prompt }) =>
                Effect.yieldNow.pipe(
                  Effect.repeat({ times: late(prompt) * 4 }),
                  Effect.as(said(`<${prompt}>`))
                )
            })
          const options = { program: "wide", goal: order.join(""), concurrency: 3 }
          const goldenDisk = MemoryDisk.make()
          const first = slow()
          const golden = yield* Alembic.runProgram(options, wide).pipe(
            Effect.provide(engineOn(goldenDisk, first.layer))
          )
          // F34: no sibling is made twice because another is still on its way.
          assert.strictEqual(new Set(first.made).size, first.made.length)
          const path = logPath(goldenDisk)
          const log = new TextDecoder().decode(goldenDisk.read(path))
          const lines = log.split("\n").slice(0, -1)
          for (let kept = 1; kept < lines.length; kept++) {
            const disk = goldenDisk.afterCrash("process")
            disk.write(path, `${lines.slice(0, kept).join("\n")}\n`)
            for (const file of disk.files) if (/checkpoint|cache|result/.test(file)) disk.delete(file)
            const answered = lines
              .slice(0, kept)
              .filter((line) => line.includes('"type":"CallCompleted"')).length
            // Answers are there at once now, in whatever order they were before.
            const paid = paidRegistry({ answer: ({ prompt }) => Effect.succeed(said(`<${prompt}>`)) })
            const summary = yield* Alembic.runProgram(options, wide).pipe(
              Effect.provide(engineOn(disk, paid.layer, { pid: 2 }))
            )
            assert.strictEqual(summary.status, "completed", `${order.join("")} ${kept}`)
            assert.isAtMost(paid.made.length, 6 - answered)
            assert.isTrue(
              (yield* Alembic.replayProgram(options, wide).pipe(Effect.provide(engineOn(disk, paid.layer))))
                .identical
            )
            // From the moment that all first answers are in, nothing is left to chance.
            if (answered >= 3)
              assert.deepStrictEqual(summary.result, golden.result, `${order.join("")} ${kept}`)
          }
        }
      })
  )
})

describe("F35, F36: dying around an answer", () => {
  it.effect(
    "F35: between the answer and its line: asked again with the same key, both attempts journaled and paid",
    () =>
      Effect.gen(function* () {
        const capped = { ...spec, maxUsd: 10 }
        const undisturbed = paidRegistry()
        const golden = yield* Alembic.runProgram(capped, five).pipe(
          Effect.provide(engineOn(MemoryDisk.make(), undisturbed.layer))
        )
        const disk = MemoryDisk.make()
        const dying = paidRegistry({
          answer: ({ prompt }) =>
            Effect.sync(() => {
              // The provider has answered; the machine takes no further step.
              if (prompt === "b") disk.crashAfterStep(0)
              return said(`echo:${prompt}`)
            })
        })
        const first = yield* Effect.exit(
          Alembic.runProgram(capped, five).pipe(Effect.provide(engineOn(disk, dying.layer)))
        )
        assert.isTrue(Exit.isFailure(first))
        const left = disk.afterCrash("power")
        const paid = paidRegistry()
        const second = yield* Alembic.runProgram(capped, five).pipe(
          Effect.provide(engineOn(left, paid.layer, { pid: 2 }))
        )
        assert.deepStrictEqual(second.result, golden.result)
        assert.strictEqual(second.calls.inDoubt, 1)
        const made = [...dying.made, ...paid.made]
        assert.deepStrictEqual(
          ["a", "b", "c", "d", "e"].map((prompt) => made.filter((one) => one === prompt).length),
          [1, 2, 1, 1, 1]
        )
        assert.strictEqual(dying.keys[dying.made.indexOf("b")], paid.keys[paid.made.indexOf("b")])
        const attempts = eventsOn(left).filter(
          ({ call, type }) => type === "CallScheduled" && JSON.stringify(call).includes('"prompt":"b"')
        )
        assert.deepStrictEqual(
          attempts.map(({ retry }) => retry),
          [undefined, 1]
        )
        assert.isAbove(second.costUsd ?? 0, golden.costUsd ?? Infinity)
      })
  )

  it.effect(
    "F36: right after the answer's sync, before the plan saw it: not asked again, and delivered",
    () =>
      Effect.gen(function* () {
        const goldenDisk = MemoryDisk.make()
        const golden = yield* Alembic.runProgram(spec, five).pipe(
          Effect.provide(engineOn(goldenDisk, paidRegistry().layer))
        )
        const syncs = goldenDisk.log.flatMap(({ op, path }, step) =>
          op === "fsync" && path.endsWith("/events.jsonl") ? [step + 1] : []
        )
        assert.isAtLeast(syncs.length, 8)
        for (const step of syncs) {
          const disk = MemoryDisk.make().crashAfterStep(step)
          const dying = paidRegistry()
          yield* Effect.exit(Alembic.runProgram(spec, five).pipe(Effect.provide(engineOn(disk, dying.layer))))
          const left = disk.afterCrash("power")
          const kept = eventsOn(left).filter(({ type }) => type === "CallCompleted").length
          const paid = paidRegistry()
          const second = yield* Alembic.runProgram(spec, five).pipe(
            Effect.provide(engineOn(left, paid.layer, { pid: 2 }))
          )
          assert.deepStrictEqual(second.result, golden.result)
          assert.strictEqual(paid.made.length, 5 - kept, `step ${step}`)
        }
      })
  )
})

describe("F37: a failure is an answer", () => {
  it.effect(
    "is the same failure after a crash and in a replay, is not made again, and carries no stack",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const stop = yield* Deferred.make<string>()
        const failing = paidRegistry({
          answer: ({ prompt }) => {
            if (prompt === "bad") return Effect.fail(makeError("invalid_response", "no answer in it"))
            if (prompt === "worse") return Effect.die(new Error("it threw"))
            return Effect.andThen(Deferred.succeed(stop, "SIGTERM"), Effect.never)
          }
        })
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const bad = yield* h.agent("bad")
          const worse = yield* h.agent("worse")
          yield* h.agent("after")
          return [bad, worse].map((one) =>
            one.ok
              ? "ok"
              : { code: one.error.code, message: one.error.message, retryable: one.error.retryable }
          )
        })
        const options = { program: "failures", goal: "g", concurrency: 1 }
        const first = yield* Alembic.runProgram({ ...options, stop }, program).pipe(
          Effect.provide(engineOn(disk, failing.layer, { guards: once }))
        )
        assert.strictEqual(first.status, "interrupted")
        assert.notMatch(new TextDecoder().decode(disk.read(logPath(disk))), /\bat .*\.ts:|"stack"/)
        const paid = paidRegistry()
        const second = yield* Alembic.runProgram(options, program).pipe(
          Effect.provide(engineOn(disk, paid.layer, { guards: once, pid: 2 }))
        )
        assert.deepStrictEqual(paid.made, ["after"])
        const journaled = eventsOn(disk)
          .filter(({ type }) => type === "CallCompleted")
          .flatMap(({ result }) =>
            typeof result === "object" && result !== null && "error" in result ? [result.error] : []
          )
        assert.deepStrictEqual(
          second.result,
          journaled.map((error) => JSON.parse(JSON.stringify(error, ["code", "message", "retryable"])))
        )
        assert.isTrue(
          (yield* Alembic.replayProgram(options, program).pipe(Effect.provide(engineOn(disk, paid.layer))))
            .identical
        )
      })
  )
})

describe("F39: what JSON cannot carry", () => {
  it.effect(
    "what an adapter gives is made plain before it is journaled: the plan gets what the journal has",
    () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const broken = paidRegistry({
          answer: ({ prompt }) =>
            Effect.succeed(
              prompt === "half" ? said("half a pair: \ud83d") : { ...said("x"), raw: Number.NaN }
            )
        })
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const answers = [yield* h.agent("half"), yield* h.agent("no number")]
          return answers.map((answer) => (answer.ok ? answer.text : answer.error.code))
        })
        const options = { program: "broken", goal: "g" }
        const layer = engineOn(disk, broken.layer, { guards: once })
        const summary = yield* Alembic.runProgram(options, program).pipe(Effect.provide(layer))
        const journaled = eventsOn(disk)
          .filter(({ type }) => type === "CallCompleted")
          .map(({ result }) => JSON.parse(JSON.stringify(result)))
        assert.deepStrictEqual(summary.result, ["half a pair: \ufffd", "x"])
        assert.deepStrictEqual(
          journaled.map(({ raw, text }) => [text, raw]),
          [
            ["half a pair: \ufffd", undefined],
            ["x", undefined]
          ]
        )
        assert.isTrue((yield* Alembic.replayProgram(options, program).pipe(Effect.provide(layer))).identical)
      })
  )

  for (const [name, value] of [
    ["a bigint", 1n],
    ["a function", () => 1],
    ["an invalid date", { when: new Date(Number.NaN) }],
    [
      "a cycle",
      (() => {
        const self: Record<string, unknown> = {}
        self["self"] = self
        return self
      })()
    ],
    ["not a number", [Number.NaN]]
  ] as const) {
    it.effect(`a result that is ${name} ends the run as failed, and says where`, () =>
      Effect.gen(function* () {
        const disk = MemoryDisk.make()
        const layer = engineOn(disk, paidRegistry().layer)
        const summary = yield* Alembic.runProgram(
          { program: name, goal: "g" },
          Effect.gen(function* () {
            yield* (yield* Hooks).agent("a")
            return value
          })
        ).pipe(Effect.provide(layer))
        assert.strictEqual(summary.status, "failed")
        assert.strictEqual(summary.error?.code, "result_not_json")
        assert.include(summary.error?.message ?? "", "$")
        assert.strictEqual(eventsOn(disk).at(-1)?.["type"], "RunFailed")
      })
    )
  }
})

describe("F40: a hundred megabytes", () => {
  it.live(
    "of an answer are a blob: given to the plan, replayed, and missed or mended by nobody when they are altered",
    () =>
      Effect.gen(function* () {
        const dir = yield* temporaryFolder
        const length = 100 * 2 ** 20
        const paid = paidRegistry({ answer: () => Effect.succeed(said("x".repeat(length))) })
        const program = Effect.gen(function* () {
          const h = yield* Hooks
          const answer = yield* h.agent("say much")
          return answer.ok ? answer.text.length : answer.error.code
        })
        const options = { program: "large", goal: "g" }
        const engine = liveEngine(dir, paid.layer)
        const summary = yield* Alembic.runProgram(options, program).pipe(Effect.provide(engine))
        assert.strictEqual(summary.result, length, JSON.stringify(summary).slice(0, 500))
        const run = join(dir, "runs", readdirSync(join(dir, "runs"))[0] ?? "")
        assert.isBelow(statSync(join(run, "events.jsonl")).size, 10_000)
        const replay = yield* Alembic.replayProgram(options, program).pipe(Effect.provide(engine))
        assert.isTrue(replay.identical, JSON.stringify(replay))
        const blob = readdirSync(join(run, "blobs"))
          .map((name) => join(run, "blobs", name))
          .find((path) => statSync(path).size > length)
        assert.isDefined(blob)
        const bytes = readFileSync(blob ?? "")
        bytes[length / 2] = 0x79
        writeFileSync(blob ?? "", bytes)
        const altered = yield* Alembic.replayProgram(options, program).pipe(Effect.provide(engine))
        assert.strictEqual(altered.error?.code, "blob_corrupt", JSON.stringify(altered))
        assert.strictEqual(paid.made.length, 1)
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("F43: an answer that comes too late", () => {
  const race = Effect.gen(function* () {
    const h = yield* Hooks
    const winner = yield* Effect.race(h.agent("left"), h.agent("right"))
    const texts = [textOf(winner)]
    for (const n of [1, 2, 3]) texts.push(textOf(yield* h.agent(`after ${n}`)))
    return texts
  })

  it.effect(
    "is recorded for its cost and never delivered; each call ends once; a replay has the same winner",
    () =>
      Effect.gen(function* () {
        let late = 0
        for (let left = 0; left < 8; left++) {
          for (let right = 0; right < 8; right++) {
            const what = `left after ${left} turns, right after ${right}`
            const disk = MemoryDisk.make()
            // Deaf to being told to stop, as a provider may be.
            const deaf = paidRegistry({
              answer: ({ prompt }) =>
                Effect.yieldNow.pipe(
                  Effect.repeat({ times: prompt === "left" ? left : prompt === "right" ? right : 6 }),
                  Effect.as(said(prompt)),
                  Effect.uninterruptible
                )
            })
            const options = { program: "race", goal: what, concurrency: 3 }
            const layer = engineOn(disk, deaf.layer)
            const summary = yield* Alembic.runProgram(options, race).pipe(Effect.provide(layer))
            assert.strictEqual(summary.status, "completed", what)
            const ends = new Map<string, Array<unknown>>()
            for (const { key, type } of eventsOn(disk)) {
              if (type === "CallCompleted" || type === "CallCancelled" || type === "CallLate")
                ends.set(String(key), [...(ends.get(String(key)) ?? []), type])
            }
            for (const types of ends.values()) {
              assert.include(["CallCompleted", "CallCancelled", "CallCancelled,CallLate"], types.join(), what)
              if (types.length === 2) late++
            }
            assert.strictEqual(ends.size, 5, what)
            const replay = yield* Alembic.replayProgram(options, race).pipe(Effect.provide(layer))
            assert.isTrue(replay.identical, `${what}: ${JSON.stringify(replay)}`)
          }
        }
        assert.isAbove(late, 0)
      })
  )
})
