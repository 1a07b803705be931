// deepFreeze: a plain value that nobody can change any more. What is given away is a copy; copying is the caller's.

/** Freezes a plain value and all in it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
