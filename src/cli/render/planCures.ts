// What to do about a plan that does not load, by the code of its error: the same words from every command.

/** By the codes of PlanError and PreludeError. `file`: how the person called the plan. */
export const planCure = (code: string, file = "the plan"): string | undefined => {
  switch (code) {
    case "plan_unreadable":
      return "alembic init (writes a plan), or --plan with a plan's file"
    case "plan_unparsable":
    case "non_deterministic":
      return `correct ${file}, then: alembic check${file === "the plan" ? "" : ` ${file}`}`
    case "no_run":
      return "export const run = async (h, input) => { … }"
    case "prelude_unavailable":
      return "alembic doctor"
    default:
      return undefined
  }
}
