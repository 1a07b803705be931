// Bundling ends, whatever lies about: pipes, devices without end and large files are not read, nor what `tsconfig.json`
// extends outside the plan's folder, and esbuild is held to a time and does not outlive whoever started it.
import { execFileSync } from "node:child_process"
import { truncateSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { BundleLimits, esbuildPid } from "../../src/plan/bundler/esbuildProcess.node.ts"
import { jsonOf } from "../../src/plan/bundler/jsonWithComments.ts"
import { inspectPlan } from "../../src/plan/load/loadPlan.ts"
import { PlanBundler } from "../../src/plan/bundler/PlanBundler.ts"
import { layer } from "../../src/plan/bundler/PlanBundler.node.ts"
import { planFolder } from "../support/planFolder.ts"

const inspect = (path: string) => inspectPlan(path).pipe(Effect.provide(layer))
const problem = (path: string) =>
  inspect(path).pipe(
    Effect.flip,
    Effect.map(({ message }) => message)
  )
/** What the plan is refused for. */
const refusal = (path: string) =>
  inspect(path).pipe(
    Effect.match({
      onFailure: ({ message }) => message,
      onSuccess: ({ findings }) => findings.map(({ construct }) => construct).join()
    })
  )
const plain = "export const run = async () => 1\n"
const uses = (name: string) => `import x from ${JSON.stringify(name)}\nexport const run = async () => x\n`
const pipe = (path: string) => Effect.sync(() => execFileSync("mkfifo", [path]))

describe.skipIf(process.platform === "win32")("what is no regular file is not read", () => {
  const places: ReadonlyArray<readonly [name: string, path: string, plan: string]> = [
    ["a package's description", "node_modules/pack/package.json", uses("pack")],
    ["a package's description, by a path in it", "node_modules/pack/package.json", uses("pack/sub/main.js")],
    ["the description of a folder", "lib/package.json", uses("./lib/own.ts")],
    ["the project's description", "package.json", uses("./lib/own.ts")],
    ["what Yarn writes", ".pnp.cjs", uses("pack")],
    ["tsconfig", "tsconfig.json", plain],
    ["what tsconfig extends", "base.json", plain],
    ["a module", "own.ts", uses("./own.ts")],
    ["data", "own.json", uses("./own.json")]
  ]
  const files = {
    "lib/own.ts": "export default 1\n",
    "node_modules/pack/sub/main.js": "module.exports = 1\n"
  }
  for (const [name, path, text] of places) {
    const tsconfig = path === "base.json" ? { "tsconfig.json": '{ "extends": "./base.json" }' } : {}
    it.live(`a pipe: ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({ "plan.ts": text, ...files, ...tsconfig })
        yield* pipe(`${folder}/${path}`)
        assert.match(yield* problem(`${folder}/plan.ts`), /cannot be read: .*(?:regular file|not a file)/)
      })
    )
    it.live(`a device without end: ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({ "plan.ts": text, ...files, ...tsconfig }, { [path]: "/dev/zero" })
        assert.match(
          yield* refusal(`${folder}/plan.ts`),
          /(?:cannot be read|tsconfig\.json extends).*(?:regular file|not a file|outside)|^symlinked helper$/
        )
      })
    )
  }

  it.live("a file larger than any source text", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.ts": uses("./own.json"), "own.json": "" })
      truncateSync(`${folder}/own.json`, 2 ** 40)
      assert.match(yield* problem(`${folder}/plan.ts`), /own\.json cannot be read: it is over 67108864 bytes/)
    })
  )
})

