// What is let through is proven, all of it, on what stands there at the end: whoever wrote it, whenever, listed or not.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import type { Contract } from "../../../src/domain/Contract.ts"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import { isAmong } from "../../../src/kernel/folder/FolderHashes.ts"
import { runMission } from "../../../src/mission/runMission.ts"
import type { MissionPorts } from "../../../src/mission/MissionPorts.ts"
import { dice, type Dice } from "../../support/dice.ts"
import { ended, worked } from "../script.ts"

/** A folder in memory, whose scripts are lists of simple statements that a proof runs. */
type Files = Record<string, string>

/** Runs a script, and what it calls, in the folder: true where it passes. What it writes stays there. */
const passes = (files: Files, script: string, depth = 0): boolean => {
  const text = files[script]
  if (text === undefined || depth > 4) return false
  for (const line of text.split("\n").filter((statement) => statement !== "")) {
    const [verb = "", file = "", value = ""] = line.split(" ")
    const has = files[file] ?? ""
    if (verb === "has" && !has.includes(value)) return false
    if (verb === "lacks" && has.includes(value)) return false
    if (verb === "call" && !passes(files, file, depth + 1)) return false
    if (verb === "put") files[file] = value
    if (verb === "add") files[file] = has + value
    // Passes as long as it has run seldom enough, which it counts in the folder.
    if (verb === "upTo" && has.length >= Number(value)) return false
    if (verb === "drop") delete files[file]
  }
  return true
}

