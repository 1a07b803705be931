// What a plan's imports may lead to, however they are named: files of the plan's root, a package's own folder, and
// installed packages. A file from elsewhere is not read: neither bundled, nor named among the plan's modules.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inspectPlan, loadPlan } from "../../src/plan/load/loadPlan.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../support/planFolder.ts"

const secret = "export default 'SECRET'\nexport const secret = 'SECRET'\n"
const constructs = (path: string) =>
  inspectPlan(path).pipe(
    Effect.map(({ findings }) => findings.map(({ construct, file }) => `${construct} ${file}`)),
    Effect.provide(layer)
  )
const bundleOf = (path: string) =>
  loadPlan(path).pipe(
    Effect.map(({ bundle, warnings }) => ({ bundle, warnings: warnings.map(({ construct }) => construct) })),
    Effect.provide(layer)
  )
const uses = (name: string) => `import x from ${JSON.stringify(name)}\nexport const run = async () => x\n`
const tsconfig = (compilerOptions: object) => JSON.stringify({ compilerOptions })

describe("an author's import that leads outside is refused", () => {
  const roads: ReadonlyArray<
    readonly [name: string, files: Record<string, string>, links: Record<string, string>]
  > = [
    ["by tsconfig paths", { "p/tsconfig.json": tsconfig({ paths: { secret: ["../out/secret.ts"] } }) }, {}],
    ["by a pattern of tsconfig paths", { "p/tsconfig.json": tsconfig({ paths: { "*": ["../out/*"] } }) }, {}],
    ["by tsconfig baseUrl", { "p/tsconfig.json": tsconfig({ baseUrl: "../out" }) }, {}],
    [
      "by tsconfig paths and a link in the root",
      { "p/tsconfig.json": tsconfig({ paths: { secret: ["./link/secret.ts"] } }) },
      { "p/link": "../out" }
    ],
    [
      "by a package's main",
      { "p/node_modules/secret/package.json": '{ "name": "secret", "main": "../../../out/secret.ts" }' },
      {}
    ],
    [
      "by a link in a package",
      { "p/node_modules/secret/package.json": '{ "name": "secret", "main": "main.ts" }' },
      { "p/node_modules/secret/main.ts": "../../../out/secret.ts" }
    ]
  ]
  for (const [name, files, links] of roads) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder(
          {
            "p/plan.ts": uses("secret"),
            "out/secret.ts": secret,
            "out/package.json": '{ "name": "out" }',
            ...files
          },
          links
        )
        assert.deepStrictEqual(yield* constructs(`${folder}/p/plan.ts`), ["import ../ plan.ts"])
      })
    )
  }
})

describe("a package's import that leads outside its folder is not read", () => {
  const roads: ReadonlyArray<readonly [name: string, main: string, links: Record<string, string>]> = [
    ["by a path", 'module.exports = () => require("../../../out/secret.ts")', {}],
    ["by an import", 'import x from "../../../out/secret.ts"; export default () => x', {}],
    ["by a path into the plan's root", 'module.exports = () => require("../../own.ts")', {}],
    ["by a path into another package", 'module.exports = () => require("../other/deep.js")', {}],
    [
      "by a link",
      'module.exports = () => require("./link/secret.ts")',
      { "p/node_modules/pack/link": "../../../out" }
    ]
  ]
  for (const [name, main, links] of roads) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder(
          {
            "p/plan.ts": uses("pack"),
            "p/own.ts": secret,
            "p/node_modules/pack/package.json": '{ "name": "pack", "version": "1.0.0", "main": "main.js" }',
            "p/node_modules/pack/main.js": main,
            "p/node_modules/other/package.json": '{ "name": "other" }',
            "p/node_modules/other/deep.js": secret,
            "out/secret.ts": secret
          },
          links
        )
        const { bundle, warnings } = yield* bundleOf(`${folder}/p/plan.ts`)
        assert.notInclude(bundle.code, "SECRET")
        assert.include(warnings, "import ../")
      })
    )
  }
})

describe("packages are found where installers put them", () => {
  const pack = (name: string, main: string, more = {}) => ({
    [`${name}/package.json`]: JSON.stringify({
      name: name.split("/").at(-1),
      version: "1.0.0",
      main: "main.js",
      ...more
    }),
    [`${name}/main.js`]: main
  })
  const found: ReadonlyArray<
    readonly [name: string, files: Record<string, string>, links: Record<string, string>]
  > = [
    ["above the root (hoisting)", pack("node_modules/pack", "module.exports = 'FOUND'"), {}],
    [
      "by a link of a workspace",
      pack("packages/pack", "module.exports = 'FOUND'"),
      { "node_modules/pack": "../packages/pack" }
    ],
    [
      "in a store beside what they need (pnpm)",
      {
        ...pack("node_modules/.pnpm/pack@1.0.0/node_modules/pack", "module.exports = require('dep/sub.js')"),
        ...pack("node_modules/.pnpm/dep@1.0.0/node_modules/dep", "module.exports = 1"),
        "node_modules/.pnpm/dep@1.0.0/node_modules/dep/sub.js": "module.exports = require('./lib/up.js')",
        "node_modules/.pnpm/dep@1.0.0/node_modules/dep/lib/up.js":
          "module.exports = require('../main.js') && 'FOUND'"
      },
      {
        "p/node_modules/pack": "../../node_modules/.pnpm/pack@1.0.0/node_modules/pack",
        "node_modules/.pnpm/pack@1.0.0/node_modules/dep": "../../dep@1.0.0/node_modules/dep"
      }
    ],
    [
      "by a subpath of their own (imports of package.json), and by their own name",
      {
        ...pack("p/node_modules/pack", "", {
          main: undefined,
          exports: { ".": "./main.js", "./own": "./own.js" },
          imports: { "#in": "./in.js" }
        }),
        "p/node_modules/pack/main.js": "module.exports = require('#in')",
        "p/node_modules/pack/in.js": "module.exports = require('pack/own')",
        "p/node_modules/pack/own.js": "module.exports = 'FOUND'"
      },
      {}
    ]
  ]
  for (const [name, files, links] of found) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({ "p/plan.ts": uses("pack"), ...files }, links)
        const { bundle, warnings } = yield* bundleOf(`${folder}/p/plan.ts`)
        assert.include(bundle.code, "FOUND")
        assert.notInclude(warnings, "import ../")
        assert.include(bundle.modules.map(([path]) => path).join(), "npm:pack@1.0.0/")
      })
    )
  }

  it.effect("a link to a folder that holds the plan makes no package of it, nor of the author's files", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(
        {
          "package.json": '{ "name": "me", "version": "1.0.0", "main": "lib.js" }',
          "lib.js": "module.exports = 1",
          "p/plan.ts": `import x from "me"\nimport { now } from "./own.ts"\nexport const run = async () => [x, now()]\n`,
          "p/own.ts": "export const now = () => Date.now()\n"
        },
        { "node_modules/me": ".." }
      )
      assert.deepStrictEqual(yield* constructs(`${folder}/p/plan.ts`), [
        "import ../ plan.ts",
        "Date.now() own.ts"
      ])
    })
  )

  it.effect("an alias of tsconfig inside the root is the author's own file", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "p/plan.ts": uses("@/own"),
        "p/src/own.ts": "export default Date.now()\n",
        "p/tsconfig.json": tsconfig({ paths: { "@/*": ["./src/*"] } })
      })
      assert.deepStrictEqual(yield* constructs(`${folder}/p/plan.ts`), ["Date.now() src/own.ts"])
    })
  )
})
