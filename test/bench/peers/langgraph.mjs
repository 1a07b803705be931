// LangGraph with its SQLite checkpointer (better-sqlite3): an entrypoint whose tasks are the calls. SYNC=full asks
// SQLite for what the others give, an answer that survives a power cut; without it the checkpointer's own setting.
import { join } from "node:path"
import process from "node:process"
import Database from "better-sqlite3"
import { entrypoint, task } from "@langchain/langgraph"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"
import { pool, rounds, text } from "./rounds.mjs"

const open = (dir) => {
  const database = new Database(join(dir, "runs.db"))
  database.pragma("journal_mode=WAL")
  if (process.env.SYNC === "full") database.pragma("synchronous=FULL")
  return { database, checkpointer: new SqliteSaver(database) }
}

const config = { configurable: { thread_id: "calls" }, durability: "sync" }

const calls = async (dir, count, inFlight) => {
  const { checkpointer, database } = open(dir)
  const call = task("call", async () => text)
  let began = 0
  const flow = entrypoint({ name: "calls", checkpointer }, async () => {
    began = performance.now()
    await pool(count, inFlight, (n) => call(n))
    return count
  })
  await flow.invoke(count, config)
  // To the end of the run: a task's answer is given to the function before it is written.
  const ms = performance.now() - began
  database.close()
  return ms
}

const resume = async (dir, count) => {
  let made = 0
  let ended = 0
  const flowOn = (checkpointer, dies) => {
    const call = task("call", async () => {
      made++
      return text
    })
    return entrypoint({ name: "calls", checkpointer }, async () => {
      await pool(count, 1, (n) => call(n))
      ended = performance.now()
      if (dies) throw new Error("died after its last call")
      return count
    })
  }
  const before = open(dir)
  await flowOn(before.checkpointer, true)
    .invoke(count, config)
    .catch(() => {})
  before.database.close()

  const began = performance.now()
  const after = open(dir)
  await flowOn(after.checkpointer, false).invoke(null, config)
  after.database.close()
  if (made !== count) throw new Error(`LangGraph made ${made} calls for ${count}`)
  return ended - began
}

await rounds({ calls, resume }, process.argv.slice(2))
