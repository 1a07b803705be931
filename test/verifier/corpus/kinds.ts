// Claims of the kinds that bent evidence before: encodings and line ends, types, numbers cut out of longer ones,
// patterns that mean two things, sequences of parts of words, formats.
import type { Evidence } from "../../../src/verifier/Evidence.ts"
import { loadEvidence } from "../../../src/verifier/loadEvidence.ts"
import { encoded, type Form, forms } from "./encodings.ts"
import { falseClaims, trueClaims, type Case } from "./cases.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

/** A text with a number, what is extracted, and what somebody would like it to be. */
const cutNumbers: ReadonlyArray<readonly [text: string, extract: string, wanted: string]> = [
  ["peak: 10⁶ rps", "peak: (\\d+)", "10"],
  ["peak: 10^6 rps", "peak: (\\d+)", "10"],
  ["peak: 10**6 rps", "peak: (\\d+)", "10"],
  ["peak: 3 × 10⁶ rps", "peak: (\\d+)", "3"],
  ["peak: 3·10⁶ rps", "peak: (\\d+)", "3"],
  ["load: 5½ hours", "load: (\\d+)", "5"],
  ["load: 5 ½ hours", "load: (\\d+)", "5"],
  ["share: 2⁄3 of it", "share: (\\d+)", "2"],
  ["share: 2⁄3 of it", "⁄(\\d+)", "3"],
  ["share: 2/3 of it", "share: (\\d+)", "2"],
  ["share: 2∕3 of it", "share: (\\d+)", "2"],
  ["share: ⅔ of 2Ⅻ", "of (\\d+)", "2"],
  ["rate: 1·5 percent", "rate: (\\d+)", "1"],
  ["rate: 1·5 percent", "·(\\d+)", "5"],
  ["rate: 1٫5 percent", "rate: (\\d+)", "1"],
  ["rate: ·5 percent", "·(\\d+)", "5"],
  ["code: 0x4F at start", "code: (\\d+)", "0"],
  ["code: 0x4F at start", "0x(\\d+)", "4"],
  ["code: 0b101 at start", "0b(\\d+)", "101"],
  ["code: 12AB at start", "code: (\\d+)", "12"],
  ["users: 10k a day", "users: (\\d+)", "10"],
  ["users: 10M a day", "users: (\\d+)", "10"],
  ["users: x10 a day", "x(\\d+)", "10"],
  ["users: 10 million a day", "users: (\\d+)", "10"],
  ["users: 10\u00a0Mio. am Tag", "users: (\\d+)", "10"],
  ["users: 10 k a day", "users: (\\d+)", "10"],
  ["users: 10 M a day", "users: (\\d+)", "10"],
  ["users: 10 milhões por dia", "users: (\\d+)", "10"],
  ["users: 10 万", "users: (\\d+)", "10"],
  ["users: 3 dozen a day", "users: (\\d+)", "3"],
  ["share: 10 % of it", "share: (\\d+)", "10"],
  ["users: 10..12 a day", "users: (\\d+)", "10"],
  ["users: 10... 12 a day", "users: (\\d+)", "10"],
  ["users: 10&nbsp;000 a day", "users: (\\d+)", "10"],
  ["users: 10&#160;000 a day", "users: (\\d+)", "10"],
  ["temp: －7 C", "(\\d+) C", "7"],
  ["temp: ‒8 C", "(\\d+) C", "8"],
  ["temp: —3 C", "(\\d+) C", "3"],
  ["temp: –4 C", "(\\d+) C", "4"],
  ["temp: −9 C", "(\\d+) C", "9"],
  ["temp: − 9 C", "(\\d+) C", "9"],
  ["temp: ﹣6 C", "(\\d+) C", "6"],
  ["temp: ⁻6 C", "(\\d+) C", "6"],
  ["temp: ➖6 C", "(\\d+) C", "6"],
  ["temp: ˗6 C", "(\\d+) C", "6"],
  ["delta: 5-7 points", "(-\\d+)", "-7"],
  ["total: 1,234 items", "total: (\\d+)", "1"],
  ["total: 1’234 items", "total: (\\d+)", "1"],
  ["total: 1'234 items", "'(\\d+)", "234"],
  ["total: 1 234 items", "total: (\\d+)", "1"],
  ["total: 1\u00a0234 items", "total: (\\d+)", "1"],
  ["total: 1\u202f234 items", "(\\d+) items", "234"],
  ["total: 1\u2009234 items", "(\\d+) items", "234"],
  ["total: 1_234 items", "total: (\\d+)", "1"],
  ["total: 1，234 items", "total: (\\d+)", "1"],
  ["total: 1．5 items", "total: (\\d+)", "1"],
  ["total: 12٣ items", "total: ([0-9]+)", "12"],
  ["total: 12３ items", "total: ([0-9]+)", "12"],
  ["total: 12₃ items", "total: ([0-9]+)", "12"],
  ["total: 12\u0301 items", "total: ([0-9]+)", "12"],
  ["total: 12\u200b3 items", "total: ([0-9]+)", "12"],
  ["time: 10:30 today", "time: (\\d+)", "10"],
  ["gain: 5% today", "gain: (\\d+)", "5"],
  ["gain: 5％ today", "gain: (\\d+)", "5"],
  ["gain: 5\u00a0% today", "gain: (\\d+)", "5"],
  ["gain: 5٪ today", "gain: (\\d+)", "5"],
  ["gain: 5+ points", "gain: (\\d+)", "5"],
  ["gain: ~5 points", "~(\\d+)", "5"],
  ["gain: ≈5 points", "≈(\\d+)", "5"],
  ["gain: ≤ 5 points", "≤ (\\d+)", "5"],
  ["gain: √5 points", "√(\\d+)", "5"],
  ["date: 2026-03-01 noon", "date: (\\d+)", "2026"],
  ["size: 5e3 bytes", "size: (\\d+)", "5"],
  ["size: .5 bytes", "\\.(\\d+)", "5"]
]

