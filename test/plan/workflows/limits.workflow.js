export const meta = { name: "limits", description: "Runs into the limits of the dialect" }

const messages = []
const note = (error) => messages.push(error.message)
await parallel(Array.from({ length: 4097 }, () => () => 1)).catch(note)
await pipeline(
  Array.from({ length: 4097 }, () => 1),
  (x) => x
).catch(note)
for (let i = 0; i < 1000; i++) await agent(`call ${i}`)
await agent("one too many").catch(note)
const slots = await parallel([() => agent("two too many")])
return { messages, slots }
