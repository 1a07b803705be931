// Claims about values: numbers, units, JSON, hashes, sets, order, dates, exit codes and their combinations. Near
// misses by a digit, a unit, a type, a zone, a second.
import type { Json } from "../../../src/domain/json/canonicalJson.ts"
import { fingerprint, sha256 } from "../../../src/domain/fingerprint.ts"
import { Result } from "effect"
import { falseClaims, trueClaims, type Case } from "./cases.ts"
import { corpusTexts } from "./evidence.ts"

const part = (oracle: string, args: Json, evidence?: string): Json =>
  evidence === undefined ? { oracle, args } : { oracle, args, evidence }
const reportHash = sha256(corpusTexts.report)
const docHash = Result.getOrThrow(fingerprint(corpusTexts.doc))
const near = (hex: string) => `${hex.slice(0, 40)}${hex[40] === "0" ? "1" : "0"}${hex.slice(41)}`
const version = { type: "string", pattern: "^[0-9]+(\\.[0-9]+)+$" }

export const valueCases: ReadonlyArray<Case> = [
  ...trueClaims("equality", [
    ["equality", "results.json", { value: 412, pointer: "/total" }, "the total"],
    ["equality", "results.json", { value: "42", pointer: "/text42" }, "a text of digits"],
    ["equality", "results.json", { value: null, pointer: "/note" }, "no note"],
    [
      "equality",
      "results.json",
      { value: { billing: "bo", auth: "ana" }, pointer: "/owners" },
      "in any order"
    ],
    ["equality", "results.json", { value: 1, pointer: "/a~1b" }, "an escaped key"],
    ["equality", "json-out", { value: true, pointer: "/ok" }, "from the output"],
    ["equality", "tests", { value: "409", extract: "([0-9]+) passed" }, "extracted"],
    ["equality", "plain", { value: 0.3 }, "the number"],
    ["equality", "empty.txt", { value: "" }, "an empty file"],
    ["json_pointer", "results.json", { pointer: "/coverage/lines" }, "it is there"],
    ["json_pointer", "results.json", { pointer: "/coverage/lines", value: 87.25 }, "with its value"],
    ["json_pointer", "results.json", { pointer: "/coverage/functions", exists: false }, "it is not there"],
    ["json_pointer", "results.json", { pointer: "/m~0n", value: 2 }, "a tilde"],
    ["json_pointer", "releases.json", { pointer: "/3/tag", value: "v2.0.0" }, "the fourth"],
    ["json_pointer", "big.json", { pointer: "/small", value: 7 }, "beside a long number"]
  ]),
  ...falseClaims("equality", [
    ["equality", "results.json", { value: 421, pointer: "/total" }, "digits swapped"],
    ["equality", "results.json", { value: 42, pointer: "/text42" }, "a number for a text"],
    ["equality", "results.json", { value: "412", pointer: "/total" }, "a text for a number"],
    ["equality", "results.json", { value: 0, pointer: "/note" }, "zero for null"],
    ["equality", "results.json", { value: { auth: "ana" }, pointer: "/owners" }, "a member is missing"],
    ["equality", "results.json", { value: "2.1.0", pointer: "/version" }, "2.10.0 is not 2.1.0"],
    ["equality", "results.json", { value: 1, pointer: "/stable" }, "one for true"],
    ["equality", "doc", { value: null, pointer: "/empty" }, "null for an empty text"],
    ["equality", "twice.json", { value: true, pointer: "/passed" }, "a key that stands twice"],
    ["equality", "twice.json", { value: "ana", pointer: "/reviewer" }, "a document with two meanings"],
    ["equality", "big.json", { value: 9007199254740992, pointer: "/id" }, "a rounded number"],
    ["equality", "big.json", { value: 0.3, pointer: "/many" }, "digits lost"],
    ["equality", "broken.json", { value: true, pointer: "/passed" }, "not JSON"],
    ["equality", "p99", { value: 412 }, "the unit is dropped"],
    ["equality", "twice", { value: 1 }, "an id that stands twice"],
    ["equality", "tests", { value: "3", extract: "([0-9]+) (?:passed|skipped)" }, "several captures"],
    ["json_pointer", "results.json", { pointer: "/coverage/functions" }, "not there"],
    ["json_pointer", "results.json", { pointer: "/slow/3" }, "past the end"],
    ["json_pointer", "results.json", { pointer: "/slow/03" }, "a leading zero"],
    ["json_pointer", "results.json", { pointer: "/slow/length", value: 3 }, "not a member"],
    ["json_pointer", "results.json", { pointer: "/constructor" }, "inherited, not there"],
    ["json_pointer", "results.json", { pointer: "coverage/lines" }, "not a pointer"],
    ["json_pointer", "results.json", { pointer: "/failed", exists: false }, "zero is there"]
  ]),
  ...trueClaims("numeric", [
    ["numeric", "results.json", { op: "eq", value: 0.1, pointer: "/ratio" }, "a tenth"],
    ["numeric", "results.json", { op: "eq", value: "0.10", pointer: "/ratio" }, "a tenth in two digits"],
    ["numeric", "results.json", { op: "eq", value: "1e-7", pointer: "/tiny" }, "with an exponent"],
    ["numeric", "results.json", { op: "lt", value: 0, pointer: "/negative" }, "below zero"],
    ["numeric", "results.json", { op: "ge", value: 87.25, pointer: "/coverage/lines" }, "at least"],
    [
      "numeric",
      "results.json",
      { op: "eq", value: 87, tolerance: { abs: 0.25 }, pointer: "/coverage/lines" },
      "at the edge"
    ],
    [
      "numeric",
      "results.json",
      { op: "eq", value: 400, tolerance: { rel: "0.03" }, pointer: "/total" },
      "3 % off"
    ],
    ["numeric", "p99", { op: "eq", value: 412, unit: "ms" }, "with its unit"],
    ["numeric", "p99", { op: "lt", value: 0.5, unit: "s" }, "below half a second"],
    ["numeric", "disk", { op: "eq", value: 0.5, unit: "GiB" }, "half a GiB"],
    ["numeric", "disk", { op: "gt", value: 512, unit: "MB" }, "a MiB is more than a MB"],
    ["numeric", "share", { op: "eq", value: 0.125, unit: "1" }, "an eighth"],
    ["numeric", "cost", { op: "le", value: 15, unit: "USD" }, "below 15 dollars"],
    ["numeric", "long", { op: "ne", value: 0.1 }, "more digits than a double"],
    [
      "numeric",
      "tests",
      { op: "eq", value: 8.31, unit: "s", extract: "Duration\\s+(\\S+)" },
      "seconds from the output"
    ],
    ["numeric", "report.md", { op: "eq", value: 38, extract: "from ([0-9]+) countries" }, "from the text"]
  ]),
  ...falseClaims("numeric", [
    ["numeric", "results.json", { op: "eq", value: 0.01, pointer: "/ratio" }, "a digit more"],
    ["numeric", "results.json", { op: "eq", value: "0.10000000000000001", pointer: "/ratio" }, "a hair more"],
    [
      "numeric",
      "results.json",
      { op: "gt", value: 87.25, pointer: "/coverage/lines" },
      "not more than itself"
    ],
    [
      "numeric",
      "results.json",
      { op: "eq", value: 87, tolerance: { abs: 0.2 }, pointer: "/coverage/lines" },
      "past the edge"
    ],
    [
      "numeric",
      "results.json",
      { op: "eq", value: 400, tolerance: { rel: 0.0299 }, pointer: "/total" },
      "just past 3 %"
    ],
    ["numeric", "results.json", { op: "eq", value: 12, pointer: "/negative" }, "the sign is dropped"],
    [
      "numeric",
      "results.json",
      { op: "eq", value: 1, tolerance: { abs: -1 }, pointer: "/failed" },
      "a negative tolerance"
    ],
    ["numeric", "p99", { op: "eq", value: 412, unit: "s" }, "seconds for milliseconds"],
    ["numeric", "p99", { op: "eq", value: 412 }, "no unit"],
    ["numeric", "p99", { op: "eq", value: 412, unit: "m" }, "metres"],
    ["numeric", "disk", { op: "eq", value: 512, unit: "MB" }, "MB for MiB"],
    ["numeric", "disk", { op: "eq", value: 512, unit: "Mib" }, "a unit nobody knows"],
    ["numeric", "cache", { op: "eq", value: 64000, unit: "B" }, "KB is ambiguous"],
    ["numeric", "cache", { op: "eq", value: 64, unit: "KiB" }, "KB is not KiB"],
    ["numeric", "share", { op: "eq", value: 12.5, unit: "1" }, "a hundred times as much"],
    ["numeric", "cost", { op: "eq", value: 14.2, unit: "EUR" }, "another currency"],
    ["numeric", "long", { op: "eq", value: 0.1 }, "digits after the double's"],
    ["numeric", "report.md", { op: "eq", value: 250, extract: "([0-9]+) requests" }, "the end of 1,250"],
    ["numeric", "report.md", { op: "eq", value: 345, extract: "([0-9]+) sessions" }, "the end of 12 345"],
    [
      "numeric",
      "report.md",
      { op: "eq", value: 5, extract: "grew by ([0-9]+)" },
      "a percentage for a number"
    ],
    ["numeric", "report.md", { op: "eq", value: 1, extract: "at ([0-9]+)," }, "the start of 1,250"],
    ["numeric", "unicode.txt", { op: "eq", value: 42, extract: "Full width: (\\S+)" }, "full-width digits"],
    ["numeric", "unicode.txt", { op: "eq", value: 1, extract: "Price: ([0-9]+)" }, "the start of 1 000"],
    ["numeric", "tests", { op: "eq", value: 8.31, unit: "ms", extract: "Duration\\s+(\\S+)" }, "ms for s"]
  ]),
  ...trueClaims("json_schema", [
    [
      "json_schema",
      "results.json",
      { schema: { type: "object", required: ["total", "failed"] } },
      "has both"
    ],
    ["json_schema", "results.json", { schema: version, pointer: "/version" }, "a version"],
    [
      "json_schema",
      "releases.json",
      { schema: { type: "array", minItems: 4, items: { required: ["tag", "at"] } } },
      "four"
    ],
    ["json_schema", "doc", { schema: { properties: { price: { const: 0 } }, required: ["price"] } }, "free"],
    ["json_schema", "results.json", { schema: { enum: [0] }, pointer: "/failed" }, "none failed"],
    ["hash", "report.md", { value: reportHash }, "the file's hash"],
    ["hash", "report.md", { value: reportHash.toUpperCase() }, "in capitals"],
    ["hash", "doc", { value: docHash }, "of the canonical form"],
    [
      "set",
      "results.json",
      { relation: "equal", value: ["search", "auth", "billing"], pointer: "/slow" },
      "in any order"
    ],
    [
      "set",
      "results.json",
      { relation: "subset", value: ["search", "auth", "billing", "ui"], pointer: "/slow" },
      "of four"
    ],
    ["set", "results.json", { relation: "superset", value: ["auth"], pointer: "/slow" }, "has auth"],
    ["set", "results.json", { relation: "disjoint", value: ["ui"], pointer: "/slow" }, "not ui"],
    ["set", "doc", { relation: "intersects", value: ["replay", "x"], pointer: "/tags" }, "one in common"],
    [
      "order",
      "releases.json",
      { pointer: "", direction: "ascending", as: "instant", by: "/at", strict: true },
      "by date"
    ],
    [
      "order",
      "releases.json",
      { pointer: "", direction: "ascending", as: "number", by: "/size" },
      "by size, with ties"
    ],
    ["order", "results.json", { direction: "ascending", as: "string", pointer: "/slow" }, "by name"],
    ["order", "report.md", { sequence: ["median latency", "error rate", "Memory peaked"] }, "in the text"]
  ]),
  ...falseClaims("json_schema", [
    ["json_schema", "results.json", { schema: { required: ["total", "errors"] } }, "one is missing"],
    ["json_schema", "results.json", { schema: { requried: ["errors"] } }, "a misspelt keyword"],
    ["json_schema", "results.json", { schema: { required: "errors" } }, "a keyword of the wrong form"],
    ["json_schema", "results.json", { schema: { type: "integer" }, pointer: "/coverage/lines" }, "not whole"],
    [
      "json_schema",
      "results.json",
      { schema: { format: "sevmer" }, pointer: "/version" },
      "an unknown format"
    ],
    ["json_schema", "results.json", { schema: { pattern: "^(?=3)" }, pointer: "/version" }, "a look-ahead"],
    ["json_schema", "results.json", { schema: { $ref: "https://example.org/any" } }, "a schema elsewhere"],
    [
      "json_schema",
      "releases.json",
      { schema: { uniqueItems: true, items: { properties: { size: { maximum: 30 } } } } },
      "35 > 30"
    ],
    [
      "json_schema",
      "twice.json",
      { schema: { properties: { passed: { const: true } } } },
      "a key that stands twice"
    ],
    ["hash", "report.md", { value: near(reportHash) }, "one digit differs"],
    ["hash", "report.md", { value: reportHash.slice(0, 16) }, "a prefix"],
    ["hash", "policy.txt", { value: reportHash }, "another file"],
    [
      "set",
      "results.json",
      { relation: "equal", value: ["auth", "billing"], pointer: "/slow" },
      "one is missing"
    ],
    [
      "set",
      "results.json",
      { relation: "subset", value: ["auth", "billing", "se\u0430rch"], pointer: "/slow" },
      "a Cyrillic a"
    ],
    ["set", "results.json", { relation: "superset", value: ["Auth"], pointer: "/slow" }, "another case"],
    ["set", "results.json", { relation: "disjoint", value: ["auth"], pointer: "/slow" }, "auth is in both"],
    ["set", "results.json", { relation: "subset", value: [], pointer: "/flaky" }, "of nothing"],
    [
      "order",
      "releases.json",
      { pointer: "", direction: "ascending", as: "string", by: "/tag" },
      "v1.10 before v1.2 as texts"
    ],
    [
      "order",
      "releases.json",
      { pointer: "", direction: "ascending", as: "number", by: "/size", strict: true },
      "a tie"
    ],
    ["order", "results.json", { direction: "descending", as: "string", pointer: "/slow" }, "the other way"],
    ["order", "report.md", { sequence: ["error rate", "median latency"] }, "the other way in the text"]
  ]),
  ...trueClaims("date", [
    [
      "date",
      "releases.json",
      { op: "before", instant: "2026-03-01T00:00:00Z", pointer: "/2/at" },
      "a second before"
    ],
    [
      "date",
      "releases.json",
      { op: "at", instant: "2026-01-15T16:30:00Z", pointer: "/1/at" },
      "in another zone"
    ],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2026-03-01T00:00:00Z", pointer: "/offset" },
      "the day before in UTC"
    ],
    [
      "date",
      "dates.json",
      { op: "after", instant: "2026-03-01T00:00:00Z", pointer: "/nanos" },
      "a nanosecond after"
    ],
    [
      "date",
      "dates.json",
      { op: "at", instant: "2026-03-01T00:00:00Z", pointer: "/epochMs", epoch: "ms" },
      "since 1970"
    ],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2026-03-02T00:00:00Z", pointer: "/audit", zone: "Z" },
      "the whole day"
    ],
    ["date", "dates.json", { op: "at", instant: "2024-02-29T12:00:00Z", pointer: "/leap" }, "a leap day"],
    ["exit_code", "tests", { code: 0 }, "the tests passed"],
    ["exit_code", "tests", { code: 0, command: ["npm", "test"] }, "and were the tests"],
    ["exit_code", "lint", { code: 1 }, "the lint failed"],
    ["exit_code", "crash", { code: 139 }, "it crashed"],
    [
      "all",
      "tests",
      { of: [part("exit_code", { code: 0 }), part("quote", { quote: "409 passed" })] },
      "both"
    ],
    ["any", "lint", { of: [part("exit_code", { code: 0 }), part("exit_code", { code: 1 })] }, "one of them"],
    ["not", "lint", { of: part("exit_code", { code: 0 }) }, "it did not pass"],
    [
      "all",
      "tests",
      { of: [part("numeric", { op: "eq", value: 0, pointer: "/failed" }, "results.json")] },
      "elsewhere"
    ],
    ["not", "report.md", { of: part("containment", { value: "data loss" }) }, "no such words"]
  ]),
  ...falseClaims("date", [
    [
      "date",
      "releases.json",
      { op: "before", instant: "2026-02-28T23:59:59Z", pointer: "/2/at" },
      "not before itself"
    ],
    [
      "date",
      "releases.json",
      { op: "at", instant: "2026-01-15T17:30:00Z", pointer: "/1/at" },
      "the zone is dropped"
    ],
    [
      "date",
      "dates.json",
      { op: "after", instant: "2026-03-01T00:00:00Z", pointer: "/offset" },
      "the next day only there"
    ],
    [
      "date",
      "dates.json",
      { op: "at", instant: "2026-03-01T00:00:00Z", pointer: "/nanos" },
      "a nanosecond off"
    ],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2026-04-01T00:00:00Z", pointer: "/slash" },
      "day or month"
    ],
    ["date", "dates.json", { op: "before", instant: "2026-03-02T00:00:00Z", pointer: "/local" }, "no zone"],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2026-03-01T12:00:00Z", pointer: "/audit", zone: "Z" },
      "in that day"
    ],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2027-01-01T00:00:00Z", pointer: "/noLeap" },
      "no such day"
    ],
    [
      "date",
      "dates.json",
      { op: "before", instant: "2026-13-01T00:00:00Z", pointer: "/leap" },
      "no such month"
    ],
    [
      "date",
      "dates.json",
      { op: "at", instant: "2026-03-01T00:00:00Z", pointer: "/epochMs", epoch: "s" },
      "ms as seconds"
    ],
    ["exit_code", "lint", { code: 0 }, "it failed"],
    ["exit_code", "killed", { code: 0 }, "it was killed"],
    ["exit_code", "crash", { code: 0 }, "it crashed"],
    ["exit_code", "tests", { code: 0, command: ["npm", "run", "test:all"] }, "another command"],
    ["exit_code", "report.md", { code: 0 }, "a file does not end"],
    ["all", "tests", { of: [] }, "all of nothing"],
    [
      "all",
      "tests",
      { of: [part("exit_code", { code: 0 }), part("quote", { quote: "412 passed" })] },
      "one is false"
    ],
    [
      "any",
      "lint",
      { of: [part("exit_code", { code: 0 }), part("quote", { quote: "0 errors", stream: "stderr" })] },
      "none"
    ],
    ["not", "tests", { of: part("exit_code", { code: 0 }) }, "it passed"],
    ["not", "cut", { of: part("containment", { value: "not ok" }) }, "the rest is not known"],
    ["not", "secret", { of: part("containment", { value: "password" }) }, "nobody could read it"],
    ["not", "report.md", { of: part("regex", { pattern: "(a)\\1" }) }, "undecidable is not false"],
    ["not", "report.md", { of: part("trust", {}) }, "no such oracle"]
  ])
]
