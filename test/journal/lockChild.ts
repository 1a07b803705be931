// A process that takes locks on request. Reads `take PATH` and `release` on stdin, answers each with a JSON line.
import { createInterface } from "node:readline"
import { Effect, Exit, Layer, Scope } from "effect"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { acquireLock } from "../../src/journal/store/RunLock.ts"

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const layer = Layer.merge(nodeFs.layer, nodeHost.layer)
let scope: Scope.Closeable | undefined

const take = (path: string) =>
  Effect.gen(function* () {
    scope = yield* Scope.make()
    const began = performance.now()
    const taken = yield* Effect.result(Effect.provideService(acquireLock(path), Scope.Scope, scope))
    const ms = performance.now() - began
    if (taken._tag === "Success") return say({ won: true, takenOver: taken.success, ms })
    yield* Scope.close(scope, Exit.void)
    scope = undefined
    return say({ won: false, code: taken.failure.code, holder: taken.failure.holder, ms })
  })

const release = Effect.gen(function* () {
  if (scope !== undefined) yield* Scope.close(scope, Exit.void)
  scope = undefined
  return say({ released: true })
})

createInterface({ input: process.stdin }).on("line", (line) => {
  const command = line.startsWith("take ") ? take(line.slice(5)) : release
  void Effect.runPromise(Effect.provide(command, layer))
})
say({ ready: process.pid })
