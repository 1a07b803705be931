export const meta = { name: "jury", description: "The same question to three jurors, on purpose" }

const VERDICT = { type: "object", properties: { guilty: { type: "boolean" } }, required: ["guilty"] }
const votes = await parallel(
  Array.from({ length: 3 }, () => () => agent("Guilty?", { schema: VERDICT, model: "opus", effort: "high" }))
)
const valid = votes.filter(Boolean)
return { guilty: valid.filter((vote) => vote.guilty).length * 2 > valid.length, valid: valid.length }
