// The brake's invariants, by number.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeError, type ErrorCode, type ModelErrorInfo } from "../../src/domain/ModelError.ts"
import {
  brakeThreshold,
  closedLane,
  emptyBrake,
  failed,
  isSystemic,
  released,
  type Brake
} from "../../src/engine/brake.ts"
import { dice } from "../support/dice.ts"

const Seed = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

const info = (code: ErrorCode): ModelErrorInfo => {
  const { message, retryable } = makeError(code, "no")
  return { code, message, retryable }
}

const codes: ReadonlyArray<ErrorCode> = [
  "server_error",
  "network",
  "timeout",
  "quota_exhausted",
  "auth",
  "invalid_response",
  "cancelled",
  "awaiting_answer"
]
const outages = new Set<ErrorCode>(["server_error", "network", "timeout", "rate_limited", "circuit_open"])
const kind = (code: ErrorCode) => (outages.has(code) ? "outage" : code)

interface Step {
  readonly adapter: string
  readonly code: ErrorCode | "ok"
}

const history = (seed: number): ReadonlyArray<Step> => {
  const random = dice(seed)
  return Array.from({ length: 40 }, () => ({
    adapter: random.pick(["a", "b"]),
    code: random.pick<ErrorCode | "ok">([...codes, "ok", "server_error", "server_error"])
  }))
}

const after = (brake: Brake, { adapter, code }: Step): Brake =>
  code === "ok" ? released(brake, adapter) : failed(brake, adapter, info(code), 0)

/** What the rules say, in the plainest way: whether the outcomes that count end in `threshold` of one kind. */
const shouldClose = (steps: ReadonlyArray<Step>): boolean => {
  let run: Array<string> = []
  for (const { code } of steps) {
    if (code === "ok") run = []
    else if (isSystemic(code)) {
      run = run.length > 0 && run[0] !== kind(code) ? [kind(code)] : [...run, kind(code)]
      if (run.length >= brakeThreshold) return true
    }
  }
  return false
}

describe("the brake", () => {
  it.prop(
    "B1, B2, B3, B4: closes exactly when the rules say, stays closed, each adapter for itself",
    [Seed],
    ([seed]) => {
      let brake = emptyBrake
      const seen: Array<Step> = []
      for (const step of history(seed)) {
        brake = after(brake, step)
        seen.push(step)
        for (const adapter of ["a", "b"]) {
          const own = seen.filter((one) => one.adapter === adapter)
          assert.strictEqual(closedLane(brake, adapter) !== undefined, shouldClose(own), JSON.stringify(own))
        }
      }
    }
  )

  it("says why it closed, and until when if the provider did", () => {
    let brake = emptyBrake
    for (let time = 0; time < brakeThreshold; time++) {
      brake = failed(brake, "a", { ...info("quota_exhausted"), retryAfterMs: 60_000 }, 5)
    }
    assert.strictEqual(closedLane(brake, "a")?.reason, "quota")
    assert.strictEqual(closedLane(brake, "a")?.until, 60_005)
  })
})
