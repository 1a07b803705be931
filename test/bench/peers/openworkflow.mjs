// openworkflow on SQLite (node:sqlite): a workflow whose steps are the calls. Driven by `tick`, so that no polling
// interval is measured. It allows a run at most 1,000 steps.
import { join } from "node:path"
import process from "node:process"
import { OpenWorkflow } from "openworkflow"
import { BackendSqlite } from "openworkflow/sqlite"
import { pool, rounds, text } from "./rounds.mjs"

const open = (dir, body) => {
  const backend = BackendSqlite.connect(join(dir, "runs.db"))
  const client = new OpenWorkflow({ backend })
  const retryPolicy = {
    initialInterval: "1ms",
    backoffCoefficient: 1,
    maximumInterval: "1ms",
    maximumAttempts: 2
  }
  const workflow = client.defineWorkflow({ name: "calls", retryPolicy }, body)
  return { backend, workflow, worker: client.newWorker({ concurrency: 1 }) }
}

/** Claims runs until `ended` is settled. */
const drive = async (worker, ended) => {
  let done = false
  const finished = ended.finally(() => (done = true))
  while (!done) {
    if ((await worker.tick()) > 0) break
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return finished
}

const calls = async (dir, count, inFlight) => {
  const { promise, resolve, reject } = Promise.withResolvers()
  const { backend, worker, workflow } = open(dir, async ({ step }) => {
    try {
      const began = performance.now()
      await pool(count, inFlight, (n) => step.run({ name: `call ${n}` }, async () => text))
      resolve(performance.now() - began)
    } catch (error) {
      reject(error)
    }
    return count
  })
  await workflow.run({})
  const ms = await drive(worker, promise)
  await worker.stop()
  await backend.stop()
  return ms
}

const resume = async (dir, count) => {
  let made = 0
  const body =
    (ended, attempt) =>
    async ({ step }) => {
      await pool(count, 1, (n) =>
        step.run({ name: `call ${n}` }, async () => {
          made++
          return text
        })
      )
      ended.resolve(performance.now())
      if (attempt === 1) throw new Error("died after its last call")
    }
  const first = Promise.withResolvers()
  const before = open(dir, body(first, 1))
  await before.workflow.run({})
  await drive(before.worker, first.promise)
  await before.worker.stop()
  await before.backend.stop()

  const began = performance.now()
  const second = Promise.withResolvers()
  const after = open(dir, body(second, 2))
  const ended = await drive(after.worker, second.promise)
  await after.worker.stop()
  await after.backend.stop()
  if (made !== count) throw new Error(`openworkflow made ${made} calls for ${count}`)
  return ended - began
}

await rounds({ calls, resume }, process.argv.slice(2))
