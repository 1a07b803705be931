// A process that works through the calls of a run, eight at once, and says the number of each whose answer is
// durable. What it finds answered it does not do again.
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import * as nodeFs from "../../src/kernel/files/FsPort.node.ts"
import * as nodeHost from "../../src/kernel/HostIdentity.node.ts"
import { completed, ended, keyOf, newRun, runId, scheduled, started } from "./support.ts"

const [, , dir = "", count = "0"] = process.argv

const program = Effect.gen(function* () {
  const store = yield* Journal
  const journal = yield* Effect.flatMap(store.exists(runId), (there) =>
    there ? store.open(runId, "write") : store.create(newRun())
  )
  if (journal.state().startedAt === undefined) yield* journal.append(started)
  yield* Effect.forEach(
    Array.from({ length: Number(count) }, (_, n) => n + 1),
    (n) =>
      Effect.gen(function* () {
        if (journal.state().calls.get(`${keyOf(`p${n}`)}#1`)?.status === "completed") return
        yield* journal.append(scheduled(n, `p${n}`, 1))
        yield* journal.commit
        yield* journal.append(completed(`p${n}`))
        yield* journal.commit
        process.stdout.write(`${n}\n`)
      }),
    { concurrency: 8, discard: true }
  )
  if (journal.state().end === undefined) yield* journal.append(ended)
  yield* journal.commit
  yield* journal.seal({ sum: 3 })
})

await Effect.runPromise(
  Effect.scoped(
    Effect.provide(
      program,
      Journal.layer({ baseDir: dir }).pipe(Layer.provide(Layer.merge(nodeFs.layer, nodeHost.layer)))
    )
  )
)
