// Types of rounds.mjs, for the peers that are written in TypeScript.
export interface Peer {
  /** Makes `count` calls, `inFlight` at once. Milliseconds of the calls alone. */
  readonly calls: (dir: string, count: number, inFlight: number) => Promise<number>
  /** Makes a run of `count` calls that dies after the last; milliseconds until it is there again. */
  readonly resume: (dir: string, count: number) => Promise<number>
}
export const text: string
export const pool: (count: number, inFlight: number, task: (n: number) => Promise<unknown>) => Promise<void>
export const rounds: (peer: Peer, args: ReadonlyArray<string>) => Promise<void>
