// A folder with a mission in it whose every part is real: a module that is wrong, its test under `node --test` as the
// proof, and a worker that is a command of its own and mends the module when it is shown the test's output.
import { planFolder } from "./planFolder.ts"

const node = process.execPath

/**
 * Writes a wrong `sum` first; shown a proof that failed, the right one. One line of worker.log an attempt. While there
 * is a file `hold` with a URL in it, it asks there first, and waits for the answer.
 */
const worker = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
const prompt = readFileSync(0, "utf8")
const shown = prompt.includes("These proofs failed") && prompt.includes("6 !== 5")
appendFileSync("worker.log", shown ? "again\\n" : "first\\n")
if (existsSync("hold")) await fetch(readFileSync("hold", "utf8"))
writeFileSync("sum.mjs", "export const sum = (a, b) => a " + (shown ? "+" : "*") + " b\\n")
console.log(JSON.stringify({ summary: "mended", files: ["sum.mjs"], notes: "" }))
`

/** One line of proof.log a run. */
const test = `import assert from "node:assert"
import { appendFileSync } from "node:fs"
import test from "node:test"
import { sum } from "./sum.mjs"
appendFileSync("proof.log", "ran\\n")
test("2 and 3 make 5", () => assert.strictEqual(sum(2, 3), 5))
`

const contract = (council: boolean) => ({
  commands: [`${node} --test`],
  scratch: ["proof.log"],
  proofs: [{ id: "tests", command: [node, "--test", "sum.test.mjs"] }],
  assertions: [
    { id: "adds", statement: "it adds", oracle: "exit_code", args: { code: 0 }, evidence: "proof:tests" },
    {
      id: "written",
      statement: "the module says so",
      oracle: "containment",
      args: { value: "a + b" },
      evidence: "file:sum.mjs"
    }
  ],
  ...(council ? { council: { board: "three", question: "Shall it be mended?" } } : {}),
  publish: true
})

const unit = (tier: string | undefined) => ({
  id: "mend",
  prompt: "Make sum.mjs add.",
  proof: ["tests"],
  fulfills: ["adds", "written"],
  model: "command:worker",
  ...(tier === undefined ? {} : { tier })
})

const board = {
  members: [
    { id: "ana", role: "engineer" },
    { id: "bo", role: "tester" },
    { id: "cy", role: "owner" },
    { id: "con", role: "contrarian" }
  ],
  phases: ["opening", "contrarian", "ballot"],
  axes: [{ id: "value", weight: 1 }]
}

/** Offline answers of the board: everybody for it, one objection, answered by all; `score` is every vote. */
const fixtures = (score: number) => ({
  rules: [
    {
      match: { includes: "Your task (ballot)" },
      answer: {
        object: {
          abstain: false,
          reason: "so",
          scores: { value: score },
          answers: [{ objection: "o-1", answer: "asked now", stands: false }]
        }
      }
    },
    {
      match: { includes: "Your task (contrarian)" },
      answer: { object: { position: "wait", stance: "PIVOT", objections: ["nobody has asked the users"] } }
    },
    {
      match: { includes: "Your task (opening)" },
      answer: { object: { position: "yes", stance: "GO", objections: [] } }
    }
  ]
})

export interface MissionParts {
  readonly tier?: string
  readonly council?: boolean
  readonly score?: number
  /** The plan's text, where it is another than the promise-style one. */
  readonly plan?: string
}

export const missionSpec = (tier: string | undefined) => ({ title: "Mend the sum", units: [unit(tier)] })

export const missionFolder = ({ council = true, plan, score = 9, tier }: MissionParts = {}) =>
  planFolder({
    "GOAL.md": "Mend it.\n",
    "sum.mjs": "export const sum = () => 0\n",
    "sum.test.mjs": test,
    "worker.mjs": worker,
    "worker.log": "",
    "proof.log": "",
    "contract.json": JSON.stringify(contract(council)),
    "boards/three.json": JSON.stringify(board),
    "fixtures.json": JSON.stringify(fixtures(score)),
    "alembic.json": JSON.stringify({
      boards: { three: "boards/three.json" },
      commands: { worker: { command: [node, "worker.mjs"], reads: "text" } }
    }),
    "alembic.plan.mjs":
      plan ?? `export const run = async (h) => h.mission(${JSON.stringify(missionSpec(tier))})\n`
  })

export const missionFlags = [
  "--plan",
  "alembic.plan.mjs",
  "--contract",
  "contract.json",
  "--offline-fixtures",
  "fixtures.json"
]
