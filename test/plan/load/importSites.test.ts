// Where an import statement starts, from the module name in it.
import { assert, describe, it } from "@effect/vitest"
import { importSite } from "../../../src/plan/load/importSites.ts"

/** `▲` is where the statement starts, `■` stands before the module name. */
const cases: ReadonlyArray<readonly [marked: string, kind: string, isImportEquals?: boolean]> = [
  ["▲import a from ■'x'", "import-statement"],
  ["▲import ■'x'", "import-statement"],
  ["const important = 1; ▲import { a as b } from ■'x'", "import-statement"],
  ["import y from 'y'\n▲export * from ■'x'", "import-statement"],
  ["▲import { import as a } from ■'x'", "import-statement"],
  ["▲export { default as export } from ■'x'", "import-statement"],
  ["▲import a /* import { */ from ■'x'", "import-statement"],
  ["const a = ▲require(■'x')", "require-call"],
  ["b.require(1), ▲require( ■'x')", "require-call"],
  ["▲import a = require(■'x')", "require-call", true],
  ["▲export import a = require(■'x')", "require-call", true]
]

describe("importSite", () => {
  for (const [marked, kind, isImportEquals = false] of cases) {
    it(marked, () => {
      const text = marked.replace("▲", "")
      const site = importSite(text.replace("■", ""), text.indexOf("■"), kind)
      assert.deepStrictEqual(site, { offset: marked.indexOf("▲"), isImportEquals })
    })
  }

  it("says the name where it finds no statement", () => {
    assert.strictEqual(importSite("'x'", 0, "import-statement").offset, 0)
  })
})
