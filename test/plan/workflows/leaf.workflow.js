export const meta = { name: "leaf", description: "A script that others run" }

phase("Leaf")
return { said: await agent(`About ${args.topic}`), spent: budget.spent() }
