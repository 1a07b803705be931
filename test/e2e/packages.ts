// `npm run test:packages`: installs npm packages that plans import, from the registry, into a temporary folder; checks,
// runs (in two places) and replays a plan for each, by the built command. Prints a line for each; exits 1 where one is
// not as it must be. Needs the npm registry, so it is no part of the tests.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { buildCommand } from "../support/buildCommand.ts"

interface Tried {
  readonly name: string
  readonly version: string
  readonly imports: string
  /** An expression, evaluated before a call and after it. */
  readonly value: string
  /** What is said where it is refused. */
  readonly refused?: string
}

const retried = "async () => { if (n++ < 2) throw new Error('x'); return (await h.agent('try')).text }"

const tried: ReadonlyArray<Tried> = [
  {
    name: "lodash",
    version: "4.18.1",
    imports: 'import _ from "lodash"',
    value: '[_.shuffle([1, 2, 3, 4, 5]), _.random(1, 100), _.sample([1, 2, 3]), _.now(), _.uniqueId("a")]'
  },
  {
    name: "lodash-es",
    version: "4.18.1",
    imports: 'import { shuffle, random, now, merge } from "lodash-es"',
    value: "[shuffle([1, 2, 3, 4, 5]), random(1, 1e6), now(), merge({ a: 1 }, { b: 2 })]"
  },
  {
    name: "date-fns",
    version: "4.4.0",
    imports: 'import { addDays, formatDistanceToNow, isToday, parseISO, startOfToday } from "date-fns"',
    value:
      '[addDays(new Date(0), 3).toISOString(), isToday(new Date(5)), formatDistanceToNow(parseISO("1970-01-03")), startOfToday().toISOString()]'
  },
  {
    name: "luxon",
    version: "3.7.2",
    imports: 'import { DateTime } from "luxon"',
    value:
      '[DateTime.now().toISO(), DateTime.fromISO("2020-02-03").toLocaleString(DateTime.DATE_FULL), DateTime.fromISO("1970-01-02").toRelative()]'
  },
  {
    name: "ramda",
    version: "0.32.0",
    imports: 'import * as R from "ramda"',
    value: "[R.map((x) => x + 1, [1, 2]), R.equals(new Date(0), new Date(0)), R.type(new Date(1))]"
  },
  {
    name: "zod",
    version: "4.6.7",
    imports: 'import { z } from "zod"',
    value:
      '[z.object({ d: z.date() }).safeParse({ d: new Date(0) }).success, JSON.stringify(z.toJSONSchema(z.object({ n: z.int() }))), z.uuid().safeParse("x").success]'
  },
  {
    name: "valibot",
    version: "1.5.0",
    imports: 'import * as v from "valibot"',
    value: '[v.parse(v.pipe(v.string(), v.email()), "a@b.co"), v.is(v.date(), new Date(0))]'
  },
  {
    name: "yaml",
    version: "2.9.1",
    imports: 'import { parse, stringify } from "yaml"',
    value: '[parse("a: [1, 2]"), stringify({ x: [1, { y: 2 }] })]'
  },
  {
    name: "csv-parse",
    version: "7.0.3",
    imports: 'import { parse } from "csv-parse/sync"',
    value: '[parse("a,b\\n1,é\\n", { columns: true })]'
  },
  {
    name: "gray-matter",
    version: "4.0.3",
    imports: 'import matter from "gray-matter"',
    value: '[matter("---\\ntitle: x\\n---\\nbody").data, matter.stringify("b", { a: 1 })]'
  },
  {
    name: "minimatch",
    version: "11.0.9",
    imports: 'import { minimatch } from "minimatch"',
    value: '[minimatch("a/b.ts", "**/*.ts")]'
  },
  {
    name: "diff",
    version: "9.0.0",
    imports: 'import * as d from "diff"',
    value: '[d.createPatch("f", "a\\nb\\n", "a\\nc\\n")]'
  },
  {
    name: "mathjs",
    version: "15.2.0",
    imports: 'import { evaluate, random, randomInt } from "mathjs"',
    value: '[evaluate("sqrt(2) * 3"), random(), randomInt(100)]'
  },
  {
    name: "p-queue",
    version: "8.1.1",
    imports: 'import PQueue from "p-queue"',
    value:
      'await (() => { const q = new PQueue({ concurrency: 2, interval: 50, intervalCap: 2, timeout: 9000 }); return Promise.all([1, 2, 3].map((n) => q.add(async () => (await h.agent("p" + n)).text))) })()'
  },
  {
    name: "p-retry",
    version: "9.0.0",
    imports: 'import pRetry from "p-retry"',
    value: `await (() => { let n = 0; return pRetry(${retried}, { minTimeout: 40, randomize: true }) })()`
  },
  {
    name: "nanoid",
    version: "6.0.2",
    imports: 'import { nanoid, customAlphabet } from "nanoid"',
    value: '[nanoid(), customAlphabet("abc", 8)()]'
  },
  {
    name: "ajv",
    version: "8.20.0",
    imports: 'import Ajv from "ajv"',
    value: '[new Ajv.default().compile({ type: "object" })({})]',
    refused: "generates code"
  }
]

