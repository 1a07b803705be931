// approvalName: what an approval is called where it is given, at `--approve` and `alembic approve`. A gate is called by
// its own name, a mission's unit by `<mission>/<unit>`, a plan's call by its label; a label never takes the name of
// what the plan does not decide about. Pure.

const prefix = "call:"

/** Names of gates, of units and of waiting items, and what would be read as a name with a prefix. */
const isTaken = (label: string): boolean =>
  /^(?:scope|council|proof|validator|publish|m-[0-9a-f]{8}\/.*|[a-z]+-[1-9]\d*|call:.*)$/s.test(label)

/** The name of the approval of a call with that label. Two labels never have one name. */
export const nameOfCall = (label: string): string => (isTaken(label) ? `${prefix}${label}` : label)

/** What a person gave, as the name that it stands for: `call:deploy` is `deploy`. */
export const nameGiven = (given: string): string =>
  given.startsWith(prefix) ? nameOfCall(given.slice(prefix.length)) : given
