// Dollars as they are summed: in whole 1e-9 dollars, so that a sum does not depend on its order.

export const wholeNanos = (usd: number): number => Math.round(usd * 1e9) / 1e9

/** Rounded up: what is held must not be less than what it is held for. */
export const ceilNanos = (usd: number): number => Math.ceil(usd * 1e9 - 1e-6) / 1e9
