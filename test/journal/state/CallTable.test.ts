// The table of calls against a plain Map: same calls, same order, same ranks, through every growth.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { callId } from "../../../src/domain/Call.ts"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { CallTable } from "../../../src/journal/state/CallTable.ts"

describe("CallTable", () => {
  it("keeps ten thousand calls apart, of cache keys and of other keys, by occurrence", () => {
    const table = new CallTable()
    const model = new Map<string, number>()
    for (let n = 0; n < 10_000; n++) {
      const ref = {
        key: n % 3 === 0 ? `odd "key" ${n % 900}` : sha256(String(n % 2000)),
        occurrence: (n % 7) + 1
      }
      const { added, call } = table.findOrAdd(ref)
      assert.strictEqual(added, !model.has(callId(ref)))
      if (added) {
        model.set(callId(ref), n)
        call.n = n
      }
      assert.strictEqual(call.id, callId(ref))
    }
    assert.strictEqual(table.size, model.size)
    assert.deepStrictEqual(
      [...table.values()].map(({ id, n }) => [id, n]),
      [...model]
    )
    for (const [id, n] of model) assert.strictEqual(table.get(id)?.n, n)
    for (const id of ["", "#1", "none#1", `${sha256("1")}#99`]) assert.isUndefined(table.get(id))
  })

  it("tells a key that is no cache key from the cache key that is its hash", () => {
    const keys = ["odd", sha256("odd")]
    for (const order of [keys, keys.toReversed()]) {
      const table = new CallTable()
      for (const key of order) assert.isTrue(table.findOrAdd({ key, occurrence: 1 }).added)
      for (const key of order) assert.strictEqual(table.get(`${key}#1`)?.id, `${key}#1`)
    }
  })

  it("tells keys apart by each of their digits, and cache keys from what only looks like one", () => {
    const base = sha256("base")
    const keys = [base, base.toUpperCase(), `${base}0`, base.slice(1)]
    for (const [at, digit] of [...base].entries()) {
      for (const other of [digit === "0" ? "1" : "0", "g", "/", ":", "`", "\u0130"]) {
        keys.push(`${base.slice(0, at)}${other}${base.slice(at + 1)}`)
      }
    }
    const table = new CallTable()
    for (const key of keys) assert.isTrue(table.findOrAdd({ key, occurrence: 1 }).added, key)
    for (const key of keys) assert.strictEqual(table.get(`${key}#1`)?.id, `${key}#1`)
  })

  it("keeps all that is known of a call through every growth", () => {
    const table = new CallTable()
    const known = (n: number) => ({
      n,
      status: (["scheduled", "completed", "cancelled", "parked"] as const)[n % 4],
      failed: n % 3 === 0,
      retry: n % 5,
      rank: n,
      offset: n * 2 ** 33,
      length: n * 3
    })
    const many = 1000
    for (let n = 0; n < many; n++) {
      const { call } = table.findOrAdd({ key: sha256(String(n)), occurrence: n + 1 })
      call.complete(n * 2 ** 33, n * 3)
      const { failed, retry, status = "scheduled" } = known(n)
      Object.assign(call, { n, status, failed, retry })
    }
    for (let n = 0; n < many; n++) {
      const call = table.get(`${sha256(String(n))}#${n + 1}`)
      if (call === undefined) return assert.fail(`call ${n} is gone`)
      const { failed, length, offset, rank, retry, status } = call
      assert.deepStrictEqual({ n: call.n, status, failed, retry, rank, offset, length }, known(n))
    }
  })

  const Call = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 300 })))
  it.effect.prop("ranks follow the order of completion", [Schema.Array(Call)], ([calls]) =>
    Effect.sync(() => {
      const table = new CallTable()
      const order: Array<string> = []
      for (const n of calls) {
        const { call } = table.findOrAdd({ key: sha256(String(n)), occurrence: 1 })
        if (call.rank >= 0) continue
        call.complete(n * 2 ** 33, n)
        order.push(call.id)
        assert.strictEqual(call.offset, n * 2 ** 33)
      }
      const { completed } = table
      assert.deepStrictEqual(
        Array.from({ length: completed.length }, (_, rank) => completed.at(rank)?.id),
        order
      )
      assert.isUndefined(completed.at(completed.length))
    })
  )
})
