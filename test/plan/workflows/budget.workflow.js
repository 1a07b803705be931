export const meta = { name: "budget", description: "Works while there is budget" }

const parts = []
while (budget.remaining() >= 100 && parts.length < 50) parts.push(await agent(`Part ${parts.length}`))
return { parts: parts.length, spent: budget.spent(), left: budget.remaining(), total: budget.total }
