// A report as a summary in Markdown, for a pull request or a step of CI. Pure.
import { hasFailed } from "../../engine/inspect/CallRecord.ts"
import { countText, dollarsText, durationText } from "../render/numbers.ts"
import type { Reported } from "./runPage.ts"

const cell = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[|\\`*_<>[\]#]/g, (sign) => `\\${sign}`)
    .slice(0, 120)

export const reportMarkdown = ({
  durationMs,
  explanation,
  gates,
  inspection: { calls, run },
  result
}: Reported): string => {
  const failed = calls.filter(hasFailed)
  const lines = [
    `### Alembic: ${run.status}`,
    "",
    cell(explanation.verdict),
    "",
    "| run | calls | failed | tokens | spent | took |",
    "| --- | --- | --- | --- | --- | --- |",
    `| ${run.runId} | ${run.modelCalls} | ${failed.length} | ${countText(run.usage.inputTokens + run.usage.outputTokens)} | ${dollarsText(run.spentUsd)} | ${durationText(durationMs)} |`,
    ...(gates.length === 0
      ? []
      : [
          "",
          ...gates.map(({ name, pass }) => `- gate ${cell(name)}: ${pass ? "passed" : "**did not pass**"}`)
        ]),
    ...(failed.length === 0
      ? []
      : [
          "",
          "Failed calls:",
          "",
          ...failed
            .slice(0, 20)
            .map(({ error = "", name, number }) => `- ${number} ${cell(name)}: ${cell(error)}`)
        ]),
    ...(failed.length > 20 ? [`- and ${failed.length - 20} more`] : []),
    ...(result === undefined
      ? []
      : [
          "",
          "<details><summary>Result</summary>",
          "",
          ...(typeof result === "string" ? result : JSON.stringify(result, undefined, 2))
            .slice(0, 10_000)
            .split("\n")
            .map((line) => `    ${line}`),
          "",
          "</details>"
        ])
  ]
  return `${lines.join("\n")}\n`
}
