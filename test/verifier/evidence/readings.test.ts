// Evidence is read once, the same by every oracle: the same text in eight encodings and line ends gives the same
// finding or none, and an edit that changes what a claim is about never leaves its finding as it was.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { checkClaims } from "../../../src/verifier/checkClaims.ts"
import type { Finding } from "../../../src/verifier/Finding.ts"
import { decodeText, encodeText } from "../../../src/verifier/evidence/decode.ts"
import { linesOf, readText } from "../../../src/verifier/evidence/reading.ts"
import { fileEvidence } from "../../../src/verifier/loadEvidence.ts"
import { type Dice, dice } from "../../support/dice.ts"
import { encoded, forms, unreadableForms } from "../corpus/encodings.ts"

interface Asked {
  readonly oracle: string
  readonly args: Json
  /** What the claim says, told by the plainest means, of the lines of the text. */
  readonly holds: (lines: ReadonlyArray<string>) => boolean
}

const find = (asked: Asked, bytes: Uint8Array): Finding["finding"] => {
  const claim = { id: "c", statement: "", oracle: asked.oracle, args: asked.args, evidence: "e" }
  const [finding] = checkClaims([claim], [fileEvidence({ path: "e", bytes })])
  return finding?.finding ?? "unproven"
}

const words = ["root", "admin", "TODO", "fix me", "", "a b", "10", "7", "x=10", "x=7", "é", "naïve", "end"]

const textOf = ({ below, pick }: Dice): string => {
  const lines = Array.from({ length: below(6) }, () => pick(words))
  const text = lines.join("\n")
  return below(3) === 0 || text === "" ? text : `${text}\n`
}

const claimOf = ({ below, pick }: Dice): Asked => {
  const word = pick(words.filter((one) => one !== ""))
  const several = [pick(words), pick(words)]
  const n = below(4)
  const full = (lines: ReadonlyArray<string>, one: string) => lines.includes(one)
  const all: ReadonlyArray<Asked> = [
    {
      oracle: "containment",
      args: { value: word },
      holds: (lines) => lines.some((line) => line.includes(word))
    },
    { oracle: "count", args: { of: "lines", op: "eq", value: n }, holds: (lines) => lines.length === n },
    {
      oracle: "count",
      args: { of: "occurrences", what: word, op: "le", value: n },
      holds: (lines) => lines.join("\n").split(word).length - 1 <= n
    },
    {
      oracle: "count",
      args: { of: "matches", what: "^$", op: "eq", value: n },
      holds: (lines) => lines.filter((line) => line === "").length === n
    },
    {
      oracle: "count",
      args: { of: "matches", what: `${word}$`, op: "ge", value: n },
      holds: (lines) => lines.filter((line) => line.endsWith(word)).length >= n
    },
    {
      oracle: "regex",
      args: { pattern: `^${word}$`, flags: "m" },
      holds: (lines) => full(lines, word)
    },
    {
      oracle: "set",
      args: { relation: "superset", value: several },
      holds: (lines) => several.every((one) => full(lines, one))
    },
    {
      oracle: "set",
      args: { relation: "disjoint", value: several },
      holds: (lines) => !several.some((one) => full(lines, one))
    },
    {
      oracle: "set",
      args: { relation: "subset", value: words.slice(0, 6) },
      holds: (lines) => lines.every((line) => words.slice(0, 6).includes(line))
    },
    {
      oracle: "numeric",
      args: { op: "eq", value: 10, extract: "^x=(\\S+)$" },
      holds: (lines) =>
        lines.some((line) => line === "x=10") && !lines.some((line) => /^x=(?!10$)\S+$/.test(line))
    }
  ]
  const chosen = pick(all)
  if (below(3) > 0) return chosen
  const { args, holds, oracle } = chosen
  return { oracle: "not", args: { of: { oracle, args } }, holds: (lines) => !holds(lines) }
}

const lines = (text: string) => linesOf(Result.getOrThrow(readText(text)))

