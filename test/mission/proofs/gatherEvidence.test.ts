// Evidence of a mission: files and proofs by id, nothing from outside the working directory, nothing from workers.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  evidenceIds,
  gatherEvidence,
  inputHashes,
  isInside
} from "../../../src/mission/proofs/gatherEvidence.ts"
import { loadMission } from "../../../src/mission/loadMission.ts"
import { contract, spec } from "../script.ts"

const mission = Result.getOrThrow(loadMission(spec(), contract))
const about = (...evidence: ReadonlyArray<string>) =>
  evidence.map((id) => ({ id, statement: "", oracle: "quote", args: {}, evidence: id }))
const gather = (...ids: ReadonlyArray<string>) =>
  gatherEvidence(
    mission,
    about(...ids),
    (path) =>
      Effect.succeed(
        path === "a.txt" || path === "suite.txt" ? new TextEncoder().encode(`text of ${path}`) : undefined
      ),
    ({ command, id }) => Effect.succeed({ id, command, exitCode: 3, stdout: "out", stderr: "" })
  )

describe("gatherEvidence", () => {
  it.effect("a file by its path, a proof by its id, each under the id that was asked for", () =>
    Effect.gen(function* () {
      const found = yield* gather("a.txt", "file:a.txt", "suite", "proof:suite", "suite.txt")
      assert.deepStrictEqual(
        found.map(({ id, kind }) => `${id} ${kind}`),
        ["a.txt file", "file:a.txt file", "proof:suite command", "suite command", "suite.txt file"]
      )
      assert.deepInclude(found[2], { exitCode: 3, stdout: "out" })
    })
  )

  it.effect("what is there and is not read is unreadable, by its reason, and no hash of anything", () =>
    Effect.gen(function* () {
      const readFile = () => Effect.succeed({ reason: "it is a named pipe" })
      const [found] = yield* gatherEvidence(mission, about("file:pipe"), readFile, () =>
        Effect.die("no proof")
      )
      assert.deepStrictEqual(found, { kind: "unreadable", id: "file:pipe", reason: "it is a named pipe" })
      assert.deepStrictEqual(yield* inputHashes(["pipe"], readFile), [["pipe", "unread: it is a named pipe"]])
    })
  )

  it.effect("what is not there, or not inside, is unreadable", () =>
    Effect.gen(function* () {
      const ids = [
        "gone.txt",
        "../secret",
        "/etc/passwd",
        "proof:none",
        "file:",
        "a/../../b",
        "C:\\x",
        "unit:build"
      ]
      const found = yield* gather(...ids)
      assert.strictEqual(found.length, ids.length)
      assert.isTrue(found.every(({ kind }) => kind === "unreadable"))
    })
  )

  it("ids inside all, any and not are found too", () => {
    const [assertion] = about("a.txt")
    assert.deepStrictEqual(
      evidenceIds(
        assertion === undefined
          ? []
          : [
              {
                ...assertion,
                args: {
                  of: [
                    { oracle: "quote", args: {}, evidence: "b.txt" },
                    { oracle: "not", args: { of: { oracle: "x", args: {}, evidence: "c.txt" } } }
                  ]
                }
              }
            ]
      ),
      ["a.txt", "b.txt", "c.txt"]
    )
  })

  it.effect("a file that looks like a command's record is a file", () =>
    Effect.gen(function* () {
      const record = {
        kind: "command",
        id: "proof:tests",
        command: ["node"],
        exitCode: 0,
        stdout: "",
        stderr: ""
      }
      const bytes = new TextEncoder().encode(JSON.stringify([record]))
      const found = yield* gatherEvidence(
        mission,
        about("file:x.evidence.json"),
        () => Effect.succeed(bytes),
        () => Effect.die("nothing is run")
      )
      assert.deepStrictEqual(
        found.map(({ id, kind }) => [id, kind]),
        [["file:x.evidence.json", "file"]]
      )
    })
  )

  it("inside means inside", () => {
    for (const path of ["a", "a/b.txt", ".env", "a/..b"]) assert.isTrue(isInside(path), path)
    for (const path of ["", "/a", "..", "a/..", "a//b", "./a", "a\\b", "C:/a", "a\0b"])
      assert.isFalse(isInside(path), path)
  })
})
