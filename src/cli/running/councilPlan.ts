// The plan that `alembic council` runs: one debate, its verdict the run's result. A plan like any other, so that a
// debate is journaled, resumed, replayed and paid once by the same code. Its text is part of the run's identity.

/** The file's name, which is part of the identity too. */
export const councilPlanName = "council.plan.mjs"

/** The name by which the plan knows the board it was given. */
export const councilBoard = "board"

export const councilPlan = `// The plan of \`alembic council\`: the goal is the question, attachments are evidence that claims may stand on.
export const run = async (h, { args = {}, files, goal }) => {
  const evidence = files.map(({ path, text }) => ({ kind: "source", id: path, uri: path, text }))
  const verdict = await h.council({
    board: ${JSON.stringify(councilBoard)},
    question: goal,
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(args.options === undefined ? {} : { options: args.options })
  })
  // Without a verdict there is no result, and no run that looks as if it had one.
  if (!verdict.ok) throw new Error(verdict.error.message)
  return verdict
}
`
