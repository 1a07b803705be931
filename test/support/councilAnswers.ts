// What a member that does as it is asked answers, by its prompt: every axis scored the same, every objection answered.

/** `score`: of the board's one axis `value`. */
export const good = (prompt: string, score: number): string => {
  const phase = /Your task \((\w+)\)/.exec(prompt)?.[1] ?? ""
  const stance = score >= 7 ? "GO" : "NO_GO"
  return JSON.stringify(
    phase === "ballot"
      ? {
          abstain: false,
          reason: "so",
          scores: { value: score },
          answers: [{ objection: "o-1", answer: "asked now", stands: false }]
        }
      : { position: "so", stance, objections: phase === "contrarian" ? ["nobody has asked the users"] : [] }
  )
}
