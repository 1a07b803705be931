// Orders of the opening statements, for the question how much the decision hangs on them. Chosen by number, evenly
// spread over all orders, so that the same board always tries the same ones. The board's own order is not among them.

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1))
/** Beyond this many, only the order of the first ones is permuted: 12! is plenty. */
const maxPermuted = 12

/** The `rank`-th order (from 0, lexicographic) of the numbers below `n`. */
const orderOf = (n: number, rank: number): ReadonlyArray<number> => {
  const left = Array.from({ length: n }, (_, index) => index)
  let rest = rank
  return Array.from({ length: n }, (_, index) => {
    const block = factorial(n - 1 - index)
    const [taken = 0] = left.splice(Math.floor(rest / block), 1)
    rest %= block
    return taken
  })
}

/** `count` different orders of `n` things other than their own, or as many as there are. */
export const permutations = (n: number, count: number): ReadonlyArray<ReadonlyArray<number>> => {
  const permuted = Math.min(n, maxPermuted)
  const others = factorial(permuted) - 1
  const wanted = Math.min(count, others)
  return Array.from({ length: wanted }, (_, index) => [
    ...orderOf(permuted, Math.floor(((index + 1) * others) / wanted)),
    ...Array.from({ length: n - permuted }, (_unused, rest) => permuted + rest)
  ])
}
