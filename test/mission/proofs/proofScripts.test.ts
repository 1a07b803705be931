// What a proof is made of, however it gets there: a worker that changed it is shown.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sha256 } from "../../../src/domain/fingerprint.ts"
import type { Inputs } from "../../../src/mission/proofs/observations.ts"
import { changesTold, readBy } from "../../../src/mission/proofs/proofScripts.ts"

type Files = Readonly<Record<string, string>>

const hashes = (files: Files): Inputs =>
  Object.entries(files).map(([path, text]) => [path, sha256(text)] as const)

const told = (command: ReadonlyArray<string>, was: Files, edits: Files) => {
  const is = { ...was, ...edits }
  const proofs = [{ id: "p", command, timeoutMs: 1 }]
  const readFile = (path: string) =>
    Effect.sync(() => {
      const text = new Map(Object.entries(is)).get(path)
      return text === undefined ? undefined : new TextEncoder().encode(text)
    })
  return Effect.map(readBy(proofs, hashes(is), readFile), (reads) =>
    changesTold(proofs, hashes(was), hashes(is), reads)
  )
}

const project: Files = {
  "package.json": JSON.stringify({ main: "./other.mjs", scripts: { test: "node scripts/all.mjs" } }),
  Makefile: "test:\n\tnode scripts/all.mjs\n",
  "scripts/all.mjs": 'import { check } from "./lib/check.mjs"\nimport "../cases/run"\ncheck()\n',
  "scripts/lib/check.mjs": "export { check } from './deep.js'\n",
  "scripts/lib/deep.ts": "export const check = () => readFileSync(`cases/data.json`)\n",
  "cases/run.ts": "export const x = 1\n",
  "cases/data.json": "{}",
  "run.sh": "set -e\n. scripts/env.sh && node scripts/all.mjs\n",
  "scripts/env.sh": "true\n",
  "other.mjs": "1",
  "tsconfig.json": "{}",
  "notes.md": "see scripts/all.mjs"
}

const shown: ReadonlyArray<readonly [what: string, command: ReadonlyArray<string>, file: string]> = [
  ["the file that is named", ["node", "scripts/all.mjs"], "scripts/all.mjs"],
  ["the same with ./", ["node", "./scripts/all.mjs"], "scripts/all.mjs"],
  ["a file of a folder that is named", ["node", "--test", "scripts/"], "scripts/lib/check.mjs"],
  ["what it imports", ["node", "scripts/all.mjs"], "scripts/lib/check.mjs"],
  ["what it imports without an ending, in another folder", ["node", "scripts/all.mjs"], "cases/run.ts"],
  [
    "what that imports, by the name that it is compiled to",
    ["node", "scripts/all.mjs"],
    "scripts/lib/deep.ts"
  ],
  ["data that is read by its path", ["node", "scripts/lib/deep.ts"], "cases/data.json"],
  ["what a package's script runs", ["npm", "test"], "scripts/all.mjs"],
  ["what that imports", ["npm", "test"], "scripts/lib/check.mjs"],
  ["package.json itself", ["npm", "test"], "package.json"],
  ["what a makefile runs", ["make", "test"], "scripts/all.mjs"],
  ["what a shell script reads", ["sh", "run.sh"], "scripts/env.sh"],
  ["a program of the folder", ["./run.sh"], "run.sh"],
  ["configuration that nobody names", ["npx", "tsc"], "tsconfig.json"],
  ["package.json of any program", ["node", "scripts/all.mjs"], "package.json"],
  ["configuration that is new", ["npx", "vitest"], "vitest.config.ts"],
  ["configuration that is new, hidden", ["npm", "test"], ".npmrc"]
]

describe("a worker that changed what a proof is made of", () => {
  for (const [what, command, file] of shown) {
    it.effect(`is shown: ${what}`, () =>
      Effect.gen(function* () {
        assert.include(yield* told(command, project, { [file]: `${project[file] ?? ""} ` }), file)
        assert.strictEqual(yield* told(command, project, {}), "")
      })
    )
  }

  it.effect("is not shown for files that no proof reaches, nor for new files that are no configuration", () =>
    Effect.gen(function* () {
      for (const file of ["notes.md", "other.mjs", "new.mjs"]) {
        assert.strictEqual(yield* told(["npm", "test"], project, { [file]: "x" }), "", file)
        assert.strictEqual(yield* told(["node", "scripts/all.mjs"], project, { [file]: "x" }), "", file)
      }
    })
  )

  it.effect("files that name each other are read once, and a file leads out of the folder nowhere", () =>
    Effect.gen(function* () {
      const circle = {
        "a.mjs": 'import "./b.mjs"',
        "b.mjs": 'import "./a.mjs"; import "../../../etc/passwd"'
      }
      assert.include(yield* told(["node", "a.mjs"], circle, { "b.mjs": 'import "./a.mjs"' }), "b.mjs (p)")
    })
  )
})
