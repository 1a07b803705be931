// Who lives: told by pid, start, boot and host together, against real processes.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HostIdentity } from "../../src/kernel/HostIdentity.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"

describe("HostIdentity on this machine", () => {
  it.live("is itself alive, and says who it is in full", () =>
    Effect.gen(function* () {
      const host = yield* HostIdentity
      assert.strictEqual(host.self.pid, process.pid)
      if (process.platform === "linux") assert.isTrue(host.self.started !== "" && host.self.boot !== "")
      assert.strictEqual(yield* host.liveness(host.self), "alive")
    }).pipe(Effect.provide(nodeHost.layer))
  )

  it.live("another start or boot is another process; another host cannot be known", () =>
    Effect.gen(function* () {
      const { liveness, self } = yield* HostIdentity
      assert.strictEqual(yield* liveness({ ...self, started: "1" }), "dead")
      assert.strictEqual(yield* liveness({ ...self, boot: "1" }), "dead")
      assert.strictEqual(yield* liveness({ ...self, host: "1" }), "elsewhere")
      assert.strictEqual(yield* liveness({ ...self, pid: 0 }), "dead")
      assert.strictEqual(yield* liveness({ ...self, pid: -1 }), "dead")
    }).pipe(Effect.provide(nodeHost.layer))
  )

  it.live.skipIf(process.platform !== "linux")(
    "a process is dead from the moment it is killed, before anybody asked for its exit code",
    () =>
      Effect.gen(function* () {
        const { liveness, self } = yield* HostIdentity
        const child = spawn("sleep", ["1000"])
        const pid = yield* Effect.promise(
          () => new Promise<number>((resolve) => child.once("spawn", () => resolve(child.pid ?? 0)))
        )
        const identity = { ...self, pid, started: "" }
        assert.strictEqual(yield* liveness(identity), "alive")
        child.kill("SIGKILL")
        // Node asks for the exit code in its event loop, which does not turn here: it stays a zombie.
        while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z")) continue
        assert.doesNotThrow(() => process.kill(pid, 0))
        assert.strictEqual(yield* liveness(identity), "dead")
      }).pipe(Effect.provide(nodeHost.layer))
  )
})
