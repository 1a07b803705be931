// Proof commands for real: exit codes, limits, a clean environment, and nothing left running.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import process from "node:process"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import type { Contract } from "../../../src/domain/Contract.ts"
import type { Proof } from "../../../src/mission/Mission.ts"
import { ProofRunner } from "../../../src/mission/proofs/ProofRunner.ts"
import * as ProofRunnerNode from "../../../src/mission/proofs/ProofRunner.node.ts"
import { runMission } from "../../../src/mission/runMission.ts"
import type { MissionPorts } from "../../../src/mission/MissionPorts.ts"
import { worked } from "../script.ts"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "alembic-proof-")))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const node = (script: string, timeoutMs = 20_000): Proof => ({
  id: "p",
  command: [process.execPath, "-e", script],
  timeoutMs
})
const runner = ProofRunnerNode.layer(directory)
const run = (proof: Proof) => ProofRunner.use((proofs) => proofs.run(proof)).pipe(Effect.provide(runner))
/**
 * A port that a process connects to while it lives: `up` when it has connected, `gone` when its end of the
 * connection is closed, which the system does when the process ends, however it ends.
 */
const lifeline = Effect.gen(function* () {
  const up = yield* Deferred.make<void>()
  const gone = yield* Deferred.make<void>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const listening = createServer((socket) => {
        Deferred.doneUnsafe(up, Exit.void)
        socket.on("error", () => {})
        socket.on("close", () => Deferred.doneUnsafe(gone, Exit.void))
        socket.resume()
      })
      listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) => Effect.sync(() => listening.close())
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    up: Deferred.await(up),
    gone: Deferred.await(gone),
    script: `require('net').connect(${port}, '127.0.0.1')`
  }
})

describe("ProofRunner", () => {
  it.live("gives back exit code and both outputs, from the working directory", () =>
    Effect.gen(function* () {
      const result = yield* run(node("console.log(process.cwd()); console.error('e'); process.exit(3)"))
      assert.deepInclude(result, { id: "p", exitCode: 3, stdout: `${directory}\n`, stderr: "e\n" })
    })
  )

  it.live("a command that is not there, is killed, or takes too long has no exit code", () =>
    Effect.gen(function* () {
      const missing = yield* run({ id: "p", command: ["no-such-command-here"], timeoutMs: 1000 })
      assert.deepInclude(missing, { exitCode: null, problem: "the command could not be started (ENOENT)" })
      assert.deepInclude(yield* run(node("process.kill(process.pid, 'SIGKILL')")), { exitCode: null })
      assert.deepInclude(yield* run(node("setInterval(() => {}, 1e6)", 300)), {
        exitCode: null,
        timedOut: true
      })
    })
  )

  it.live("the program is one from outside the working directory, and its hash is told", () =>
    Effect.gen(function* () {
      const inner = join(directory, "bin")
      mkdirSync(inner)
      const plant = (name: string) =>
        writeFileSync(join(inner, name), "#!/bin/sh\necho planted\n", { mode: 0o755 })
      plant("node")
      plant("only-here")
      const before = process.env["PATH"]
      process.env["PATH"] = [inner, "bin", dirname(process.execPath), before].join(delimiter)
      const planted = ProofRunnerNode.layer(directory)
      const proving = (...command: ReadonlyArray<string>) =>
        ProofRunner.use((proofs) => proofs.run({ id: "p", command, timeoutMs: 20_000 })).pipe(
          Effect.provide(planted)
        )
      const real = yield* proving("node", "-p", "process.env.PATH")
      assert.strictEqual(real.exitCode, 0)
      assert.notInclude(real.stdout, inner)
      assert.strictEqual(real.program?.path, join(dirname(process.execPath), "node"))
      assert.strictEqual(real.program?.sha256, sha256(readFileSync(process.execPath)))
      const only = yield* proving("only-here")
      process.env["PATH"] = before
      assert.include(only.problem, "only-here is only in the working directory")
      assert.deepInclude(yield* proving("bin/only-here"), { exitCode: 0, stdout: "planted\n" })
      rmSync(inner, { recursive: true })
    })
  )

  it.live("output over the limit ends it: cut, and failed", () =>
    Effect.gen(function* () {
      const result = yield* run(node("for (;;) require('fs').writeSync(1, 'x'.repeat(65536))"))
      assert.deepInclude(result, { exitCode: null, truncated: true })
      assert.isAtMost(result.stdout.length, 4_000_000)
    })
  )

  it.live("no key of the environment reaches it, and no shell reads its words", () =>
    Effect.gen(function* () {
      process.env["ALEMBIC_TEST_API_KEY"] = "planted-secret"
      const result = yield* run(
        node("console.log(JSON.stringify([Object.keys(process.env), process.env.TZ, process.argv[1]]))")
      )
      delete process.env["ALEMBIC_TEST_API_KEY"]
      const [names, zone] = Schema.decodeUnknownSync(
        Schema.fromJsonString(
          Schema.Tuple([Schema.Array(Schema.String), Schema.String, Schema.NullOr(Schema.String)])
        )
      )(result.stdout)
      assert.notInclude(names, "ALEMBIC_TEST_API_KEY")
      assert.strictEqual(zone, "UTC")
      const words = yield* run({
        id: "p",
        command: [process.execPath, "-e", "console.log(process.argv[1])", "$(id); `id` > x"],
        timeoutMs: 10_000
      })
      assert.strictEqual(words.stdout, "$(id); `id` > x\n")
    })
  )

  it.live("what it started ends with it, although it holds on to nothing of it", () =>
    Effect.gen(function* () {
      const { gone, script, up } = yield* lifeline
      const grandchild = JSON.stringify(`${script}; setInterval(() => {}, 1e6)`)
      const spawns = `require('child_process').spawn(process.execPath, ['-e', ${grandchild}], { stdio: 'ignore' }); process.stdin.resume(); setTimeout(() => {}, 1e6)`
      const fiber = yield* Effect.forkChild(run(node(spawns, 3_000)))
      yield* up
      assert.deepInclude(yield* Fiber.join(fiber), { timedOut: true })
      yield* gone
    })
  )

  it.live("interruption ends it and what it started", () =>
    Effect.gen(function* () {
      const { gone, script, up } = yield* lifeline
      const fiber = yield* Effect.forkChild(
        run(node(`${script}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)`))
      )
      yield* up
      yield* Fiber.interrupt(fiber)
      yield* gone
    })
  )
})

