export const meta = { name: "no-args", description: "Says what it was given" }

return [typeof args, budget.total, budget.remaining() === Infinity]
