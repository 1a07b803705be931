// Workflow scripts: told apart from modules by their shape, `meta` read as data or refused with its place, wrapped so
// that no line moves, and the scripts that they reach.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isWorkflowScript, problemPlace, workflowScript } from "../../../src/plan/load/workflowScript.ts"

const meta = "export const meta = { name: 'n', description: 'd' }\n"

const read = (text: string) => Result.getOrThrow(workflowScript(text))

const problemOf = (text: string): string => {
  const result = workflowScript(text)
  if (Result.isSuccess(result)) return "no problem"
  const { line, column } = problemPlace(text, result.failure)
  return `${line}:${column} ${result.failure.problem}`
}

describe("isWorkflowScript", () => {
  const scripts: ReadonlyArray<string> = [
    `${meta}return 1`,
    `// a comment\n/* and\nanother */ ${meta}`,
    `#!/usr/bin/env alembic\n${meta}`,
    "export const meta={name:'n'}",
    "export /* x */ const /* y */ meta /* z */ = { name: 'n' }",
    `${meta}log("write export const run = 1 into plan.ts")`,
    `${meta}return await agent("then export { run } again")`,
    `${meta}this is not JavaScript`
  ]
  for (const text of scripts)
    it(`takes ${JSON.stringify(text)}`, () => assert.isTrue(isWorkflowScript("a.js", text)))

  const others: ReadonlyArray<string> = [
    "export const run = async (h) => h.agent('x')",
    `${meta}export const run = async (h) => h.agent('x')`,
    `${meta}const go = 1\nexport { go as run }`,
    `${meta}export async function run(h) {}`,
    `import x from "y"\n${meta}`,
    "const meta = { name: 'n' }",
    "export const metadata = { name: 'n' }",
    "// export const meta = {}\nexport const run = 1",
    "export default { meta: 1 }",
    ""
  ]
  for (const text of others)
    it(`leaves ${JSON.stringify(text)}`, () => assert.isFalse(isWorkflowScript("a.js", text)))

  it("knows only JavaScript files", () => {
    assert.isTrue(isWorkflowScript("a.workflow.mjs", meta))
    assert.isFalse(isWorkflowScript("a.ts", meta))
  })
})

describe("meta", () => {
  it("is read as data: every kind of literal", () => {
    const text = `export const meta = {
      name: "audit", 'description': \`as text\`, whenToUse: 'often',
      phases: ["Look", { title: "Judge", detail: "twice", model: "m" }],
      extra: { a: [1, -2, +3, true, false, null] }
    }`
    assert.deepStrictEqual(read(text).meta, {
      name: "audit",
      description: "as text",
      whenToUse: "often",
      phases: [{ title: "Look" }, { title: "Judge", detail: "twice", model: "m" }]
    })
  })

  it("may lack a description, with a warning", () => {
    const script = read("export const meta = { name: 'n' }")
    assert.deepStrictEqual(script.meta, { name: "n" })
    assert.strictEqual(script.warnings.length, 1)
    assert.include(script.warnings[0], "meta.description")
  })

  const refused: ReadonlyArray<readonly [literal: string, problem: string]> = [
    ["{ name: NAME }", "1:29 meta must be a pure literal: NAME is a variable"],
    ["{ name: f() }", "1:29 meta must be a pure literal: a call is computed"],
    ["{ ...base }", "1:23 meta must be a pure literal: a spread is computed"],
    ["{ ['name']: 'n' }", "1:23 meta must be a pure literal: a computed key"],
    ["{ name: `n${1}` }", "1:29 meta must be a pure literal: a template with an interpolation is computed"],
    ["{ name }", "1:23 meta must be a pure literal: a shorthand property is a variable"],
    ["{ get name() { return 1 } }", "1:23 meta must be a pure literal: methods and accessors are code"],
    ["{ name: 'n', f() {} }", "1:34 meta must be a pure literal: methods and accessors are code"],
    ["{ name: 'a' + 'b' }", "1:29 meta must be a pure literal: it is computed"],
    ["{ name: 'n', x: !1 }", "1:37 meta must be a pure literal: the operator ! computes"],
    [
      "{ name: 'n', x: /r/ }",
      "1:37 meta must be a pure literal: regular expressions and big integers are not data"
    ],
    ["{ name: 'n', x: [1, , 2] }", "1:37 meta must be a pure literal: a list with a hole"],
    ["{ name: 'n', __proto__: 1 }", "1:34 meta must be a pure literal: the key __proto__ is refused"],
    [
      "{ name: 'n', x: { constructor: 1 } }",
      "1:39 meta must be a pure literal: the key constructor is refused"
    ],
    ["{ name: 'n', 'prototype': 1 }", "1:34 meta must be a pure literal: the key prototype is refused"],
    ["{ description: 'd' }", "1:21 meta.name is required, a string"],
    ["{ name: 3 }", "1:21 meta.name is required, a string"],
    ["[]", "1:21 meta.name is required, a string"]
  ]
  for (const [literal, problem] of refused) {
    it(`is refused as ${literal}`, () =>
      assert.strictEqual(problemOf(`export const meta = ${literal}`), problem))
  }

  it("is refused with phases of another shape", () => {
    assert.include(
      problemOf("export const meta = { name: 'n', phases: [{ name: 'x' }] }"),
      "meta has a wrong shape"
    )
  })
})

describe("a script", () => {
  it("has its own lines and columns, and a body that may return and await", () => {
    const text = `${meta}const a = await agent("x")\nreturn a`
    const lines = read(text).code.split("\n")
    assert.deepStrictEqual(lines.slice(1, 4), [
      "       const meta = { name: 'n', description: 'd' }",
      'const a = await agent("x")',
      "return a"
    ])
  })

  it("keeps its interpreter line as a comment", () => {
    assert.strictEqual(read(`#!/bin/x\n${meta}`).code.split("\n")[1], "///bin/x")
  })

  const refused: ReadonlyArray<readonly [body: string, problem: string]> = [
    ["import fs from 'fs'", "2:1 a workflow script has no import"],
    ["export const other = 1", "2:1 a workflow script has no export besides meta"],
    ["export default 1", "2:1 a workflow script has no export besides meta"],
    ["const a = ;", "2:11 Unexpected token"],
    ["with (a) {}", "2:1 'with' in strict mode"],
    ["const a = 'open", "2:11 Unterminated string constant"]
  ]
  for (const [body, problem] of refused) {
    it(`does not parse with ${body}`, () => assert.strictEqual(problemOf(meta + body), problem))
  }

  const reaches: ReadonlyArray<readonly [body: string, reached: ReadonlyArray<string>, unknown: boolean]> = [
    ["await workflow('a')", ["a"], false],
    ["await workflow(args ? 'a' : 'b', { x: 1 })", ["a", "b"], false],
    ["const name = `a`; await workflow(name)", ["a"], false],
    ["await workflow({ scriptPath: './x.js' })", ["path ./x.js"], false],
    ["const ref = { scriptPath: 'x.js' }; await workflow(ref)", ["path x.js"], false],
    ["await workflow(args.name)", [], true],
    ["const w = workflow", [], true],
    ["const workflow = (x) => x; workflow('a')", [], false],
    ["log('workflow(\"a\")')", [], false]
  ]
  for (const [body, reached, unknown] of reaches) {
    it(`reaches by ${body}`, () => {
      const script = read(meta + body)
      assert.deepStrictEqual(
        script.reaches.map(({ name, isPath }) => (isPath ? `path ${name}` : name)),
        reached
      )
      assert.strictEqual(script.computed.length > 0, unknown)
    })
  }
})