const wholeNumbers: ReadonlyArray<readonly [text: string, extract: string, wanted: string]> = [
  ["peak: 412 rps", "peak: (\\d+)", "412"],
  ["peak: 412, then less", "peak: (\\d+)", "412"],
  ["peak: 412.", "peak: (\\d+)", "412"],
  ["peak (412)", "\\((\\d+)\\)", "412"],
  ['"peak": 412,', '"peak": (\\d+)', "412"],
  ["peak=412;", "peak=(\\d+)", "412"],
  ["| 412 | ok |", "\\| (\\d+) \\|", "412"],
  ["**412** tests", "\\*\\*(\\d+)\\*\\*", "412"],
  ["- 412 tests", "- (\\d+) tests", "412"],
  ["took 412ms", "took (\\d+)ms", "412"],
  ["took 41.5 ms", "took ([0-9.]+) ms", "41.5"],
  ["took 12s", "took (\\d+)s", "12"],
  ["used 512MiB of it", "used (\\d+)MiB", "512"],
  ["temp: -7 C", "temp: (-\\d+)", "-7"],
  ["cost $14.20 in all", "\\$([0-9.]+)", "14.20"],
  ["cost 14 €", "cost (\\d+)", "14"],
  ["409 passed | 3 skipped", "(\\d+) passed", "409"],
  ["<td>412</td>", "<td>(\\d+)</td>", "412"],
  ["version v1.2.3 is out", "v([0-9.]+) ", "1.2.3"],
  ["exit code: 0", "exit code: (\\d+)", "0"],
  ["412 of 2026", "^(\\d+) of", "412"],
  ["#412 is closed", "#(\\d+)", "412"]
]

const numbers = (rows: typeof cutNumbers, kind: string) =>
  rows.map(([text, extract, wanted], index) => ({
    file: { path: `${kind}/${index}.txt`, bytes: utf8(`${text}\n`) },
    row: [
      /^-?\d+(?:\.\d+)?$/.test(wanted) ? "numeric" : "equality",
      `${kind}/${index}.txt`,
      /^-?\d+(?:\.\d+)?$/.test(wanted) ? { op: "eq", value: wanted, extract } : { value: wanted, extract },
      `${wanted} in "${text}"`
    ] as const
  }))
const cut = numbers(cutNumbers, "cut")
const whole = numbers(wholeNumbers, "whole")

/** Quotes of numbers out of longer ones. */
const cutQuotes = [
  "temp: －7 C",
  "temp: ‒8 C",
  "temp: —3 C",
  "temp: ⁻6 C",
  "5½ hours",
  "2⁄3 of it",
  "10⁶ rps"
]
const quoteOf = ["7 C", "8 C", "3 C", "6 C", "5", "3 of it", "10"]

const files = "root\nadmin\n"
const todo = "one TODO\ntwo\n\nlast TODO\n"
const ported =
  '{"port":"80","ports":["80","443"],"on":true,"ip":"192.0.02.1","host":"a.example","at":"2024-01-01 10:00:00Z"}'

