// What a mission saw: kept by whoever resumes it, so that its past does not change with the files; and looked at anew
// before anything is published.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { evidenceReader, inputsAt, type Observe } from "../../../src/mission/proofs/observations.ts"
import { runMission } from "../../../src/mission/runMission.ts"
import type { MissionPorts } from "../../../src/mission/MissionPorts.ts"
import { contract, ended, scripted, spec, worked, type Script } from "../script.ts"

/** Keeps what was seen, by its moment, as a journal does. */
const keeping = () => {
  const kept = new Map<string, Json>()
  const observe: Observe = (kind, at, look) => {
    const key = JSON.stringify([kind, at])
    const known = kept.get(key)
    return known === undefined
      ? Effect.tap(look, (seen) => Effect.sync(() => void kept.set(key, seen)))
      : Effect.succeed(known)
  }
  return { kept, observe }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe("what was seen", () => {
  it.effect.prop(
    "is seen again as it was, byte for byte, whatever became of the file",
    [Schema.Uint8Array],
    ([given]) =>
      Effect.gen(function* () {
        let now: Uint8Array | undefined = given
        const ports = { ...keeping(), readFile: () => Effect.succeed(now) }
        const at = { task: "m/u", round: 1 }
        const read = evidenceReader(ports, at)
        const first = yield* read("a.txt")
        const hashes = yield* inputsAt(ports, at, ["a.txt"])
        now = undefined
        assert.deepStrictEqual(yield* read("a.txt"), first)
        assert.deepStrictEqual(first, given)
        assert.deepStrictEqual(yield* inputsAt(ports, at, ["a.txt"]), hashes)
        assert.deepStrictEqual(yield* inputsAt(ports, { ...at, round: 2 }, ["a.txt"]), [["a.txt", "absent"]])
      })
  )

  it.effect("a file that was not there stays absent", () =>
    Effect.gen(function* () {
      const disk: { now?: Uint8Array } = {}
      const ports = { ...keeping(), readFile: () => Effect.succeed(disk.now) }
      const read = evidenceReader(ports, { task: "m/u", round: 1 })
      assert.isUndefined(yield* read("a.txt"))
      disk.now = bytesOf("now it is")
      assert.isUndefined(yield* read("a.txt"))
    })
  )
})

/** A mission that publishes, whose worker hands over `out.txt`; every result by its request, as a journal keeps them. */
const publishing = (script: Script, edit: (files: Record<string, string>) => void) => {
  const { observe } = keeping()
  const script1 = scripted({ ask: () => worked("did it", ["out.txt"]), approve: () => "approved", ...script })
  const ports: MissionPorts = {
    ...script1.ports,
    observe,
    approve: (wanted) =>
      Effect.tap(script1.ports.approve(wanted), () => Effect.sync(() => edit(script1.files)))
  }
  return Effect.map(runMission(spec(), { ...contract, publish: true }, ports), (result) => ({
    result,
    publish: result.gates.find(({ gate }) => gate === "publish"),
    again: script1.proved.filter(({ task }) => task.endsWith("gate-publish")).map(({ proof }) => proof.id)
  }))
}

describe("what is published", () => {
  it.effect("is what was proven: unchanged files are not proven again", () =>
    Effect.gen(function* () {
      const { again, publish, result } = yield* publishing({}, () => {})
      assert.isTrue(result.ok)
      assert.deepStrictEqual(publish, { gate: "publish", pass: true, detail: "approved" })
      assert.deepStrictEqual(again, [])
    })
  )

  it.effect("files that changed while a person was asked are proven again, every proof and assertion", () =>
    Effect.gen(function* () {
      const { again, publish, result } = yield* publishing(
        {},
        (files) => void (files["out.txt"] = "built better")
      )
      assert.isTrue(result.ok)
      assert.deepStrictEqual(again, ["suite", "npm run build"])
      assert.include(publish?.detail, "out.txt changed since, and was proven again")
    })
  )

  it.effect("what the contract names as evidence is looked at again, though nobody handed it over", () =>
    Effect.gen(function* () {
      const ask = () => worked("did it")
      const better = yield* publishing({ ask }, (files) => void (files["out.txt"] = "built better"))
      assert.deepStrictEqual(better.again, ["suite", "npm run build"])
      assert.isTrue(better.result.ok)
      const worse = yield* publishing({ ask }, (files) => void (files["out.txt"] = "nothing"))
      assert.isFalse(worse.result.ok)
      assert.include(worse.publish?.detail, "not proven any more: a-built")
    })
  )

  it.effect("is not published where a proof no longer passes", () =>
    Effect.gen(function* () {
      const { publish, result } = yield* publishing(
        { prove: (request) => ended(request, request.task.endsWith("gate-publish") ? 1 : 0) },
        (files) => void (files["out.txt"] = "built worse")
      )
      assert.isFalse(result.ok)
      assert.deepInclude(publish, { pass: false })
      assert.include(publish?.detail, "not proven any more: suite")
    })
  )

  it.effect("is not published where an assertion is no longer proven", () =>
    Effect.gen(function* () {
      const { publish, result } = yield* publishing({}, (files) => void (files["out.txt"] = "nothing"))
      assert.isFalse(result.ok)
      assert.include(publish?.detail, "not proven any more: a-built")
    })
  )
})

describe("a mission that goes on", () => {
  it.effect(
    "asks and proves nothing again, although a later attempt changed what an earlier one had made",
    () =>
      Effect.gen(function* () {
        const { observe } = keeping()
        const proofs = new Map<string, number>()
        const answers = new Map<string, number>()
        const files: Record<string, string> = { "out.txt": "" }
        let attempts = 0
        const first = scripted({
          ask: () => {
            attempts++
            files["out.txt"] = attempts === 1 ? "wrong" : "built"
            return worked("did it", ["out.txt"])
          }
        })
        /** Proves and asks as a journal does: each request once. */
        const kept: MissionPorts = {
          ...first.ports,
          observe,
          readFile: (path) => Effect.succeed(files[path] === undefined ? undefined : bytesOf(files[path])),
          ask: (call) => {
            const key = JSON.stringify(call)
            const known = answers.get(key)
            if (known !== undefined) return Effect.succeed(worked("did it", ["out.txt"]))
            answers.set(key, 1)
            return first.ports.ask(call)
          },
          prove: (request) =>
            Effect.sync(() => {
              const key = JSON.stringify(request)
              const code = proofs.get(key) ?? (files["out.txt"] === "built" ? 0 : 1)
              proofs.set(key, code)
              return ended(request, code)
            })
        }
        const one = yield* runMission(spec(), contract, kept)
        const [asked, proved] = [answers.size, proofs.size]
        assert.deepInclude(one.units[0], { id: "build", attempts: 2 })
        const two = yield* runMission(spec(), contract, kept)
        assert.deepStrictEqual(two, one)
        assert.deepStrictEqual([answers.size, proofs.size], [asked, proved])
      })
  )
})
