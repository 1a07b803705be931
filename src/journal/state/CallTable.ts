// CallTable: the calls of a run, by id and by rank, in columns of numbers. A run of half a million calls takes some
// 45 MB this way, a third of what an object and a string for each would, and leaves the collector nothing to move.
// What happens to a call is projection.ts's; here it is only kept.
import type { CallRef } from "../../domain/Call.ts"
import { sha256 } from "../../domain/fingerprint.ts"
import type { CallState, CallStatus, Completed, KnownCalls } from "./RunState.ts"

const keyBytes = 32
/** What a character is worth as a digit of lower-case hex; 255 if it is none. */
const digits = new Uint8Array(128).fill(255)
for (const [worth, digit] of [..."0123456789abcdef"].entries()) digits[digit.charCodeAt(0)] = worth

/**
 * Writes the 32 bytes that 64 digits of lower-case hex stand for; false if `key` is not that. By hand: every event of
 * a log comes here, and a pattern and two calls out of the language took half of the projection's time.
 */
const writeKey = (key: string, into: Uint8Array, at: number): boolean => {
  if (key.length !== keyBytes * 2) return false
  for (let byte = 0; byte < keyBytes; byte++) {
    const high = digits[key.charCodeAt(byte * 2)] ?? 255
    const low = digits[key.charCodeAt(byte * 2 + 1)] ?? 255
    if (high === 255 || low === 255) return false
    into[at + byte] = (high << 4) | low
  }
  return true
}

const sameKey = (keys: Uint8Array, one: number, other: number): boolean => {
  for (let byte = 0; byte < keyBytes; byte++) {
    if (keys[one + byte] !== keys[other + byte]) return false
  }
  return true
}

const statuses: ReadonlyArray<CallStatus> = ["scheduled", "completed", "cancelled", "parked"]
/** No call. */
const none = -1

const columns = (rows: number) => ({
  occurrence: new Int32Array(rows),
  n: new Int32Array(rows),
  status: new Uint8Array(rows),
  rank: new Int32Array(rows).fill(none),
  offset: new Float64Array(rows),
  length: new Int32Array(rows),
  failed: new Uint8Array(rows),
  model: new Uint8Array(rows),
  retry: new Int32Array(rows)
})

/** One call as it stands in the table: reads and writes go to the columns. */
export class CallRow implements CallState {
  private readonly table: CallTable
  readonly row: number
  constructor(table: CallTable, row: number) {
    this.table = table
    this.row = row
  }
  get id(): string {
    return this.table.idOf(this.row)
  }
  get n(): number {
    return this.table.columns.n[this.row] ?? 0
  }
  set n(value: number) {
    this.table.columns.n[this.row] = value
  }
  get status(): CallStatus {
    return statuses[this.table.columns.status[this.row] ?? 0] ?? "scheduled"
  }
  set status(value: CallStatus) {
    this.table.columns.status[this.row] = statuses.indexOf(value)
  }
  get rank(): number {
    return this.table.columns.rank[this.row] ?? none
  }
  get offset(): number {
    return this.table.columns.offset[this.row] ?? 0
  }
  get length(): number {
    return this.table.columns.length[this.row] ?? 0
  }
  get failed(): boolean {
    return this.table.columns.failed[this.row] === 1
  }
  set failed(value: boolean) {
    this.table.columns.failed[this.row] = value ? 1 : 0
  }
  get model(): boolean {
    return this.table.columns.model[this.row] === 1
  }
  set model(value: boolean) {
    this.table.columns.model[this.row] = value ? 1 : 0
  }
  get retry(): number {
    return this.table.columns.retry[this.row] ?? 0
  }
  set retry(value: number) {
    this.table.columns.retry[this.row] = value
  }
  /** Gives it the next rank, and says where its answer stands. */
  complete(offset: number, length: number): void {
    this.table.columns.offset[this.row] = offset
    this.table.columns.length[this.row] = length
    this.table.columns.rank[this.row] = this.table.rankNext(this.row)
  }
  /** Takes its rank away; the rank stays empty. */
  uncomplete(): void {
    this.table.rankDrop(this.rank)
    this.table.columns.rank[this.row] = none
  }
}

