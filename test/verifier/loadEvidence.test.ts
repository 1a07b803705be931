// Evidence from files: exact bytes, exact texts, nothing left out.
import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../src/domain/fingerprint.ts"
import type { Evidence } from "../../src/verifier/Evidence.ts"
import { loadEvidence } from "../../src/verifier/loadEvidence.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)
const load = (path: string, bytes: Uint8Array) => loadEvidence([{ path, bytes }])

describe("loadEvidence", () => {
  it("a file under its path, with the hash of its bytes and its text, byte order mark kept", () => {
    const bytes = utf8("\ufeffhi\r\n")
    assert.deepStrictEqual(load("a/b.txt", bytes), [
      { kind: "file", id: "a/b.txt", path: "a/b.txt", sha256: sha256(bytes), bytes: 7, text: "\ufeffhi\r\n" }
    ])
  })

  it("bytes that are not UTF-8 have a hash and no text", () => {
    const [evidence] = load("x.bin", Uint8Array.from([0xff, 0xfe]))
    assert.deepInclude(evidence, { kind: "file", bytes: 2 })
    assert.notProperty(evidence, "text")
  })

  it("structured evidence under its own ids", () => {
    const many: ReadonlyArray<Evidence> = [
      { kind: "number", id: "n", value: 1 },
      { kind: "json", id: "j", value: [1] }
    ]
    assert.deepStrictEqual(load("x.evidence.json", utf8(JSON.stringify(many))), many)
    assert.deepStrictEqual(load("x.evidence.json", utf8(JSON.stringify(many[0]))), many.slice(0, 1))
  })

  it("structured evidence that cannot be read is unreadable under its path, never left out", () => {
    for (const text of [
      "{",
      '{"kind":"number","id":"n"}',
      '[{"kind":"number","id":"n","value":1,"extra":1}]',
      '{"kind":"number","id":"n","value":9007199254740993}'
    ]) {
      assert.deepInclude(load("x.evidence.json", utf8(text))[0], {
        kind: "unreadable",
        id: "x.evidence.json"
      })
    }
    assert.deepInclude(load("x.evidence.json", Uint8Array.from([0xff]))[0], { kind: "unreadable" })
  })
})
