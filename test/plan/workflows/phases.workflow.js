export const meta = { name: "phases", description: "Groups by phase(), and by a call's own option" }

phase("One")
await agent("first")
const both = parallel([() => agent("in one"), () => agent("in two", { phase: "Two" })])
phase("Three")
await both
await agent("last", { label: "the last" })
