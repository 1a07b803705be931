// Numbers for people: money, tokens, how many. Never rounded to nothing. Pure.

/** US dollars, with as many digits as it takes to see something. */
export const dollarsText = (usd: number): string => {
  if (usd === 0) return "$0"
  if (usd >= 1) return `$${usd.toFixed(2)}`
  if (usd >= 0.01) return `$${usd.toFixed(3)}`
  // Below a millionth toPrecision would write an exponent.
  return usd >= 0.000_001 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(9)}`
}

export const countText = (n: number): string =>
  n < 10_000 ? String(n) : n < 1_000_000 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(2)}M`

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${countText(n)} ${n === 1 ? one : many}`
