// Real processes, really killed: a writer is killed with SIGKILL at moments spread over its work, each time in
// another place, and started again, until it is done. Every answer it had acknowledged is there each time.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { runId } from "./support.ts"

const calls = 200

/** Runs the writer until it is done or has acknowledged `until` answers; then it is killed. */
const runWriter = (dir: string, until: number, acknowledged: Set<number>) =>
  new Promise<boolean>((resolve) => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL("./killChild.ts", import.meta.url)), dir, String(calls)],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    let seen = 0
    createInterface({ input: child.stdout }).on("line", (line) => {
      acknowledged.add(Number(line))
      if (++seen === until) child.kill("SIGKILL")
    })
    child.once("close", (code) => resolve(code === 0))
  })

it.live(
  "killed in the middle of its work again and again, a run keeps every acknowledged answer and comes to its end",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(`${tmpdir()}/alembic-kill-`)),
        (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
      )
      const acknowledged = new Set<number>()
      let kills = 0
      for (let until = 7; ; until += 11) {
        if (yield* Effect.promise(() => runWriter(dir, until, acknowledged))) break
        kills++
        yield* Effect.gen(function* () {
          const journal = yield* (yield* Journal).open(runId, "read")
          const answered = new Set(
            [...journal.state().calls.values()].flatMap(({ n, rank }) => (rank < 0 ? [] : [n]))
          )
          for (const n of acknowledged)
            assert.isTrue(answered.has(n), `answer ${n} was acknowledged and is lost`)
        }).pipe(
          Effect.scoped,
          Effect.provide(
            Journal.layer({ baseDir: dir }).pipe(Layer.provide(Layer.merge(nodeFs.layer, nodeHost.layer)))
          )
        )
      }
      assert.isAtLeast(kills, 3)
      const lines = readFileSync(`${dir}/runs/${runId}/events.jsonl`, "utf8").trimEnd().split("\n")
      // An answer is written once, however often the process died.
      const answers = lines.filter((line) => line.includes('"type":"CallCompleted"'))
      assert.strictEqual(answers.length, calls)
    }),
  120_000
)
