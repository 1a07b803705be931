// Exact decimals: mantissa · 10^exponent, so that 0.1 + 0.2 is 0.3 and no tolerance hides in a comparison. Only
// ASCII digits in JSON's form are numbers: "1,234", "½" and full-width digits are not. Units are units.ts's.

export interface Decimal {
  readonly m: bigint
  readonly e: number
}

const form = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const maxDigits = 400
const maxExponent = 400

/** The decimal that a JSON number (or a string in its form) writes; undefined for anything else, or out of bounds. */
export const decimalFromText = (text: string): Decimal | undefined => {
  if (text.length > maxDigits || !form.test(text)) return undefined
  const [coefficient = "", power = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = coefficient.split(".")
  const exponent = Number(power)
  if (Math.abs(exponent) > maxExponent) return undefined
  return { m: BigInt(whole + fraction), e: exponent - fraction.length }
}

/** The decimal that a finite double prints as. */
export const decimalFromNumber = (value: number): Decimal | undefined => decimalFromText(String(value))

const aligned = (a: Decimal, b: Decimal): readonly [bigint, bigint] => {
  const e = Math.min(a.e, b.e)
  return [a.m * 10n ** BigInt(a.e - e), b.m * 10n ** BigInt(b.e - e)]
}

/** Negative, zero or positive, as a is less than, equal to or greater than b. */
export const compareDecimal = (a: Decimal, b: Decimal): number => {
  const [x, y] = aligned(a, b)
  return x < y ? -1 : x > y ? 1 : 0
}

export const sameDecimal = (a: Decimal, b: Decimal): boolean => compareDecimal(a, b) === 0

export const timesInteger = (a: Decimal, factor: bigint): Decimal => ({ m: a.m * factor, e: a.e })

export const timesDecimal = (a: Decimal, b: Decimal): Decimal => ({ m: a.m * b.m, e: a.e + b.e })

/** |a - b| */
export const distance = (a: Decimal, b: Decimal): Decimal => {
  const [x, y] = aligned(a, b)
  return { m: x < y ? y - x : x - y, e: Math.min(a.e, b.e) }
}

export const magnitude = (a: Decimal): Decimal => ({ m: a.m < 0n ? -a.m : a.m, e: a.e })

export const Ops = ["eq", "ne", "lt", "le", "gt", "ge"] as const
export type Op = (typeof Ops)[number]

/** Whether `a op b`. */
export const compares = (op: Op, a: Decimal, b: Decimal): boolean => {
  const order = compareDecimal(a, b)
  switch (op) {
    case "eq":
      return order === 0
    case "ne":
      return order !== 0
    case "lt":
      return order < 0
    case "le":
      return order <= 0
    case "gt":
      return order > 0
    case "ge":
      return order >= 0
  }
}
