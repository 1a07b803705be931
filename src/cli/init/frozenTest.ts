// What `alembic test --from` writes beside a frozen run's archive: a vitest file that replays it.

/** `archive`, `plan`: from the file's own folder. */
export const frozenTest = (
  name: string,
  archive: string,
  plan: string
): string => `// Written by \`alembic test --from\`: the run that is frozen in ${archive}, replayed on the plan of today.
import { assert, it } from "vitest"
import { replayFrozen } from "alembic/testing"

const beside = (file: string) => new URL(file, import.meta.url)

it(${JSON.stringify(`${name} is what the plan makes of its answers`)}, async () => {
  const told = await replayFrozen(beside(${JSON.stringify(archive)}), beside(${JSON.stringify(plan)}))
  assert.strictEqual(told, "identical")
}, 120_000)
`
