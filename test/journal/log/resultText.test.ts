// The shortcut must give what parsing gives, whatever an answer holds, or stand back.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema } from "effect"
import { canonicalJson, canonicalJsonOf, type Json } from "../../../src/domain/json/canonicalJson.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { resultTextOf } from "../../../src/journal/log/resultText.ts"
import { MemoryDisk } from "../../../src/kernel/files/FsPort.memory.ts"
import { completed, keyOf, newRun, onDisk, runDir, started } from "../support.ts"

const tricky: ReadonlyArray<Json> = [
  ',"reused":true}',
  { a: 1, reused: true },
  [{ reused: true }],
  { result: { result: 1, reused: false } },
  '"},"occurrence":1,"result":',
  { '","result":': ',"result":1' },
  null,
  0,
  "",
  "\u2028ação 👩‍💻\u0000"
]

describe("resultTextOf", () => {
  const check = (result: Json, reused: boolean | undefined) =>
    Effect.gen(function* () {
      const disk = MemoryDisk.make()
      yield* onDisk(
        disk,
        Effect.gen(function* () {
          const journal = yield* (yield* Journal).create(newRun())
          yield* journal.append(started)
          const body = completed("a", result)
          yield* journal.append(
            body.type === "CallCompleted" && reused !== undefined ? { ...body, reused } : body
          )
          yield* journal.commit
          assert.strictEqual(yield* journal.readResultText(`${keyOf("a")}#1`), canonicalJsonOf(result))
          assert.deepStrictEqual(
            yield* journal.readResult(`${keyOf("a")}#1`),
            JSON.parse(canonicalJsonOf(result))
          )
        })
      )
      const line = new TextDecoder().decode(disk.read(`${runDir}/events.jsonl`)).split("\n")[1] ?? ""
      assert.strictEqual(Option.getOrThrow(resultTextOf(line)), canonicalJsonOf(result))
    })

  for (const result of tricky) {
    it.effect(`gives ${JSON.stringify(result)} back as it is`, () =>
      Effect.forEach([undefined, true, false], (reused) => check(result, reused), { discard: true })
    )
  }

  it.effect.prop("gives any answer back as it is", [Schema.Json, Schema.Boolean], ([result, reused]) =>
    Result.isFailure(canonicalJson(result)) ? Effect.void : check(result, reused ? true : undefined)
  )

  it("stands back from lines of another form", () => {
    for (const line of [
      "{}",
      '{"seq":1,"at":0,"prev":"x","type":"Logged","message":"m"}',
      '{"seq":1,"at":0,"prev":"x","type":"CallCompleted","key":"a\\"b","occurrence":1,"result":1}',
      `{"seq":1,"at":0,"prev":"${"0".repeat(64)}","type":"CallCompleted","occurrence":1,"key":"k","result":1}`,
      `{"seq":1,"at":0,"prev":"${"0".repeat(64)}","type":"CallCompleted","key":"k","occurrence":1,"resultBlob":{}}`
    ]) {
      assert.isTrue(Option.isNone(resultTextOf(line)))
    }
  })
})