describe("one reading of evidence", () => {
  it("eight forms of one text: the finding is the same or unproven, and never against the text", () => {
    let proven = 0
    for (let seed = 1; seed <= 800; seed++) {
      const throws = dice(seed)
      const text = textOf(throws)
      const asked = claimOf(throws)
      const findings = forms.map((form) => find(asked, encoded(text, form)))
      const said = new Set(findings.filter((finding) => finding !== "unproven"))
      const told = JSON.stringify({ seed, text, asked, findings })
      assert.isAtMost(said.size, 1, told)
      if (said.has("proven")) assert.isTrue(asked.holds(lines(text)), told)
      if (said.has("refuted")) assert.isFalse(asked.holds(lines(text)), told)
      if (said.has("proven")) proven++
      for (const form of unreadableForms) {
        // An empty text has no bytes in any encoding.
        if (text !== "") assert.strictEqual(find(asked, encoded(text, form)), "unproven", `${form} ${told}`)
      }
    }
    assert.isAbove(proven, 150)
  })

  it("an edit that changes what the claim says flips or clears the finding", () => {
    const pieces = [
      "\n",
      "\r\n",
      "\r",
      " ",
      "x",
      "root",
      "1",
      "⁶",
      "½",
      "－",
      "\u00ad",
      "\u200b",
      "\ufeff",
      "\0",
      "\u001b[0m",
      "\ufffd"
    ]
    let changed = 0
    for (let seed = 1; seed <= 3_000; seed++) {
      const throws = dice(seed * 7)
      const { below, pick } = throws
      const text = textOf(throws)
      const asked = claimOf(throws)
      const before = find(asked, encodeText(text, "utf-8"))
      const at = below(text.length + 1)
      const edited = `${text.slice(0, at)}${below(3) === 0 ? "" : pick(pieces)}${text.slice(at + below(3))}`
      const after = find(asked, encodeText(edited, "utf-8"))
      if (edited.includes("\0")) {
        assert.strictEqual(after, "unproven")
        continue
      }
      const told = JSON.stringify({ seed, text, edited, asked, before, after })
      // A lone CR is a line end to some: then neither of the two meanings may be told against.
      const meanings = [lines(edited), lines(edited.replaceAll(/\r(?!\n)/g, "\n"))].map(asked.holds)
      if (after === "proven") assert.include(meanings, true, told)
      if (after === "refuted") assert.include(meanings, false, told)
      const flips = meanings.every((meaning) => meaning !== asked.holds(lines(text)))
      if (before !== "unproven" && flips) {
        changed++
        assert.notStrictEqual(after, before, told)
      }
    }
    assert.isAbove(changed, 100)
  })

  it("bytes are decoded by their mark, and encode to the same bytes", () => {
    for (const form of forms) {
      const bytes = encoded("é\n😀\n", form)
      const decoded = decodeText(bytes)
      assert.isDefined(decoded, form)
      if (decoded !== undefined) assert.deepStrictEqual(encodeText(decoded.text, decoded.encoding), bytes)
    }
    for (const bytes of [
      [0xff, 0xfe, 0x41],
      [0xff, 0xfe],
      [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0],
      [0x41, 0],
      [0xc3],
      [0xff, 0xfe, 0, 0xd8]
    ]) {
      assert.isUndefined(decodeText(Uint8Array.from(bytes)), String(bytes))
    }
  })

  it("lines end by LF or CRLF, and the last line end starts no line", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["", []],
      ["\n", [""]],
      ["a", ["a"]],
      ["a\n", ["a"]],
      ["a\r\n\r\nb", ["a", "", "b"]],
      ["\ufeffa\r\n", ["a"]],
      ["a\rb", ["a\rb"]]
    ]
    for (const [text, wanted] of cases) assert.deepStrictEqual(lines(text), wanted)
  })

  it("a claim that names a carriage return is held against the text as it stands", () => {
    const crlf = encodeText("a\r\nb\r\n", "utf-8")
    const lf = encodeText("a\nb\n", "utf-8")
    const said = (oracle: string, args: Json, bytes: Uint8Array) =>
      find({ oracle, args, holds: () => true }, bytes)
    assert.strictEqual(said("containment", { value: "a\r\nb" }, crlf), "proven")
    assert.strictEqual(said("containment", { value: "\r\n" }, lf), "refuted")
    assert.strictEqual(said("containment", { value: "a\nb" }, crlf), "unproven")
    assert.strictEqual(said("regex", { pattern: "a\\r\\nb" }, crlf), "proven")
    assert.strictEqual(said("regex", { pattern: "a\\r?\\nb" }, lf), "proven")
    assert.strictEqual(said("regex", { pattern: "a\\nb" }, crlf), "unproven")
    assert.strictEqual(said("equality", { value: "a\r\nb\r\n" }, crlf), "proven")
    assert.strictEqual(said("regex", { pattern: "b$" }, lf), "unproven")
    assert.strictEqual(said("regex", { pattern: "\\n^$", flags: "m" }, lf), "unproven")
  })
})
