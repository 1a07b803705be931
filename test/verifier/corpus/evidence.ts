// The evidence of the claims corpus: small documents of the kinds a run gathers, with traps in them on purpose
// (negations, look-alikes, units, encodings, repeated keys). Texts are escaped where an editor might change them.
import type { CommandEvidence, Evidence } from "../../../src/verifier/Evidence.ts"
import { loadEvidence } from "../../../src/verifier/loadEvidence.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

const report = `# Load test of 2026-03-02
The median latency was 41.5 ms and the 99th percentile 412 ms at 1,250 requests per second.
Throughput grew by 5% against February; the error rate fell from 0.9% to 0.09%.
No data was lost. The service is not yet ready for production, and nobody said it was unproven.
Memory peaked at 512 MiB of the 2 GiB allowed. The run cost USD 14.20, not EUR.
Total: 12 345 sessions from 38 countries; 3 of them failed.
You can't enable the cache without a restart. The re-run took 1h 5min.
"We will ship in May," said the lead, "if the audit passes."
`

const policy = `1. Access is revoked within 24 hours of departure.
2. Backups are kept for 90 days, and never for less than 30 days.
3. Keys MUST NOT be stored in source code.
4. The non-production systems are exempt from rule 2.
5. Exceptions need approval by two directors, in writing.
`

/** caf\u00e9 composed; na\u0131\u0308ve decomposed; Cyrillic a in "p\u0430ypal"; full-width and Arabic digits. */
const unicode = [
  "The caf\u00e9 opened in 1998.",
  "A decomposed cafe\u0301 opened in 1999.",
  "Sign in at p\u0430ypal.example to confirm.",
  "Sign in at stripe.example to confirm.",
  "Full width: \uff14\uff12 units; Arabic: \u0664\u0662 units; plain: 42 units.",
  "The \ufb01nal of\ufb01ce is closed.",
  "soft\u00adware with a soft hyphen; zero\u200bwidth with a space of no width.",
  "The stra\u00dfe is long. The STRASSE is longer.",
  "Price: 1\u202f000 \u20ac; discount: 10\u00a0%.",
  "The Kelvin sign \u212a is not K; \u2126 is not \u03a9.",
  ""
].join("\n")

const results = {
  suite: "unit",
  total: 412,
  passed: 409,
  failed: 0,
  skipped: 3,
  coverage: { lines: 87.25, branches: 79.5 },
  ratio: 0.1,
  tiny: 1e-7,
  negative: -12,
  flaky: [],
  slow: ["auth", "billing", "search"],
  owners: { auth: "ana", billing: "bo" },
  note: null,
  stable: true,
  version: "2.10.0",
  text42: "42",
  "a/b": 1,
  "m~n": 2
}

const releases = [
  { tag: "v1.2.0", at: "2025-11-03T09:00:00Z", size: 10 },
  { tag: "v1.9.0", at: "2026-01-15T17:30:00+01:00", size: 20 },
  { tag: "v1.10.0", at: "2026-02-28T23:59:59Z", size: 20 },
  { tag: "v2.0.0", at: "2026-03-01T00:00:00Z", size: 35 }
]

const dates = {
  audit: "2026-03-01",
  leap: "2024-02-29T12:00:00Z",
  noLeap: "2026-02-29T12:00:00Z",
  slash: "03/04/2026",
  local: "2026-03-01T10:00:00",
  offset: "2026-03-01T01:30:00+02:00",
  nanos: "2026-03-01T00:00:00.000000001Z",
  epochMs: 1772323200000
}

const command = (id: string, rest: Partial<CommandEvidence>): Evidence => ({
  kind: "command",
  id,
  command: ["npm", "test"],
  exitCode: 0,
  stdout: "",
  stderr: "",
  ...rest
})

/** What the engine ran: no file says so. */
const ran: ReadonlyArray<Evidence> = [
  command("tests", { stdout: "Tests  409 passed | 3 skipped (412)\nDuration  8.31s\n" }),
  command("lint", {
    command: ["oxlint", "src"],
    exitCode: 1,
    stderr: "src/a.ts:4:1 error no-unused-vars\n2 errors\n"
  }),
  command("killed", { exitCode: null, timedOut: true, stdout: "Tests  12 passed\n" }),
  command("cut", { truncated: true, stdout: "ok 1\nok 2\n" }),
  command("crash", { exitCode: 139, stderr: "Segmentation fault\n" }),
  command("json-out", { stdout: '{"ok":true,"count":7}\n', stderr: "warning: slow disk\n" })
]

const structured = [
  { kind: "number", id: "p99", value: 412, unit: "ms" },
  { kind: "number", id: "disk", value: 512, unit: "MiB" },
  { kind: "number", id: "share", value: 12.5, unit: "%" },
  { kind: "number", id: "plain", value: 0.3 },
  { kind: "number", id: "long", value: "0.1000000000000000055511151231257827" },
  { kind: "number", id: "cost", value: "14.20", unit: "USD" },
  { kind: "number", id: "cache", value: 64, unit: "KB" },
  { kind: "json", id: "doc", value: { name: "alembic", tags: ["durable", "replay"], price: 0, empty: "" } },
  {
    kind: "source",
    id: "minutes",
    uri: "doc:minutes",
    text: "Ana: I did not approve it.\nBo: I approve it.\nAna: Fine.\n"
  },
  { kind: "unreadable", id: "secret", reason: "permission denied" },
  { kind: "number", id: "twice", value: 1 },
  { kind: "number", id: "twice", value: 2 }
]

export const corpusEvidence: ReadonlyArray<Evidence> = [
  ...ran,
  ...loadEvidence([
    { path: "report.md", bytes: utf8(report) },
    { path: "policy.txt", bytes: utf8(policy) },
    { path: "unicode.txt", bytes: utf8(unicode) },
    { path: "crlf.txt", bytes: utf8("\ufeffalpha\r\nbeta\r\ngamma\r\n") },
    { path: "latin1.txt", bytes: Uint8Array.from([0x63, 0x61, 0x66, 0xe9]) },
    { path: "empty.txt", bytes: new Uint8Array() },
    { path: "results.json", bytes: utf8(JSON.stringify(results, null, 2)) },
    { path: "releases.json", bytes: utf8(JSON.stringify(releases)) },
    { path: "dates.json", bytes: utf8(JSON.stringify(dates)) },
    { path: "twice.json", bytes: utf8('{"passed": false, "reviewer": "ana", "passed": true}') },
    { path: "big.json", bytes: utf8('{"id": 9007199254740993, "small": 7, "many": 0.30000000000000000001}') },
    { path: "broken.json", bytes: utf8('{"passed": true,}') },
    { path: "run.evidence.json", bytes: utf8(JSON.stringify(structured)) }
  ])
]

/** The texts that hash claims need. */
export const corpusTexts = {
  report,
  policy,
  results,
  doc: { name: "alembic", tags: ["durable", "replay"], price: 0, empty: "" }
}