describe("a mission with real commands", () => {
  it.live("a failing test is made to pass by a worker, from start to done", () =>
    Effect.gen(function* () {
      writeFileSync(join(directory, "sum.mjs"), "export const sum = (a, b) => a - b\n")
      writeFileSync(
        join(directory, "sum.test.mjs"),
        "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from './sum.mjs'\ntest('sums', () => assert.strictEqual(sum(2, 3), 5))\n"
      )
      const suite = [process.execPath, "--test", "--test-reporter=tap", "sum.test.mjs"]
      const contract: Contract = {
        proofs: [{ id: "suite", command: suite, timeoutMs: 30_000 }],
        assertions: [
          {
            id: "passes",
            statement: "the suite passes",
            oracle: "exit_code",
            args: { code: 0, command: suite },
            evidence: "proof:suite"
          },
          {
            id: "one-test",
            statement: "and there is a test in it",
            oracle: "regex",
            args: { pattern: "(?m)^# pass 1$" },
            evidence: "proof:suite"
          },
          {
            id: "adds",
            statement: "by adding",
            oracle: "quote",
            args: { quote: "a + b" },
            evidence: "sum.mjs"
          }
        ]
      }
      const proofs = yield* ProofRunner
      const prompts: Array<string> = []
      const exits: Array<string> = []
      const ports: MissionPorts = {
        // The first attempt mends nothing; the second has seen the failed proof.
        ask: ({ prompt }) =>
          Effect.sync(() => {
            prompts.push(prompt)
            if (prompt.includes("not ok"))
              writeFileSync(join(directory, "sum.mjs"), "export const sum = (a, b) => a + b\n")
            return worked("All tests pass, trust me.", ["sum.mjs"])
          }),
        prove: ({ proof, task }) =>
          Effect.tap(proofs.run(proof), ({ exitCode }) =>
            Effect.sync(() => exits.push(`${task.split("/")[1]} ${exitCode}`))
          ),
        readFile: (path) => Effect.sync(() => readFileSync(join(directory, path))),
        record: () => Effect.void,
        approve: () => Effect.succeed("approved")
      }
      const result = yield* runMission(
        {
          title: "Mend sum",
          units: [
            {
              id: "mend",
              prompt: "Make the test pass",
              proof: ["suite"],
              fulfills: ["passes", "one-test", "adds"],
              tier: "T2"
            }
          ]
        },
        { ...contract, publish: true },
        ports
      )
      assert.deepInclude(result, { ok: true, status: "done" })
      assert.strictEqual(prompts.length, 2)
      assert.deepStrictEqual(exits, ["mend 1", "mend 0", "validator-final 0", "gate-proof 0"])
      assert.deepStrictEqual(
        result.gates.map(({ gate, pass }) => `${gate}:${pass}`),
        ["scope:true", "proof:true", "validator:true", "publish:true"]
      )
      assert.deepStrictEqual(
        result.assertions.map(({ finding }) => finding),
        ["proven", "proven", "proven"]
      )
    }).pipe(Effect.provide(runner))
  )
})
