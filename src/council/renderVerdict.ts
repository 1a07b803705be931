// Renderings of a verdict for people: plain text and Markdown, from one outline. What members wrote is shown as
// theirs, quoted line by line, so that it cannot pose as the verdict. Pure; exact JSON is Verdict itself.
import { minLetters } from "./dissent/answers.ts"
import { lostToMoney, type Dissent, type DissentAnswer, type Verdict } from "./Verdict.ts"

interface Section {
  readonly title: string
  readonly lines: ReadonlyArray<string>
  readonly table?: ReadonlyArray<ReadonlyArray<string>>
}

/** Control characters would let a member's text move the cursor or hide lines. */
const visible = (text: string): string =>
  Array.from(text, (char) => {
    const point = char.codePointAt(0) ?? 0
    const hidden =
      (point < 32 && char !== "\n") ||
      (point >= 127 && point < 160) ||
      /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(char)
    return hidden ? "\ufffd" : char
  }).join("")

const quoted = (text: string): ReadonlyArray<string> =>
  visible(text)
    .split("\n")
    .map((line) => `> ${line}`)
const inline = (text: string): string => visible(text).replaceAll(/\s+/g, " ").trim()

const money = (usd: number | undefined): string => (usd === undefined ? "not known" : `$${usd}`)

const scoreTable = ({ scores }: Verdict): ReadonlyArray<ReadonlyArray<string>> => [
  ["member", "weight", ...scores.axes.map(({ axis }) => axis), "mean", "alone"],
  ...scores.rows.map((row) => [
    row.member,
    String(row.weight),
    ...scores.axes.map(({ axis }) => String(row.scores[axis] ?? "")),
    String(row.mean),
    row.decision
  ]),
  [
    "all",
    "",
    ...scores.axes.map(({ mean }) => String(mean ?? "")),
    String(scores.mean ?? ""),
    scores.decision
  ]
]

const insufficient: Readonly<Record<NonNullable<DissentAnswer["insufficient"]>, string>> = {
  too_few_letters: `no answer: fewer than ${minLetters} letters`,
  repeats_objection: "no answer: it repeats the objection"
}

const answerLines = (answer: DissentAnswer, author: string): ReadonlyArray<string> => {
  const what = answer.insufficient === undefined ? undefined : insufficient[answer.insufficient]
  const stands = answer.stands ? ", who says it stands" : ""
  const by = answer.member === author ? "its maker said to it" : `answered by ${answer.member}`
  return [
    what === undefined ? `${by}${stands}` : `${answer.member} wrote (${what})${stands}`,
    ...quoted(answer.answer)
  ]
}

const fateOf = ({ answered, answers, kind, stands }: Dissent): string => {
  if (kind !== "objection") return ""
  // What its own author said to it is shown, and is no answer.
  if (!answered) return `: NOBODY ${answers.length > 0 ? "ELSE " : ""}ANSWERED IT`
  return stands === true ? ": MOST SAY THAT IT STANDS" : ""
}

const dissentLines = (dissents: ReadonlyArray<Dissent>): ReadonlyArray<string> =>
  dissents.flatMap((dissent) => {
    const { answers, id, kind, member, phase, stance, text } = dissent
    const what = stance === undefined ? kind : `${kind}, ${stance}`
    return [
      `${id} (${what}) by ${member} in ${phase}${fateOf(dissent)}`,
      ...quoted(text),
      ...answers.flatMap((answer) => answerLines(answer, member))
    ]
  })

/** What was raised in another order of the openings, and is not in the verdict's own. */
const otherDissents = ({ dissents, otherOrders = [] }: Verdict): ReadonlyArray<string> => {
  const own = new Set(dissents.map(({ kind, member, phase, text }) => `${kind} ${member} ${phase} ${text}`))
  return otherOrders.flatMap((order, index) => {
    const lines = dissentLines(
      order.dissents.filter(
        ({ kind, member, phase, text }) => kind !== "vote" && !own.has(`${kind} ${member} ${phase} ${text}`)
      )
    )
    const decided = `order ${index + 1}: ${order.decision}${order.conclusive ? "" : " (not conclusive)"}`
    return lines.length === 0 ? [] : [decided, ...lines]
  })
}

const positionLines = ({ positions = [] }: Verdict): ReadonlyArray<string> =>
  positions.flatMap(({ member, phase, position, stance }) => [
    `${member} in ${phase}: ${stance}`,
    ...quoted(position)
  ])