export class CallTable implements KnownCalls {
  size = 0
  columns = columns(64)
  private keys = Buffer.alloc(64 * keyBytes)
  /** Open addressing: a row, or none. Never more than half full. */
  private slots = new Int32Array(128).fill(none)
  private ranks = new Int32Array(64)
  private ranked = 0
  /** Ids whose key is not a cache key: those are told apart by their hash, and must be kept to be named. */
  private readonly odd = new Map<number, string>()

  /** The key that `locate` was asked for, if it is no cache key. */
  private located: string | undefined

  get(id: string): CallRow | undefined {
    const cut = id.lastIndexOf("#")
    return this.find({ key: id.slice(0, cut), occurrence: Number(id.slice(cut + 1)) })
  }

  find(ref: CallRef): CallRow | undefined {
    const slot = this.locate(ref)
    const row = this.slots[slot] ?? none
    return row === none ? undefined : new CallRow(this, row)
  }

  /** The call, which is made if it is not there yet. */
  findOrAdd(ref: CallRef): { readonly call: CallRow; readonly added: boolean } {
    const slot = this.locate(ref)
    const row = this.slots[slot] ?? none
    if (row !== none) return { call: new CallRow(this, row), added: false }
    const made = this.size++
    // `locate` has left the key in the first free row.
    this.columns.occurrence[made] = ref.occurrence
    this.slots[slot] = made
    if (this.located !== undefined) this.odd.set(made, this.located)
    if (this.size * 2 > this.slots.length || (this.size + 1) * keyBytes > this.keys.length) this.grow()
    return { call: new CallRow(this, made), added: true }
  }

  *values(): IterableIterator<CallRow> {
    for (let row = 0; row < this.size; row++) yield new CallRow(this, row)
  }

  /** Calls with an answer, by rank. */
  get completed(): Completed {
    return {
      length: this.ranked,
      at: (rank) => {
        const row = rank < this.ranked ? this.ranks[rank] : undefined
        return row === undefined || row === none ? undefined : new CallRow(this, row)
      }
    }
  }

  idOf(row: number): string {
    const key = this.odd.get(row) ?? this.keys.toString("hex", row * keyBytes, (row + 1) * keyBytes)
    return `${key}#${this.columns.occurrence[row]}`
  }

  rankNext(row: number): number {
    if (this.ranked === this.ranks.length) {
      const larger = new Int32Array(this.ranks.length * 2)
      larger.set(this.ranks)
      this.ranks = larger
    }
    this.ranks[this.ranked] = row
    return this.ranked++
  }

  rankDrop(rank: number): void {
    this.ranks[rank] = none
  }

  /** Where the call is, or the empty slot where it would be. Writes the key into the first free row to compare. */
  private locate({ key, occurrence }: CallRef): number {
    const { keys } = this
    const at = this.size * keyBytes
    const odd = writeKey(key, keys, at) ? undefined : key
    this.located = odd
    if (odd !== undefined) writeKey(sha256(odd), keys, at)
    const mask = this.slots.length - 1
    for (let slot = this.hashOf(at, occurrence) & mask; ; slot = (slot + 1) & mask) {
      const row = this.slots[slot] ?? none
      if (row === none) return slot
      if (
        this.columns.occurrence[row] === occurrence &&
        sameKey(keys, row * keyBytes, at) &&
        this.odd.get(row) === odd
      ) {
        return slot
      }
    }
  }

  private hashOf(at: number, occurrence: number): number {
    return (this.keys.readInt32LE(at) ^ Math.imul(occurrence, 0x9e3779b1)) >>> 0
  }

  private grow(): void {
    const rows = (this.keys.length / keyBytes) * 2
    const keys = Buffer.alloc(rows * keyBytes)
    keys.set(this.keys)
    this.keys = keys
    // Every column there is: made by one function, so that they stand in one order.
    const before = Object.values(this.columns)
    this.columns = columns(rows)
    for (const [index, column] of Object.values(this.columns).entries()) column.set(before[index] ?? [])
    this.slots = new Int32Array(rows * 2).fill(none)
    const mask = this.slots.length - 1
    for (let row = 0; row < this.size; row++) {
      let slot = this.hashOf(row * keyBytes, this.columns.occurrence[row] ?? 0) & mask
      while (this.slots[slot] !== none) slot = (slot + 1) & mask
      this.slots[slot] = row
    }
  }
}
