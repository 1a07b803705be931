// ReplayQueue: calls whose answer the journal has, to be given in journal order: the one of the lowest rank at hand,
// among hundreds of thousands. A heap; what was dropped from its middle is skipped when it comes up.
//
// Invariants:
// K1  `takeFirst` gives the call of the lowest rank that was put and neither taken nor dropped.
// K2  The heap holds at most twice as many ranks as there are calls, and a few.
import type { IssuedCall } from "../calls/CallBook.ts"

const slack = 64

export class ReplayQueue {
  private readonly calls = new Map<number, IssuedCall>()
  private heap: Array<number> = []

  get size(): number {
    return this.calls.size
  }

  /** Ranks held, dropped ones included. */
  get weight(): number {
    return this.heap.length
  }

  put(rank: number, call: IssuedCall): void {
    if (!this.calls.has(rank)) this.push(rank)
    this.calls.set(rank, call)
  }

  drop(rank: number): void {
    if (!this.calls.delete(rank) || this.heap.length <= this.calls.size * 2 + slack) return
    // An ascending list is a heap.
    this.heap = [...this.calls.keys()].sort((a, b) => a - b)
  }

  takeFirst(): IssuedCall | undefined {
    for (let rank = this.pop(); rank !== undefined; rank = this.pop()) {
      const call = this.calls.get(rank)
      if (call === undefined) continue
      this.calls.delete(rank)
      return call
    }
    return undefined
  }

  private at(index: number): number {
    return this.heap[index] ?? Infinity
  }

  private push(rank: number): void {
    const { heap } = this
    let hole = heap.length
    heap.push(rank)
    while (hole > 0) {
      const above = (hole - 1) >> 1
      if (this.at(above) <= rank) break
      heap[hole] = this.at(above)
      hole = above
    }
    heap[hole] = rank
  }

  private pop(): number | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let hole = 0
    for (;;) {
      const left = hole * 2 + 1
      const least = this.at(left + 1) < this.at(left) ? left + 1 : left
      if (this.at(least) >= last) break
      heap[hole] = this.at(least)
      hole = least
    }
    heap[hole] = last
    return first
  }
}
