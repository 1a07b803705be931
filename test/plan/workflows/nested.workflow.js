export const meta = { name: "nested", description: "Runs another script inline" }

phase("Outer")
const inner = await workflow("leaf", { topic: "tea" })
let deeper
try {
  deeper = await workflow({ scriptPath: "deep.workflow.js" })
} catch (error) {
  deeper = error.message
}
await agent("after")
return { inner, deeper }
