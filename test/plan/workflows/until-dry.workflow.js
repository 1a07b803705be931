export const meta = { name: "until-dry", description: "Asks for more until nothing new comes" }

const found = new Set()
let dry = 0
let round = 0
while (dry < 2 && round < 10) {
  round++
  const { items } = await agent(`Find bugs, round ${round}`, {
    schema: {
      type: "object",
      properties: { items: { type: "array", items: { type: "string" } } },
      required: ["items"]
    }
  })
  const fresh = items.filter((item) => !found.has(item))
  fresh.forEach((item) => found.add(item))
  dry = fresh.length === 0 ? dry + 1 : 0
  log(`round ${round}: ${fresh.length} new`)
}
return [...found].sort()
