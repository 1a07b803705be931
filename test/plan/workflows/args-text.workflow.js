export const meta = { name: "args-text", description: "Takes its arguments as an object or as JSON text" }

const input = typeof args === "string" ? JSON.parse(args) : (args ?? {})
const names = input.names ?? ["nobody"]
names.sort()
return (await parallel(names.map((name) => () => agent(`Greet ${name}`)))).filter(Boolean)
