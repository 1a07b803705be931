export const meta = { name: "options", description: "Options of this and of other engines" }

await agent("known", { label: "l", phase: "p", model: "sonnet", effort: "low" })
await agent("unknown", { temperament: "calm", label: "l2" })
await agent("unknown again", { temperament: "calm" })
log({ not: "text" })
