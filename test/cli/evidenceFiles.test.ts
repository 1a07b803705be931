// Evidence and attachments that are no files: each is named, nothing waits, and what cannot be read proves nothing.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { alembic, jsonLines, lastLine } from "../support/commandLine.ts"
import { planFolder } from "../support/planFolder.ts"

const claim = (evidence: string, id: string) => ({
  id,
  statement: "it does not say so",
  oracle: "not",
  args: { oracle: "containment", args: { value: "secret" } },
  evidence
})

describe("check-claims --evidence", () => {
  it.live("names pipes, devices and ways out, and finds nothing proven by them", () =>
    Effect.gen(function* () {
      const ids = ["pipe", "zero", "out", "way/c.txt"]
      const cwd = yield* planFolder({
        "secret.txt": "secret",
        "private/c.txt": "secret",
        "e/a.txt": "a",
        "claims.json": JSON.stringify(ids.map((id, n) => claim(id, `c${n}`)))
      })
      execFileSync("mkfifo", [join(cwd, "e", "pipe")])
      symlinkSync("/dev/zero", join(cwd, "e", "zero"))
      symlinkSync("../secret.txt", join(cwd, "e", "out"))
      symlinkSync("../private", join(cwd, "e", "way"))
      const said = yield* alembic({ cwd }, "check-claims", "claims.json", "--evidence", "e", "--json")
      const found = jsonLines(said).filter(
        (line) => line["claim"] !== undefined || line["finding"] !== undefined
      )
      assert.strictEqual(found.length, ids.length, said.out)
      for (const line of found) assert.strictEqual(line["finding"], "unproven", JSON.stringify(line))
    })
  )
})

describe("--attach", () => {
  it.live("waits for no pipe, also not for one that is a .gitignore", () =>
    Effect.gen(function* () {
      const plan = "export const run = async (h, input) => input.files.map((file) => file.path)\n"
      const cwd = yield* planFolder({ "GOAL.md": "g", "alembic.plan.mjs": plan, "notes/a.txt": "a" })
      execFileSync("mkfifo", [join(cwd, "notes", "pipe"), join(cwd, "notes", ".gitignore")])
      const said = yield* alembic(
        { cwd },
        "run",
        "--plan",
        "alembic.plan.mjs",
        "--attach",
        "notes/*",
        "--model",
        "offline",
        "--yes",
        "--json"
      )
      assert.deepInclude(lastLine(said), { status: "completed", result: ["notes/a.txt"] }, said.err)
    })
  )
})