export const kindEvidence: ReadonlyArray<Evidence> = [
  { kind: "command", id: "ran", command: ["true"], exitCode: 0, stdout: "ok\n", stderr: "" },
  ...loadEvidence([
    ...cut.map(({ file }) => file),
    ...whole.map(({ file }) => file),
    ...cutQuotes.map((text, index) => ({ path: `quote/${index}.txt`, bytes: utf8(`${text}\n`) })),
    ...forms.map((form) => ({ path: `users-${form}.txt`, bytes: encoded(files, form) })),
    ...forms.map((form) => ({ path: `todo-${form}.txt`, bytes: encoded(todo, form) })),
    { path: "bare16.txt", bytes: encoded(files, "utf-16le, no mark") },
    { path: "nul.txt", bytes: utf8("a\0password\n") },
    { path: "lossy.txt", bytes: utf8("user \ufffd\ufffd\ufffd\ufffd\n") },
    { path: "colour.txt", bytes: utf8("\u001b[31mFA\u001b[0mIL\n") },
    { path: "cr.txt", bytes: utf8("root\radmin\r") },
    { path: "hidden.txt", bytes: utf8("pass\u00adword: x\n") },
    { path: "reversed.txt", bytes: utf8("\u202edrowssap\u202c\n") },
    { path: "numbers.txt", bytes: utf8("1\n2\n3\n") },
    { path: "five.txt", bytes: utf8("5") },
    { path: "ports.json", bytes: utf8(ported) },
    { path: "nbsp.json", bytes: utf8('{"s":"a\\u00a0b","a\\u00a0b":1}') },
    { path: "words.txt", bytes: utf8("begin here, then end; unbegun and weekend\n") },
    { path: "overlap.txt", bytes: utf8("aaa red green blue\n") }
  ])
]

const not = (oracle: string, args: Record<string, unknown>) => ({
  of: { oracle, args: JSON.parse(JSON.stringify(args)) }
})

const readable: ReadonlyArray<Form> = forms

