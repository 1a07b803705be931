// Reviews the attached files: one reviewer a file, a sceptic for what each one found, then the problems that stand,
// ranked. `npm start` runs it on this project's own source.
import type { Json, ModelRunSuccess, PlanHooks, PlanInput, Slot } from "alembic/plan"

const Review = {
  type: "object",
  properties: {
    summary: { type: "string" },
    problems: {
      type: "array",
      maxItems: 3,
      items: {
        type: "object",
        properties: {
          line: { type: "integer", minimum: 1 },
          severity: { type: "integer", minimum: 1, maximum: 5 },
          problem: { type: "string" }
        },
        required: ["line", "severity", "problem"],
        additionalProperties: false
      }
    }
  },
  required: ["summary", "problems"],
  additionalProperties: false
}

const Check = {
  type: "object",
  properties: {
    stands: { type: "array", items: { type: "boolean" }, maxItems: 3 },
    why: { type: "string" }
  },
  required: ["stands", "why"],
  additionalProperties: false
}

interface Problem {
  readonly file: string
  readonly line: number
  readonly severity: number
  readonly problem: string
}

type File = PlanInput["files"][number]

const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** A line beyond the file's end is no place: it is moved to the last one. */
const problemsOf = (file: File, output: Json | undefined): ReadonlyArray<Problem> => {
  const lines = file.text.split("\n").length
  return list(member(output, "problems")).map((found) => ({
    file: file.path,
    line: Math.min(lines, Number(member(found, "line"))),
    severity: Number(member(found, "severity")),
    problem: String(member(found, "problem"))
  }))
}

const reviewPrompt = (goal: string, file: File) => `${goal}\n\nFile ${file.path}:\n\n${file.text}`

const checkPrompt = (file: File, problems: ReadonlyArray<Problem>) =>
  [
    `A reviewer says this of ${file.path}. Try to refute each; say in order whether it stands.`,
    ...problems.map(({ line, problem }, n) => `${n + 1}. line ${line}: ${problem}`),
    "",
    file.text
  ].join("\n")

/** Only what has an answer: the failures stay counted in the coverage. */
const isAnswered = (slot: Slot<ReadonlyArray<Problem>>): slot is ReadonlyArray<Problem> => Array.isArray(slot)

export const run = async (h: PlanHooks, input: PlanInput) => {
  const { files, goal } = input
  if (files.length === 0) throw new Error("attach the files to review: --attach 'src/**/*.ts'")

  h.phase("Review and cross-check")
  const slots = await h.pipeline(
    files,
    (file) => h.agent(reviewPrompt(goal, file), { label: `review ${file.path}`, schema: Review }),
    async (review: ModelRunSuccess, file) => {
      const problems = problemsOf(file, review.output)
      if (problems.length === 0) return problems
      const check = await h.agent(checkPrompt(file, problems), { label: `check ${file.path}`, schema: Check })
      // Without its check a problem is only an opinion: the file counts as lost.
      if (!check.ok) return check
      const stands = list(member(check.output, "stands"))
      return problems.filter((_, n) => stands[n] === true)
    }
  )

  const answered = slots.filter(isAnswered)
  const ranked = answered
    .flat()
    .toSorted((left, right) => right.severity - left.severity || (left.file < right.file ? -1 : 1))
  const coverage = `${answered.length} of ${files.length}`
  h.log("reviewed", { coverage, stands: ranked.length })

  h.phase("Summary")
  const worst = ranked.slice(0, 10)
  const summary = await h.agent(
    [
      `Summarise for the team, in three sentences. ${coverage} files were reviewed.`,
      ...worst.map(({ file, line, problem, severity }) => `${severity} ${file}:${line} ${problem}`)
    ].join("\n"),
    { label: "summary" }
  )
  if (!summary.ok) throw new Error(`no summary: ${summary.error.message}`)
  return {
    coverage,
    problems: ranked.length,
    worst: worst.map(({ file, line, problem, severity }) => `${severity} ${file}:${line} ${problem}`),
    summary: summary.text
  }
}
