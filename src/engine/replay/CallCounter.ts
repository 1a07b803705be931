// CallCounter: how often each cache key was issued, for hundreds of thousands of keys. Bytes and numbers in columns:
// a map of strings would take more memory than the rest of a long run. What an occurrence means is CallBook's.
//
// Invariants:
// O1  The k-th time a key is given, `next` answers k, whatever other keys were given in between.
const keyBytes = 32
const none = -1

export class CallCounter {
  private size = 0
  private keys = Buffer.alloc(64 * keyBytes)
  private counts = new Int32Array(64)
  /** Open addressing: a row, or none. Never more than half full. */
  private slots = new Int32Array(128).fill(none)

  /** `key`: a cache key, 64 hex digits. */
  next(key: string): number {
    // The key is compared where it would stand if it were new: in the first free row.
    const fresh = this.size
    this.keys.write(key, fresh * keyBytes, "hex")
    const slot = this.locate(fresh)
    const known = this.slots[slot] ?? none
    if (known !== none) return this.count(known)
    this.slots[slot] = fresh
    this.size++
    const first = this.count(fresh)
    if (this.size === this.counts.length) this.grow()
    return first
  }

  private count(row: number): number {
    const count = (this.counts[row] ?? 0) + 1
    this.counts[row] = count
    return count
  }

  /** The slot of the key that stands in `row`, or the empty one where it belongs. */
  private locate(row: number): number {
    const { keys, slots } = this
    const at = row * keyBytes
    const mask = slots.length - 1
    for (let slot = keys.readUInt32LE(at) & mask; ; slot = (slot + 1) & mask) {
      const other = slots[slot] ?? none
      if (other === none) return slot
      const from = other * keyBytes
      if (keys.compare(keys, from, from + keyBytes, at, at + keyBytes) === 0) return slot
    }
  }

  private grow(): void {
    const rows = this.counts.length * 2
    const keys = Buffer.alloc(rows * keyBytes)
    keys.set(this.keys)
    this.keys = keys
    const counts = new Int32Array(rows)
    counts.set(this.counts)
    this.counts = counts
    this.slots = new Int32Array(rows * 2).fill(none)
    for (let row = 0; row < this.size; row++) this.slots[this.locate(row)] = row
  }
}
