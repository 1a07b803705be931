// Which JSON a model's text means: the decisions, one by one.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { candidatesIn } from "../../../src/adapters/structured/jsonInText.ts"
import type { Json } from "../../../src/domain/json/canonicalJson.ts"

const fence = "```"
const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<Json>]> = [
  ["bare JSON", '{"a":1}', [{ a: 1 }]],
  ["white space and a byte order mark around it", '\uFEFF \n{"a":1}\n', [{ a: 1 }]],
  ["a bare scalar", "42", [42]],
  ["a fenced block", `${fence}json\n{"a":1}\n${fence}`, [{ a: 1 }]],
  ["a fenced block without a language", `${fence}\n[1]\n${fence}`, [[1]]],
  [
    "a fenced block with tildes, in prose, indented",
    'Sure:\n\n  ~~~json\n  {"a":1}\n  ~~~\nDone.',
    [{ a: 1 }]
  ],
  ["a fenced scalar", `${fence}\n"x"\n${fence}`, ["x"]],
  ["two fenced blocks: both are candidates", `${fence}\n1\n${fence}\nor\n${fence}\n2\n${fence}`, [1, 2]],
  [
    "the same value twice is one",
    `${fence}\n{"a":1,"b":2}\n${fence}\n${fence}\n{"b":2,"a":1}\n${fence}`,
    [{ a: 1, b: 2 }]
  ],
  ["a fenced block beats JSON in prose", `{"a":0} becomes\n${fence}json\n{"a":1}\n${fence}`, [{ a: 1 }]],
  ["prose around", 'Here it is: {"a":{"b":[1]}} Hope it helps!', [{ a: { b: [1] } }]],
  ["braces in strings", 'So: {"a":"}{","b":"\\"}"} ok', [{ a: "}{", b: '"}' }]],
  ["brackets that are prose", 'See [1] and {this}: {"a":1}', [[1], { a: 1 }]],
  ["an apostrophe before it", `It's {"a":1}`, [{ a: 1 }]],
  ["a trailing comma in an object and an array", '{"a":[1,2,],}', [{ a: [1, 2] }]],
  ["a comma in a string stays", '{"a":",}"}', [{ a: ",}" }]],
  ["single quotes are not guessed", "{'a': 1}", []],
  ["comments are not guessed", '{"a":1 /* one */}', []],
  ["unquoted keys are not guessed", "{a: 1}", []],
  ["NaN is not JSON", '{"a":NaN}', []],
  ["a missing brace is not guessed", '{"a":{"b":1}', [{ b: 1 }]],
  ["prose alone", "I cannot do that.", []],
  ["scalars in prose are not looked for", "The answer is 42.", []],
  ["nothing", "", []],
  ["a reasoning block before the value", '<think>{maybe}</think>{"a":1}', [{ a: 1 }]]
]

const valuesIn = (text: string) => Result.getOrThrow(candidatesIn(text))

/** Texts with two readings: whichever value is taken, the model may have meant the other one. */
const twofold: ReadonlyArray<readonly [string, string]> = [
  ["at the top", '{"value":1,"value":9}'],
  ["with the same value", '{"value":9,"value":9}'],
  ["with an escaped letter", '{"value":1,"\\u0076alue":9}'],
  ["deep inside", '{"scores":[{"a":{"value":1,"b":[{}],"value":9}}]}'],
  ["around objects that are good themselves", '{"vote":{"value":1},"vote":{"value":9}}'],
  ["named __proto__", '{"__proto__":1,"__proto__":2}'],
  ["with the empty name", '{"":1,"":2}'],
  ["with trailing commas", '{"value":1,"value":9,}'],
  ["in a fenced block", `${fence}json\n{"value":1,"value":9}\n${fence}`],
  [
    "in one of two fenced blocks",
    `${fence}\n{"value":1}\n${fence}\n${fence}\n{"value":1,"value":9}\n${fence}`
  ],
  ["in prose", 'I say {"value":1,"value":9} and mean it'],
  ["in prose, after one that is good", 'First {"value":1}, then {"value":1,"value":9}'],
  ["in a list", '[{"value":1},{"value":1,"value":9}]'],
  ["far down", `${'{"a":'.repeat(900)}{"value":1,"value":9}${"}".repeat(900)}`]
]

describe("candidatesIn", () => {
  for (const [name, text] of twofold) {
    it(`a key that stands twice ${name} has two readings`, () => {
      const read = candidatesIn(text)
      assert.isTrue(Result.isFailure(read))
      if (Result.isFailure(read)) assert.match(read.failure, /^the key ".*" stands twice/)
    })
  }

  it("the same key in two objects is no repetition", () => {
    assert.deepStrictEqual(valuesIn('[{"a":1,"b":{"a":2}},{"a":3}]'), [[{ a: 1, b: { a: 2 } }, { a: 3 }]])
    assert.deepStrictEqual(valuesIn('{"a":"\\"a\\":1","b":"{\\"b\\":1}"}'), [{ a: '"a":1', b: '{"b":1}' }])
  })

  for (const [name, text, wanted] of cases) {
    it(name, () => assert.deepStrictEqual(valuesIn(text), wanted))
  }

  it("a duplicate __proto__ key stays an ordinary key", () => {
    const [value] = valuesIn('{"__proto__":{"x":1}}')
    assert.isTrue(typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
  })

  it("text without end neither throws nor takes long", () => {
    for (const hostile of [
      "[".repeat(200_000),
      '{"a":'.repeat(100_000),
      "`".repeat(200_000),
      '"'.repeat(200_000),
      "{,}".repeat(50_000),
      `${fence}\n`.repeat(50_000)
    ]) {
      const from = performance.now()
      candidatesIn(hostile)
      assert.isBelow(performance.now() - from, 3_000)
    }
  })

  it.prop(
    "any JSON value is found, bare, fenced or in prose",
    [Schema.Record(Schema.String, Schema.Json)],
    ([value]) => {
      const text = JSON.stringify(value)
      const wanted: ReadonlyArray<Json> = [JSON.parse(text)]
      assert.deepStrictEqual(valuesIn(text), wanted)
      assert.deepStrictEqual(valuesIn(`Well,\n${fence}json\n${text}\n${fence}\n`), wanted)
      assert.deepStrictEqual(valuesIn(`It is ${text} indeed`), wanted)
    },
    { arbitrary: { runs: 300 } }
  )
})