export const kindCases: ReadonlyArray<Case> = [
  ...falseClaims(
    "cut-number",
    cut.map(({ row }) => row)
  ),
  ...trueClaims(
    "whole-number",
    whole.map(({ row }) => row)
  ),
  ...falseClaims(
    "cut-quote",
    quoteOf.map(
      (quote, index) => ["quote", `quote/${index}.txt`, { quote }, `${quote} of ${cutQuotes[index]}`] as const
    )
  ),
  ...trueClaims("form", [
    ...readable.map(
      (form) => ["regex", `users-${form}.txt`, { pattern: "^root$", flags: "m" }, form] as const
    ),
    ...readable.map(
      (form) => ["set", `users-${form}.txt`, { relation: "equal", value: ["admin", "root"] }, form] as const
    ),
    ...readable.map(
      (form) => ["count", `users-${form}.txt`, { of: "lines", op: "eq", value: 2 }, form] as const
    ),
    ...readable.map(
      (form) =>
        ["count", `todo-${form}.txt`, { of: "matches", what: "TODO$", op: "eq", value: 2 }, form] as const
    ),
    ...readable.map(
      (form) =>
        ["count", `todo-${form}.txt`, { of: "matches", what: "^$", op: "eq", value: 1 }, form] as const
    ),
    ...readable.map(
      (form) => ["not", `todo-${form}.txt`, not("containment", { value: "FIXME" }), form] as const
    )
  ]),
  ...falseClaims("form", [
    ...readable.map(
      (form) => ["set", `users-${form}.txt`, { relation: "disjoint", value: ["root"] }, form] as const
    ),
    ...readable.map(
      (form) =>
        ["count", `users-${form}.txt`, { of: "matches", what: "^$", op: "ge", value: 1 }, form] as const
    ),
    ...readable.map(
      (form) => ["not", `todo-${form}.txt`, not("regex", { pattern: "TODO$", flags: "m" }), form] as const
    ),
    ["not", "todo-utf-8.txt", not("regex", { pattern: "TODO$" }), "the last line ends with it"]
  ]),
  ...falseClaims("not-understood", [
    ["not", "bare16.txt", not("containment", { value: "root" }), "UTF-16 without a mark"],
    ["set", "bare16.txt", { relation: "disjoint", value: ["root"] }, "UTF-16 without a mark"],
    ["count", "bare16.txt", { of: "occurrences", what: "root", op: "eq", value: 0 }, "UTF-16 without a mark"],
    ["not", "nul.txt", not("regex", { pattern: "^password" }), "NUL in front"],
    ["not", "latin1.txt", not("containment", { value: "café" }), "Latin-1"],
    ["not", "lossy.txt", not("containment", { value: "anna" }), "replacement characters"],
    ["not", "colour.txt", not("containment", { value: "FAIL" }), "colours within the word"],
    ["count", "colour.txt", { of: "matches", what: "FAIL", op: "eq", value: 0 }, "colours within the word"],
    ["set", "cr.txt", { relation: "disjoint", value: ["root"] }, "lines that end with CR"],
    ["count", "cr.txt", { of: "lines", op: "le", value: 1 }, "lines that end with CR"],
    ["not", "hidden.txt", not("containment", { value: "password" }), "a soft hyphen within"],
    ["not", "reversed.txt", not("regex", { pattern: "password" }), "written backwards"]
  ]),
  ...falseClaims("type", [
    ["set", "numbers.txt", { relation: "disjoint", value: [1, 2] }, "lines against numbers"],
    ["not", "numbers.txt", not("set", { relation: "superset", value: [1] }), "lines against numbers"],
    ["not", "numbers.txt", not("set", { relation: "intersects", value: [3] }), "lines against numbers"],
    ["not", "five.txt", not("equality", { value: 5 }), "a text against a number"],
    ["not", "five.txt", not("equality", { value: null }), "a text against nothing"],
    ["set", "ports.json", { relation: "disjoint", value: [80], pointer: "/ports" }, "numbers against texts"],
    [
      "not",
      "ports.json",
      not("set", { relation: "intersects", value: [443], pointer: "/ports" }),
      "numbers against texts"
    ],
    ["not", "ran", not("exit_code", { code: 0, command: ["npm", "test"] }), "another command ran"],
    ["exit_code", "ran", { code: 0, command: ["npm", "test"] }, "another command ran"]
  ]),
  ...trueClaims("type", [
    ["set", "numbers.txt", { relation: "disjoint", value: ["4"] }, "no line is 4"],
    ["equality", "five.txt", { value: "5" }, "the text 5"],
    ["numeric", "five.txt", { op: "eq", value: 5 }, "the number 5"],
    ["equality", "ports.json", { value: "80", pointer: "/port" }, "the text 80"],
    ["not", "ports.json", not("equality", { value: false, pointer: "/on" }), "it is on"],
    ["exit_code", "ran", { code: 0, command: ["true"] }, "this command ran"]
  ]),
  ...trueClaims("pattern", [
    [
      "json_schema",
      "nbsp.json",
      { schema: { pattern: "^a\\sb$" }, pointer: "/s" },
      "white space is Unicode's"
    ],
    ["regex", "nbsp.json", { pattern: "^a\\sb$", match: "full", pointer: "/s" }, "white space is Unicode's"],
    [
      "json_schema",
      "nbsp.json",
      { schema: { patternProperties: { "^a\\sb$": { const: 1 } } } },
      "in names too"
    ],
    ["json_schema", "ports.json", { schema: { properties: { host: { format: "hostname" } } } }, "a host name"]
  ]),
  ...falseClaims("pattern", [
    [
      "json_schema",
      "nbsp.json",
      { schema: { patternProperties: { "^a\\sb$": { const: 2 } } } },
      "the name matches"
    ],
    ["json_schema", "nbsp.json", { schema: { patternProperties: { "^a\\sb$": false } } }, "the name matches"],
    ["not", "nbsp.json", not("regex", { pattern: "\\s", pointer: "/s" }), "a no-break space is white space"],
    ["not", "nbsp.json", not("json_schema", { schema: { pattern: "\\s" }, pointer: "/s" }), "so in a schema"],
    ["json_schema", "ports.json", { schema: { properties: { ip: { format: "ipv4" } } } }, "a leading zero"],
    [
      "json_schema",
      "ports.json",
      { schema: { properties: { at: { format: "date-time" } } } },
      "a space for T"
    ],
    ["json_schema", "ports.json", { schema: { properties: { host: { format: "iri" } } } }, "not decided"],
    [
      "not",
      "ports.json",
      not("json_schema", { schema: { properties: { host: { format: "url" } } } }),
      "not decided"
    ]
  ]),
  ...trueClaims("sequence", [
    ["order", "words.txt", { sequence: ["begin", "then", "end"] }, "whole words, once each"],
    ["order", "overlap.txt", { sequence: ["red", "green", "blue"] }, "colours"]
  ]),
  ...falseClaims("sequence", [
    ["order", "words.txt", { sequence: ["begun", "weekend"] }, "begun stands in unbegun only"],
    ["order", "words.txt", { sequence: ["week", "here"] }, "week stands in weekend only"],
    ["order", "overlap.txt", { sequence: ["red green", "green blue"] }, "they share a word"],
    ["count", "overlap.txt", { of: "occurrences", what: "aa", op: "eq", value: 2 }, "occurrences overlap"],
    ["count", "overlap.txt", { of: "matches", what: "aa", op: "eq", value: 2 }, "matches overlap"]
  ])
]