const folder = mkdtempSync(join(tmpdir(), "alembic-packages-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const command = buildCommand()
const alembic = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: "utf8",
    input: "",
    maxBuffer: 64 * 1024 * 1024
  })
  return { status, said: `${stdout}\n${stderr}`, last: stdout.trimEnd().split("\n").at(-1) ?? "" }
}

const asked = tried.map(({ name, version }) => `${name}@${version}`)
const npm = spawnSync(
  "npm",
  ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...asked],
  {
    encoding: "utf8"
  }
)
if (npm.status !== 0) throw new Error(npm.stderr)
writeFileSync(join(folder, "GOAL.md"), "g\n")

/** What a run of the plan comes to, in a place of its own. */
const runIn = (place: string, plan: string) => {
  const base = join(folder, place)
  mkdirSync(base, { recursive: true })
  const ran = alembic(
    "run",
    "--plan",
    plan,
    "--goal",
    "GOAL.md",
    "--model",
    "offline",
    "--base-dir",
    base,
    "--json"
  )
  const runId = /run-[0-9a-f]{16}/.exec(ran.said)?.[0] ?? ""
  const result = /"result":(.*?),"coverage"/.exec(ran.last)?.[1] ?? ""
  return { ...ran, base, result, runId }
}

let wrong = 0
for (const { imports, name, refused, value } of tried) {
  const plan = `${name}.plan.mjs`
  writeFileSync(
    join(folder, plan),
    `${imports}
export const run = async (h) => {
  const before = ${value}
  const one = await h.agent("say " + JSON.stringify(before))
  return { before, after: ${value}, one: one.text }
}
`
  )
  const checked = alembic("check", plan)
  const first = runIn("first", plan)
  const problems: Array<string> = checked.status === 0 ? [] : [`check exits ${checked.status}`]
  if (refused !== undefined) {
    if (first.status === 0 || !first.said.includes(refused) || !checked.said.includes(refused))
      problems.push(`it is not refused with "${refused}"`)
  } else {
    const second = runIn("second", plan)
    if (first.status !== 0) problems.push(`run exits ${first.status}: ${first.last.slice(0, 400)}`)
    if (first.result === "" || first.result !== second.result) problems.push("two runs differ")
    const replayed = alembic("replay", first.runId, "--base-dir", first.base)
    if (!replayed.said.includes("identical")) problems.push(`replay: ${replayed.said.slice(0, 300)}`)
  }
  if (problems.length > 0) wrong++
  console.log(
    `${problems.length === 0 ? "ok " : "BAD"} ${name} ${refused === undefined ? "" : "(refused)"} ${problems.join("; ")}`
  )
}
console.log(`${tried.length} packages, ${wrong} wrong`)
process.exitCode = wrong === 0 ? 0 : 1
