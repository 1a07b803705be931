export const meta = { name: "deep", description: "Nests where nesting has ended" }

return await workflow("leaf", {})
