// The brake's invariants, by number.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { defaultBrakePolicy, type BrakePolicy } from "../../../src/adapters/guard/Guards.ts"
import { makeError, type ErrorCode } from "../../../src/domain/ModelError.ts"
import { Alembic } from "../../../src/engine/Alembic.ts"
import {
  closedLane,
  counts,
  failed,
  makeBrake,
  released,
  type Brake
} from "../../../src/engine/calls/brake.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { Hooks } from "../../../src/plan/hooks/Hooks.ts"
import { dice } from "../../support/dice.ts"
import { engineOn } from "../../support/engineLayer.ts"
import { paidRegistry, said } from "../../support/paidRegistry.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

const failure = (code: ErrorCode, attempts = 1) => {
  const { message, retryable } = makeError(code, "no")
  return { attempts, error: { code, message, retryable } }
}

const silent: ReadonlyArray<ErrorCode> = ["cancelled", "awaiting_answer", "budget_exceeded", "invalid_input"]
const ordinary: ReadonlyArray<ErrorCode> = ["content_filtered", "invalid_response", "client_error"]
const own: ReadonlyArray<ErrorCode> = ["server_error", "network", "timeout", "quota_exhausted", "auth"]
const outages = new Set<ErrorCode>(["server_error", "network", "timeout", "rate_limited", "circuit_open"])
const kind = (code: ErrorCode) => (outages.has(code) ? "outage" : code)

interface Step {
  readonly adapter: string
  readonly code: ErrorCode | "ok"
}

const history = (seed: number): ReadonlyArray<Step> => {
  const random = dice(seed)
  const pool = [...silent, ...own, ...ordinary, ...ordinary]
  const likely = random.pick<ErrorCode>([...own, ...ordinary])
  const oks = random.below(3)
  return Array.from({ length: 40 }, () => ({
    adapter: random.pick(["a", "b"]),
    code:
      oks > 0 && random.below(12) < oks
        ? "ok"
        : random.below(8) > 0
          ? likely
          : random.pick<ErrorCode | "ok">(pool)
  }))
}

const after = (brake: Brake, { adapter, code }: Step): Brake =>
  code === "ok" ? released(brake, adapter) : failed(brake, adapter, failure(code), 0)

/** What the rules say, in the plainest way: whether the last step closes the adapter. */
const shouldClose = (all: ReadonlyArray<Step>, adapter: string, policy: BrakePolicy): boolean => {
  const told = all.filter(({ code }) => code === "ok" || !silent.includes(code))
  const its = told.filter((step) => step.adapter === adapter).map(({ code }) => code)
  const last = its.slice(-policy.threshold)
  const isRow =
    last.length === policy.threshold &&
    last.every(
      (code) =>
        code !== "ok" &&
        own.includes(code) &&
        kind(code) === kind(last[0] === "ok" ? code : (last[0] ?? code))
    )
  const isAlike =
    its.length === policy.alike &&
    policy.alike > 0 &&
    !told.some(({ code }) => code === "ok") &&
    new Set(its.map((code) => (code === "ok" ? code : kind(code)))).size === 1
  return isRow || isAlike
}

