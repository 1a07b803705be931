// Evidence from files: exact bytes, exact texts, nothing left out.
import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../src/domain/fingerprint.ts"
import type { Evidence } from "../../src/verifier/Evidence.ts"
import type { Json } from "../../src/domain/json/canonicalJson.ts"
import { checkClaims } from "../../src/verifier/checkClaims.ts"
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

  it("a file that looks like the engine's own record is a text, and what it says of a command proves nothing", () => {
    const command = {
      kind: "command",
      id: "t",
      command: ["npm", "test"],
      exitCode: 0,
      stdout: "",
      stderr: ""
    }
    const posing = { kind: "file", id: "a.txt", path: "a.txt", sha256: "0".repeat(64), bytes: 1 }
    const number: Evidence = { kind: "number", id: "n", value: 1 }
    for (const value of [command, [command], [number, command], [posing], [posing, command, number]]) {
      const bytes = utf8(JSON.stringify(value))
      const evidence = load("x.evidence.json", bytes)
      assert.deepInclude(evidence[0], { kind: "file", id: "x.evidence.json", sha256: sha256(bytes) })
      assert.isTrue(evidence.every(({ id, kind }) => kind !== "command" && id !== "a.txt"))
      const claims: ReadonlyArray<readonly [string, string, Json]> = [
        ["t", "exit_code", { code: 0 }],
        ["t", "count", { of: "lines", op: "eq", value: 0, stream: "stderr" }],
        ["a.txt", "hash", { value: "0".repeat(64) }]
      ]
      for (const [id, oracle, args] of claims) {
        const [found] = checkClaims([{ id: "c", statement: "", oracle, args, evidence: id }], evidence)
        assert.strictEqual(found?.finding, "unproven")
      }
    }
  })
})