const portsOn = (files: Files, contract: Contract, work: (label: string) => ReadonlyArray<string>) => {
  const asked: Array<string> = []
  const ports: MissionPorts = {
    ask: ({ label = "" }) => Effect.sync(() => worked("done", work(label.replace(/^[^/]*\//, "")))),
    prove: (request) =>
      Effect.sync(() => ended(request, passes(files, request.proof.command[1] ?? "") ? 0 : 1)),
    readFile: (path) =>
      Effect.sync(() => {
        const text = files[path]
        return text === undefined ? undefined : new TextEncoder().encode(text)
      }),
    folder: Effect.sync(() =>
      Object.entries(files)
        .filter(([path]) => !isAmong(contract.scratch ?? [], path))
        .map(([path, text]) => [path, sha256(text)] as const)
    ),
    record: () => Effect.void,
    approve: ({ item }) =>
      Effect.sync(() => {
        asked.push(item)
        return "approved" as const
      })
  }
  return { ports, asked }
}

const unit = (id: string, proof: ReadonlyArray<Json>, rest: Readonly<Record<string, Json>> = {}) => ({
  id,
  prompt: id,
  proof: [...proof],
  tier: "T1",
  ...rest
})
const gate = (
  result: { gates: ReadonlyArray<{ gate: string; pass: boolean; detail: string }> },
  name: string
) => result.gates.find((decided) => decided.gate === name)

describe("the state at the end", () => {
  it.effect("a unit that breaks what an earlier one had proven is found, whatever it lists", () =>
    Effect.gen(function* () {
      const contract = { commands: ["run"], publish: true }
      const files: Files = { a: "has one good", b: "has two good" }
      const { asked, ports } = portsOn(files, contract, (label) => {
        if (label.startsWith("first")) files["one"] = "good"
        else Object.assign(files, { one: "bad", two: "good" })
        return []
      })
      const units = [unit("first", [["run", "a"]]), unit("second", [["run", "b"]], { dependsOn: ["first"] })]
      const result = yield* runMission({ title: "t", units }, contract, ports)
      assert.isFalse(result.ok)
      assert.deepInclude(gate(result, "proof"), { pass: false, detail: "not passed: run a" })
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("a proof that changes evidence sends the Validator back, without publish too", () =>
    Effect.gen(function* () {
      const contract: Contract = {
        commands: ["run"],
        proofs: [{ id: "p", command: ["run", "p"] }],
        assertions: [
          { id: "kept", statement: "", oracle: "containment", args: { value: "good" }, evidence: "file:out" }
        ]
      }
      const spec = { title: "t", maxFixRounds: 0, units: [unit("u", [], { fulfills: ["kept"] })] }
      const run = (p: string) => {
        const files: Files = { p, out: "good" }
        return Effect.map(runMission(spec, contract, portsOn(files, contract, () => []).ports), (result) => ({
          result,
          files
        }))
      }
      const spoiled = yield* run("put out bad")
      assert.deepInclude(gate(spoiled.result, "validator"), { pass: false })
      assert.deepStrictEqual(
        spoiled.result.assertions.map(({ finding }) => finding),
        ["refuted"]
      )
      const settled = yield* run("put out good-again")
      assert.isTrue(settled.result.ok)
      const moving = yield* run("add out x")
      assert.isFalse(moving.result.ok)
      assert.include(gate(moving.result, "proof")?.detail, "out changed while everything was proven, 3 times")
      assert.include(gate(moving.result, "proof")?.detail, '"scratch"')
    })
  )

  it.effect("what the contract says that proofs only write may change, and nothing else", () =>
    Effect.gen(function* () {
      const run = (log: string) => {
        const contract = { commands: ["run"], scratch: ["proof.log", "coverage/"] }
        const { ports } = portsOn({ a: `add ${log} x` }, contract, () => [])
        return runMission({ title: "t", units: [unit("u", [["run", "a"]])] }, contract, ports)
      }
      assert.isTrue((yield* run("proof.log")).ok)
      assert.isTrue((yield* run("coverage/all.txt")).ok)
      assert.isFalse((yield* run("proof.log.txt")).ok)
    })
  )

  it.effect(
    "while a person is asked the whole folder is watched, and what is proven anew is asked about",
    () =>
      Effect.gen(function* () {
        const contract = { commands: ["run"], publish: true }
        const run = (meanwhile: string) =>
          Effect.gen(function* () {
            const files: Files = { a: "has one good", one: "good" }
            const { asked, ports } = portsOn(files, contract, () => [])
            let edited = false
            const approve: MissionPorts["approve"] = (wanted) =>
              Effect.tap(ports.approve(wanted), () =>
                Effect.sync(() => {
                  if (!edited) files["one"] = meanwhile
                  edited = true
                })
              )
            const spec = { title: "t", units: [unit("u", [["run", "a"]])] }
            return { result: yield* runMission(spec, contract, { ...ports, approve }), asked }
          })
        const worse = yield* run("bad")
        assert.isFalse(worse.result.ok)
        assert.include(
          gate(worse.result, "publish")?.detail,
          "one changed since, and not proven any more: run a"
        )
        const better = yield* run("good-too")
        assert.isTrue(better.result.ok)
        assert.deepStrictEqual(better.asked, ["publish", "publish"])
      })
  )

  it.effect("a worker that changed what a proof is made of is shown where it is let through", () =>
    Effect.gen(function* () {
      const contract = { commands: ["run"], publish: true }
      const run = (script: string) =>
        Effect.gen(function* () {
          const files: Files = { a: "has one good", one: "good", new: "" }
          const { ports } = portsOn(files, contract, () => {
            Object.assign(files, { a: script, made: "1" })
            return []
          })
          const why: Array<string> = []
          const approve: MissionPorts["approve"] = (wanted) => {
            why.push(wanted.why)
            return ports.approve(wanted)
          }
          const spec = { title: "t", units: [unit("u", [["run", "a"]])] }
          const result = yield* runMission(spec, contract, { ...ports, approve })
          assert.isTrue(result.ok)
          return [gate(result, "proof")?.detail ?? "", ...why]
        })
      for (const told of yield* run("")) assert.include(told, "a proof is made of it: a (run a)")
      for (const told of yield* run("has one good")) assert.notInclude(told, "made of it")
    })
  )

  it.effect("what nobody could look at is not known to be the same", () =>
    Effect.gen(function* () {
      const contract = { commands: ["run"] }
      const { ports } = portsOn({ a: "" }, contract, () => [])
      const hidden = { ...ports, folder: Effect.succeed([["closed/", "unknown: EACCES"]] as const) }
      const result = yield* runMission({ title: "t", units: [unit("u", [["run", "a"]])] }, contract, hidden)
      assert.isFalse(result.ok)
    })
  )
})

const names = ["a", "b", "one", "two", "state", "lib/x", "out/log"]
const words = ["good", "bad", "x"]

/** What a worker that may write anything writes in one go: data, scripts, and scripts that keep state. */
const writes = (from: Dice, files: Files): void => {
  for (let left = 1 + from.below(3); left > 0; left--) {
    const file = from.pick(names)
    const script = () =>
      Array.from({ length: 1 + from.below(3) }, () =>
        from.pick([
          `has ${from.pick(names)} ${from.pick(words)}`,
          `lacks ${from.pick(names)} ${from.pick(words)}`,
          `put ${from.pick(names)} ${from.pick(words)}`,
          `add ${from.pick(names)} ${from.pick(words)}`,
          `upTo state ${1 + from.below(9)}\nadd state y`,
          `call ${from.pick(names)}`,
          `drop ${from.pick(names)}`
        ])
      ).join("\n")
    const kind = from.below(4)
    if (kind === 0) delete files[file]
    else files[file] = kind === 1 ? from.pick(words) : script()
  }
}

/** Ten contracts: proofs of their own or of units, assertions on files and commands, published by a person or not. */
const contracts: ReadonlyArray<Contract> = Array.from({ length: 10 }, (_, index) => ({
  commands: ["run"],
  ...(index % 2 === 0 ? { publish: true } : {}),
  ...(index % 3 === 0 ? {} : { proofs: [{ id: "all", command: ["run", index % 3 === 1 ? "a" : "b"] }] }),
  ...(index % 5 < 2
    ? {}
    : {
        assertions: [
          index % 5 === 2
            ? { id: "s", statement: "", oracle: "containment", args: { value: "good" }, evidence: "file:one" }
            : index % 5 === 3
              ? {
                  id: "s",
                  statement: "",
                  oracle: "count",
                  args: { of: "lines", op: "le", value: 9 },
                  evidence: "file:state"
                }
              : { id: "s", statement: "", oracle: "containment", args: { value: "x" }, evidence: "file:two" }
        ]
      })
}))

describe("a worker that may write anything in its folder", () => {
  const seen = { missions: 0, through: 0 }
  it.effect.prop(
    "gets nothing through whose proofs do not pass on what it left",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function* () {
        for (const [index, contract] of contracts.entries()) {
          const from = dice(seed * 31 + index)
          const files: Files = { a: "has one good", b: "has two good", one: "good", two: "good" }
          if (contract.assertions !== undefined) files["state"] = ""
          const work = () => {
            if (from.below(3) > 0) writes(from, files)
            return from.below(2) === 0 ? [] : [from.pick(names)]
          }
          const { ports } = portsOn(files, contract, work)
          // What it left running goes on writing while a person is asked.
          const approve: MissionPorts["approve"] = (wanted) =>
            Effect.tap(ports.approve(wanted), () =>
              Effect.sync(() => void (from.below(3) === 0 && writes(from, files)))
            )
          const fulfills = (contract.assertions ?? []).map(({ id }) => id)
          const units = [
            unit("first", [["run", "a"]], { fulfills, maxAttempts: 2 }),
            unit("second", [["run", "b"]], {
              maxAttempts: 2,
              dependsOn: from.below(2) === 0 ? ["first"] : []
            })
          ]
          const result = yield* runMission({ title: "t", units }, contract, { ...ports, approve })
          seen.missions++
          if (!result.ok) continue
          seen.through++
          for (const script of ["a", "b"])
            assert.isTrue(passes({ ...files }, script), `seed ${seed}, contract ${index}: ${script}`)
        }
      }),
    { arbitrary: { runs: 200 } }
  )

  it("some of it gets through, so that the property says something", () => {
    assert.isAbove(seen.through, seen.missions / 20)
  })
})