describe("the brake", () => {
  for (const policy of [defaultBrakePolicy, { threshold: 2, alike: 4 }, { threshold: 5, alike: 0 }]) {
    it.prop(
      `B1 to B5: closes exactly when the rules say, stays closed, each adapter for itself (${policy.threshold}, ${policy.alike})`,
      [Seed],
      ([seed]) => {
        let brake = makeBrake(policy)
        const seen: Array<Step> = []
        for (const step of history(seed)) {
          brake = after(brake, step)
          seen.push(step)
          for (const adapter of ["a", "b"]) {
            // A closed one stays closed, whatever comes after.
            const should = seen.some((_, at) => shouldClose(seen.slice(0, at + 1), adapter, policy))
            assert.strictEqual(closedLane(brake, adapter) !== undefined, should, JSON.stringify(seen))
          }
        }
      }
    )
  }

  it.prop("B6: one that is off never closes, and holds nothing", [Seed], ([seed]) => {
    const brake = history(seed).reduce(after, makeBrake("off"))
    assert.isUndefined(closedLane(brake, "a"))
    assert.isFalse(counts(brake, "server_error"))
  })

  it("B2: three refusals or off-schema answers in a row close nothing once something has succeeded", () => {
    for (const code of ordinary) {
      let brake = released(makeBrake(defaultBrakePolicy), "a")
      for (let time = 0; time < 50; time++) brake = failed(brake, "a", failure(code), 0)
      assert.isUndefined(closedLane(brake, "a"))
    }
  })

  it("B2: the codes can be named", () => {
    let brake = released(makeBrake({ threshold: 2, alike: 0, codes: ["content_filtered"] }), "a")
    for (let time = 0; time < 9; time++) brake = failed(brake, "a", failure("auth"), 0)
    assert.isUndefined(closedLane(brake, "a"))
    for (let time = 0; time < 2; time++) brake = failed(brake, "a", failure("content_filtered"), 0)
    assert.strictEqual(closedLane(brake, "a")?.reason, "parked")
  })

  it("B5: what was not sent does not count", () => {
    let brake = makeBrake(defaultBrakePolicy)
    for (let time = 0; time < 20; time++) brake = failed(brake, "a", failure("auth", 0), 0)
    assert.isUndefined(closedLane(brake, "a"))
  })

  it("says why it closed, how many in a row, how to go on, and until when if the provider did", () => {
    let brake = makeBrake(defaultBrakePolicy)
    const { attempts, error } = failure("quota_exhausted")
    for (let time = 0; time < 3; time++) {
      brake = failed(brake, "a", { attempts, error: { ...error, retryAfterMs: 60_000 } }, 5)
    }
    assert.strictEqual(closedLane(brake, "a")?.reason, "quota")
    assert.strictEqual(closedLane(brake, "a")?.until, 60_005)
    assert.match(closedLane(brake, "a")?.error.message ?? "", /3 calls to a failed in a row.*--brake off/)
    let other = makeBrake(defaultBrakePolicy)
    for (let time = 0; time < 8; time++) other = failed(other, "a", failure("content_filtered"), 0)
    assert.match(
      closedLane(other, "a")?.error.message ?? "",
      /nothing has succeeded yet, and the first 8 calls to a failed alike.*--retry-failed.*--brake off/
    )
  })
})

const fanOut = (count: number) =>
  Effect.gen(function* () {
    const h = yield* Hooks
    const slots = yield* h.parallel(Array.from({ length: count }, (_, at) => h.agent(`item ${at}`)))
    return slots.filter((slot) => slot.ok).length
  })
const filtered = Effect.fail(makeError("content_filtered", "refused", { httpStatus: 400 }))
const runs = (spec: object, paid: ReturnType<typeof paidRegistry>) =>
  Alembic.runProgram({ program: "fan", goal: "g", concurrency: 1, ...spec }, fanOut(100)).pipe(
    Effect.provide(engineOn(MemoryDisk.make(), paid.layer, { guards: { retry: { maxAttempts: 1 } } }))
  )

describe("a run's brake", () => {
  it.effect("three refusals in a row are three answers, and the other documents are asked", () =>
    Effect.gen(function* () {
      const paid = paidRegistry({
        answer: ({ prompt }, made) => (made > 80 && made < 90 ? filtered : Effect.succeed(said(prompt)))
      })
      const summary = yield* runs({}, paid)
      assert.strictEqual(paid.made.length, 100)
      assert.strictEqual(summary.result, 91)
    })
  )

  it.effect("a run in which nothing works stops after eight, and says so; off, it makes them all", () =>
    Effect.gen(function* () {
      const paid = paidRegistry({ answer: () => filtered })
      const summary = yield* runs({}, paid)
      assert.strictEqual(paid.made.length, 8)
      assert.strictEqual(summary.status, "suspended")
      assert.match(summary.suspended?.error?.message ?? "", /nothing has succeeded yet/)
      const off = paidRegistry({ answer: () => filtered })
      yield* runs({ brake: "off" }, off)
      assert.strictEqual(off.made.length, 100)
    })
  )
})
