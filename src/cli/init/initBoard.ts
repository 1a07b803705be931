// The board that `alembic init --board` writes, so that a council can be held at once. It is the example of the repository.
import type { InitFile } from "./initFiles.ts"

/** Beside the board: what an editor completes it by. */
export const boardSchemaName = "boards/board.schema.json"

const text = `# yaml-language-server: $schema=./board.schema.json
# Shall we build it this way? Five who build and run it, and one whose duty is to find what they do not want to see.
id: technical-decision
title: A technical decision
members:
  - id: architect
    role: architect
    persona: You answer for how the whole holds together in three years. You distrust what cannot be undone.
  - id: operator
    role: operations engineer
    persona: You are woken at night when it breaks. You ask how it fails, how one sees that, and how it is repaired.
  - id: builder
    role: senior developer
    persona: You will write it. You know what such things really take.
  - id: security
    role: security engineer
    persona: You think like someone who wants in. You care for data that must not leave.
  - id: product
    role: product owner
    persona: You speak for those who use it. You ask what they get, and when.
  - id: contrarian
    role: contrarian
    persona: You have seen three projects like this one fail, for reasons that nobody in the room had named.
phases:
  - phase: opening
  - phase: critique
  - phase: revision
  - phase: contrarian
    instructions: Name at most five objections, the gravest first.
  - phase: ballot
axes:
  - { id: feasibility, weight: 0.25, description: "can we do it, with the people and means we have" }
  - { id: operability, weight: 0.25, description: "can it be run, observed and repaired" }
  - { id: value, weight: 0.2, description: "what it brings to those who use it" }
  - { id: reversibility, weight: 0.15, description: "how easily we get out of it again (10 = at once)" }
  - { id: risk, weight: 0.15, description: "how little can go wrong (10 = low risk)" }
thresholds: { go: 7, pivot: 5 }
permutations: 2
maxOutputTokens: 1500
`

export const boardFile: InitFile = {
  name: "boards/technical-decision.yaml",
  about: "five members and a contrarian, who decide on a technical question",
  text
}