describe("tsconfig.json", () => {
  const outside = ["../out.json", "../../../../../../../etc/passwd", "/etc/passwd", "../none.json"]
  it.effect("does not extend a link that leads outside", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder(
        { "p/plan.ts": plain, "p/tsconfig.json": '{ "extends": "./link.json" }', "out.json": "SECRET" },
        { "p/link.json": "../out.json" }
      )
      const said = yield* problem(`${folder}/p/plan.ts`)
      assert.include(said, "tsconfig.json extends ./link.json, which is a link that leads outside")
      assert.notInclude(said, "SECRET")
    })
  )

  for (const name of outside) {
    it.effect(`does not read ${name} that it extends`, () =>
      Effect.gen(function* () {
        const folder = yield* planFolder({
          "p/plan.ts": plain,
          "p/tsconfig.json": JSON.stringify({ extends: name }),
          "out.json": '{ "compilerOptions": { "jsxFactory": "SECRET" } }'
        })
        const bundled = yield* inspect(`${folder}/p/plan.ts`)
        assert.notInclude(JSON.stringify(bundled), "SECRET")
        assert.notInclude(JSON.stringify(bundled), "root:")
      })
    )
  }

  it.effect("extends what is in the plan's folder, and installed packages, which change what they did", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "p/plan.ts":
          'import x from "@/own"\nimport y from "up"\nexport const run = async () => [x, y, <b>1</b>]\n',
        "p/plan.tsx":
          'import x from "@/own"\nimport y from "up"\nexport const run = async () => [x, y, <b>1</b>]\n',
        "p/src/own.ts": "export default 'OWN'\n",
        "p/base/up.ts": "export default 'UP'\n",
        "p/tsconfig.json":
          '{ // mine\n "extends": ["./base/tsconfig", "@conf/strict"], "compilerOptions": { "strict": true, }, }',
        "p/base/tsconfig.json":
          '{ "extends": "conf", "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["../src/*"] } } }',
        "node_modules/@conf/strict/tsconfig.json": '{ "compilerOptions": { "jsxFactory": "element" } }',
        "node_modules/conf/tsconfig.json": '{ "compilerOptions": { "jsx": "preserve" } }'
      })
      const { bundle } = yield* inspect(`${folder}/p/plan.tsx`)
      for (const text of ["OWN", "UP", 'element("b", null, "1")']) assert.include(bundle.code, text)
      assert.deepStrictEqual(
        bundle.modules.map(([path]) => path),
        [
          "../node_modules/@conf/strict/tsconfig.json",
          "../node_modules/conf/tsconfig.json",
          "base/tsconfig.json",
          "base/up.ts",
          "plan.tsx",
          "src/own.ts",
          "tsconfig.json"
        ]
      )
    })
  )

  it.effect("that extends itself, or is no JSON, is an error", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "a/plan.ts": plain,
        "a/tsconfig.json": '{ "extends": "./b.json" }',
        "a/b.json": '{ "extends": "./tsconfig" }',
        "b/plan.ts": plain,
        "b/tsconfig.json": "[1"
      })
      assert.include(yield* problem(`${folder}/a/plan.ts`), "tsconfig.json extends itself")
      assert.include(yield* problem(`${folder}/b/plan.ts`), "tsconfig.json is not JSON")
    })
  )

  it("is read with its comments and commas", () => {
    assert.deepStrictEqual(jsonOf('{ "a": "//,]", /* , */ "b": [1, 2, /* x */ ], // end\n}'), {
      a: "//,]",
      b: [1, 2]
    })
    for (const text of ["[1,,]", '{"a" 1}', "/*", '"a', "{ /* "]) assert.isUndefined(jsonOf(text))
  })
})

describe("elements in .tsx and .jsx", () => {
  it.effect("are what TypeScript makes of them", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({
        "plan.ts":
          'import { one } from "./one.tsx"\nimport { two } from "./two.jsx"\nexport const run = async () => [one, two]\n',
        "one.tsx":
          "/** @jsx el */\nconst el = (...all: Array<unknown>) => all\nexport const one = <a b={1} />\n",
        "two.jsx": "/** @jsx el */\nconst el = (...all) => all\nexport const two = <a>{Date.now()}</a>\n"
      })
      const { bundle, findings } = yield* inspect(`${folder}/plan.ts`)
      assert.include(bundle.code, 'el("a", { b: 1 })')
      assert.deepStrictEqual(
        findings.map(({ construct, file, line, column }) => `${construct} ${file}:${line}:${column}`),
        ["Date.now() two.jsx:3:24"]
      )
    })
  )
})

describe("esbuild's process", () => {
  const alive = (pid: number | undefined): boolean => {
    if (pid === undefined) return false
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`own${index}.ts`, "export default 1\n"])
  )
  const importing = `${Object.keys(many)
    .map((name, index) => `import x${index} from "./${name}"\n`)
    .join("")}export const run = async () => [${Object.keys(many).map((_, index) => `x${index}`)}]\n`

  it.live("is ended when a plan takes longer than it may, and the next plan has another", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.ts": importing, ...many })
      yield* inspect(`${folder}/plan.ts`)
      const before = esbuildPid()
      assert.isTrue(alive(before))
      const said = yield* problem(`${folder}/plan.ts`).pipe(
        Effect.provideService(BundleLimits, { ms: 1, mb: 2048 })
      )
      assert.include(said, "it was not bundled within 0.001 seconds")
      assert.isUndefined(esbuildPid())
      yield* inspect(`${folder}/plan.ts`)
      assert.notStrictEqual(esbuildPid(), before)
    })
  )

  it.live("is ended when nobody waits for the plan any more", () =>
    Effect.gen(function* () {
      const folder = yield* planFolder({ "plan.ts": importing, ...many })
      const bundler = yield* PlanBundler
      const plan = yield* bundler.open(`${folder}/plan.ts`)
      yield* bundler.bundle(plan)
      const before = esbuildPid()
      assert.isTrue(alive(before))
      const fiber = yield* Effect.forkChild(bundler.bundle(plan), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.isUndefined(esbuildPid())
    }).pipe(Effect.provide(layer))
  )
})
