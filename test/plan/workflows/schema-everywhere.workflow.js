export const meta = { name: "schema-everywhere", description: "Plans, then does, all of it structured" }

const TASKS = {
  type: "object",
  properties: { tasks: { type: "array", items: { type: "string" } } },
  required: ["tasks"]
}
const DONE = {
  type: "object",
  properties: { done: { type: "boolean" }, note: { type: "string" } },
  required: ["done"]
}

const plan = await agent("Plan the work", { schema: TASKS, label: "planner" })
const done = await pipeline(
  plan.tasks,
  (task) => agent(`Do ${task}`, { schema: DONE, agentType: "worker", isolation: "worktree", stallMs: 60000 }),
  (result, task) => ({ ...result, task })
)
return done.filter((entry) => entry && entry.done).map((entry) => entry.task)
