// Dice: reproducible choices for property tests, from a seed that the property gives (a linear congruential
// generator; Numerical Recipes' constants).

export const dice = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    pick: <A>(from: ReadonlyArray<A>): A => {
      const chosen = from[below(from.length)]
      if (chosen === undefined) throw new Error("nothing to pick from")
      return chosen
    }
  }
}
export type Dice = ReturnType<typeof dice>
