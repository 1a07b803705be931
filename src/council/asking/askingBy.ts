// How a council asks its members, by the rules under which its run began (domain/run/rules.ts): a run that goes on asks as
// it began, so that what is in its journal still answers. What members said counts the same under all rules.
import type { PhaseKind } from "../Board.ts"
import { minLetters } from "../dissent/answers.ts"

export interface Asking {
  readonly rules: number
  /** What each phase asks of a member. */
  readonly tasks: Readonly<Record<PhaseKind, string>>
  /** Whether objections raised in a phase are put to the voters. */
  readonly raises: (phase: PhaseKind) => boolean
  /** Whether members see the ids of objections while they debate. */
  readonly showsIds: boolean
  /** How many objections the schema of a statement allows; absent: as many as there are. */
  readonly maxObjections?: number
  /** Whether the verdict keeps what it was not made of before: its rules, positions, what other orders brought up. */
  readonly keepsPositions: boolean
}

const critique =
  "Read what the others said. Say where they are wrong or go too far. Put each thing that must be answered before a GO into `objections`."
const contrarian =
  "You have heard everybody. Make the strongest honest case against where the debate is heading. Put each objection that must be answered before a GO into `objections`."

const first: Asking = {
  rules: 1,
  tasks: {
    opening: "Say what you hold on the question, on your own: you have not heard the others yet.",
    critique,
    revision: "Read the critique. Say what you hold now, and what changed your mind, if anything did.",
    contrarian,
    ballot:
      "Vote. Score every axis with a whole number from 0 to 10. Answer every objection by its id; say whether it stands. To abstain, set `abstain` and say why."
  },
  raises: (phase) => phase === "critique" || phase === "contrarian",
  showsIds: false,
  maxObjections: 10,
  keepsPositions: false
}

const numbered = "Those that have an id are on the ballot already: do not repeat them."

const second: Asking = {
  rules: 2,
  tasks: {
    opening:
      "Say what you hold on the question, on your own: you have not heard the others yet. Put each thing that must be answered before a GO into `objections`.",
    critique: `${critique} ${numbered}`,
    revision: `Read the critique. Say what you hold now, and what changed your mind, if anything did. Put each further thing that must be answered before a GO into \`objections\`. ${numbered}`,
    contrarian: `${contrarian} ${numbered}`,
    ballot: `Vote. Score every axis with a whole number from 0 to 10. Answer every objection by its id: in \`answer\` what you say to it, in your own words and at least ${minLetters} letters; in \`stands\` whether it stands all the same. An objection that nobody but its maker answers, or that most say stands, keeps the decision from being GO. To abstain, set \`abstain\` and say why.`
  },
  raises: () => true,
  showsIds: true,
  maxObjections: 10,
  keepsPositions: true
}

const { maxObjections: _, ...unlimited } = second
const third: Asking = { ...unlimited, rules: 3 }

export const askingBy = (rules: number): Asking =>
  rules < second.rules ? first : rules < third.rules ? second : third
