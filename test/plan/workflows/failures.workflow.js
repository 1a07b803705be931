export const meta = { name: "failures", description: "What a script sees when calls fail" }

const lone = await agent("fail alone")
const slots = await parallel([
  () => agent("fail in slot"),
  () => agent("fine"),
  async () => {
    throw new Error("thrown")
  }
])
let unmet
try {
  await agent("unmet", { schema: { type: "object" } })
} catch (error) {
  unmet = error.message
}
return { lone, slots, unmet }