const sections = (verdict: Verdict): ReadonlyArray<Section> => {
  const { agreement, changes, claims, conformity, failures, ranking, scores, stability } = verdict
  const all: ReadonlyArray<Section> = [
    {
      title: "Why it is not conclusive",
      lines: verdict.inconclusive.map(({ code, detail }) => `${code}: ${inline(detail)}`)
    },
    {
      title: "Scores",
      lines: [`GO from ${scores.thresholds.go}, PIVOT from ${scores.thresholds.pivot}`],
      table: scoreTable(verdict)
    },
    {
      title: "Ranking",
      lines: (ranking?.order ?? []).map(({ option, points }, at) => `${at + 1}. ${option}: ${points} points`)
    },
    { title: "Dissent", lines: dissentLines(verdict.dissents) },
    { title: "Dissent in other orders of the openings", lines: otherDissents(verdict) },
    {
      title: "Abstentions",
      lines: verdict.abstentions.map(({ member, reason }) => `${member}: ${inline(reason)}`)
    },
    {
      title: "Claims",
      lines: claims.map(
        ({ claim, finding, member }) => `${finding.finding}: ${inline(claim.statement)} (${member})`
      )
    },
    {
      title: "Members that gave no answer",
      lines: failures.map(
        ({ member, message, phase, reason }) => `${member} in ${phase}: ${reason}, ${inline(message)}`
      )
    },
    {
      title: "Minds",
      lines: [
        `${agreement.agree} of ${agreement.of} voters decide so by their own scores`,
        ...changes.map(({ from, is, member, to, was }) => `${member}: ${was} in ${from}, ${is} in ${to}`),
        ...(conformity.of === 0
          ? []
          : [`${conformity.toMajority} of ${conformity.of} changes went to the majority`]),
        ...(stability === undefined
          ? []
          : [
              `${stability.same} of ${stability.permutations} other orders of the openings decide the same (${stability.calls} calls, ${money(stability.costUsd)})`
            ])
      ]
    },
    { title: "Positions", lines: positionLines(verdict) },
    { title: "Cost", lines: [`${verdict.calls} calls, ${money(verdict.costUsd)}`] }
  ]
  return all.filter(({ lines, table }) => lines.length > 0 || table !== undefined)
}

const headline = ({ blocked, conclusive, decision, failures }: Verdict): string => {
  const lost = new Set(failures.filter(lostToMoney).map(({ member }) => member))
  return [
    `${decision}${conclusive ? "" : " (not conclusive)"}`,
    ...(blocked === undefined ? [] : [`the scores alone said ${blocked}`]),
    ...(lost.size === 0 ? [] : [`not heard, because the money was used up: ${[...lost].join(", ")}`])
  ].join("; ")
}

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join("  ")
      .trimEnd()
  )
}

/** For a terminal or a log: no markup, at most one line feed in a row, ends with one. */
export const verdictText = (verdict: Verdict): string =>
  [
    `${headline(verdict)}: ${inline(verdict.question)}`,
    ...sections(verdict).flatMap(({ lines, table, title }) => [
      "",
      title,
      ...(table === undefined ? [] : aligned(table).map((line) => `  ${line}`)),
      ...lines.map((line) => `  ${line}`)
    ]),
    ""
  ].join("\n")

/** Markdown in what members wrote is shown, not obeyed. */
const escaped = (line: string): string => line.replaceAll(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`)

const markdownLine = (line: string): string => {
  if (line.startsWith("> ")) return `> ${escaped(line.slice(2))}`
  const numbered = /^(\d+\. )(.*)$/s.exec(line)
  return numbered === null ? `- ${escaped(line)}` : `${numbered[1]}${escaped(numbered[2] ?? "")}`
}

export const verdictMarkdown = (verdict: Verdict): string =>
  [
    `# ${escaped(headline(verdict))}`,
    "",
    escaped(inline(verdict.question)),
    ...sections(verdict).flatMap(({ lines, table, title }) => {
      const [head = [], ...rows] = table ?? []
      const row = (cells: ReadonlyArray<string>) => `| ${cells.map(escaped).join(" | ")} |`
      const grid =
        table === undefined ? [] : [row(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(row), ""]
      // A quote needs a blank line before what is no part of it.
      const body = lines.flatMap((line, at) =>
        lines[at - 1]?.startsWith("> ") === true && !line.startsWith("> ")
          ? ["", markdownLine(line)]
          : [markdownLine(line)]
      )
      return ["", `## ${title}`, "", ...grid, ...body]
    }),
    ""
  ].join("\n")
