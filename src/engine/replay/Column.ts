// Column: a list of numbers that grows, for facts about hundreds of thousands of calls and notes.

/** How far beyond its end a column grows at once: more than any plan of this engine leaves out. */
const longestGap = 2 ** 20

/** A list of numbers that grows. What a log from elsewhere puts far beyond its end takes no more room than it is. */
export class Column {
  private values = new Float64Array(64)
  private readonly far = new Map<number, number>()
  length = 0
  set(index: number, value: number): void {
    if (index > this.values.length + longestGap) {
      this.far.set(index, value)
      return
    }
    if (index >= this.values.length) {
      const larger = new Float64Array(Math.max(index + 1, this.values.length * 2))
      larger.set(this.values)
      this.values = larger
    }
    this.values[index] = value
    this.length = Math.max(this.length, index + 1)
  }
  /** 0 where nothing was set. */
  at(index: number): number {
    const near = index < this.length ? (this.values[index] ?? 0) : 0
    return near === 0 ? (this.far.get(index) ?? 0) : near
  }
  /** The first index beyond `index` at which something is set. */
  next(index: number): number | undefined {
    let found: number | undefined
    for (const at of this.far.keys()) if (at > index && at < (found ?? Infinity)) found = at
    for (let at = Math.max(0, index + 1); at < this.length; at++) {
      if (this.values[at] !== 0) return Math.min(at, found ?? at)
    }
    return found
  }
}
