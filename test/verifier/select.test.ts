// Picking a value: in exactly one way, or not at all.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Evidence } from "../../src/verifier/Evidence.ts"
import { quantityOf, select, textOf, type Selection } from "../../src/verifier/select.ts"
import { file, json, number, ran } from "./ask.ts"

const pick = (evidence: Evidence | undefined, where: Selection = {}) =>
  Result.match(select(evidence, where), { onFailure: ({ code }) => code, onSuccess: ({ value }) => value })

describe("select", () => {
  it("the text, the document, the number, or a place in them", () => {
    assert.strictEqual(pick(file("text")), "text")
    assert.deepStrictEqual(pick(json({ a: 1 })), { a: 1 })
    assert.strictEqual(pick(json({ a: 1 }), { pointer: "/a" }), 1)
    assert.strictEqual(pick(number(5, "s")), 5)
    assert.strictEqual(pick(ran(0, "out", { stderr: "err" }), { stream: "stderr" }), "err")
    assert.deepStrictEqual(pick(ran(0, '{"n":1}'), { pointer: "" }), { n: 1 })
  })

  it("an extraction captures one text, wherever it matches", () => {
    assert.strictEqual(pick(file("n=4 n=4"), { extract: "n=([0-9])" }), "4")
    assert.strictEqual(pick(file("n=4 n=5"), { extract: "n=([0-9])" }), "extract_ambiguous")
    assert.strictEqual(pick(file("1,234 x"), { extract: "([0-9]+) x" }), "extract_ambiguous")
    assert.strictEqual(pick(file("nothing"), { extract: "n=([0-9])" }), "evidence_missing")
    assert.strictEqual(pick(file("n=4"), { extract: "n=[0-9]" }), "bad_args")
    assert.strictEqual(pick(file("n=4"), { extract: "(n)=([0-9])" }), "bad_args")
    assert.strictEqual(pick(file("a".repeat(100_000)), { extract: "(a)" }), "too_large")
    assert.strictEqual(pick(json({ a: 1 }), { pointer: "/a", extract: "(1)" }), "wrong_kind")
  })

  it("what is missing, unreadable, inconsistent or cut gives nothing", () => {
    assert.strictEqual(pick(undefined), "evidence_missing")
    assert.strictEqual(pick({ kind: "unreadable", id: "e", reason: "gone" }), "evidence_unreadable")
    assert.strictEqual(
      pick({ kind: "file", id: "e", path: "e", bytes: 1, sha256: "0".repeat(64), text: "a" }),
      "evidence_inconsistent"
    )
    assert.strictEqual(
      pick({ kind: "file", id: "e", path: "e", bytes: 1, sha256: "0".repeat(64) }),
      "wrong_kind"
    )
    assert.strictEqual(pick(ran(0, "x", { truncated: true })), "evidence_truncated")
    assert.strictEqual(pick(number(1), { pointer: "" }), "wrong_kind")
    assert.strictEqual(pick(json({}), { pointer: "/a" }), "pointer_missing")
    assert.strictEqual(pick(file("x".repeat(8_000_001))), "too_large")
  })

  it("a place without rounded numbers is readable beside one with them", () => {
    const evidence = file('{"a":{"id":9007199254740993},"b":1}')
    assert.strictEqual(pick(evidence, { pointer: "/b" }), 1)
    assert.strictEqual(pick(evidence, { pointer: "/a" }), "inexact_number")
    assert.strictEqual(pick(evidence, { pointer: "" }), "inexact_number")
  })
})

describe("textOf", () => {
  it("has no text for numbers and documents", () => {
    assert.isTrue(Result.isFailure(textOf(number(1), undefined)))
    assert.isTrue(Result.isFailure(textOf(json("a"), undefined)))
  })
})

describe("quantityOf", () => {
  it("reads an amount with its unit where one is asked for", () => {
    const unit = (text: string, withUnit = true) =>
      Result.match(quantityOf({ value: text }, withUnit), {
        onFailure: () => "none",
        onSuccess: (q) => q.unit ?? "plain"
      })
    assert.strictEqual(unit("512 MiB"), "MiB")
    assert.strictEqual(unit("5%"), "%")
    assert.strictEqual(unit("8.31s"), "s")
    assert.strictEqual(unit("42"), "plain")
    assert.strictEqual(unit("512 MiB", false), "none")
    assert.strictEqual(unit("1,5 s"), "none")
    assert.strictEqual(unit("5 s or more"), "none")
  })
})
