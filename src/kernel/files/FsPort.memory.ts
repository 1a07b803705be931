// FsPort in memory, with faults on order: the nth step of a kind fails, a write is short, the machine dies after a
// step or a byte. It tells the written from the durable. Its composition is the live layer's.
import { Effect, Layer } from "effect"
import { defined } from "../../domain/defined.ts"
import { makeFsPort } from "./durableFs.ts"
import { FsError, FsPort, type FileStat, type FsOperation } from "./FsPort.ts"
import type { Descriptor, FsPrimitives, OpenMode } from "./FsPrimitives.ts"

/** What every step dies with once the machine is down: a defect, since a dead process sees no errors. */
export class SimulatedCrash extends Error {
  override readonly name = "SimulatedCrash"
}

/**
 * `process`: the process is killed, the kernel lives, everything written stays. `power`: only what was fsynced
 * stays, files and names alike.
 */
export type CrashKind = "process" | "power"

interface FileNode {
  readonly type: "file"
  bytes: Uint8Array
  size: number
  /** How much of it is on the disk. Cutting a file is taken to be durable at once. */
  synced: number
}
type Node = FileNode | { readonly type: "directory" } | { readonly type: "symlink"; readonly target: string }

/** One step that was asked for, in order. `bytes` of a write. */
export interface RecordedStep {
  readonly op: FsOperation
  readonly path: string
  readonly bytes?: number
}

const parentOf = (path: string): string => {
  const end = path.lastIndexOf("/")
  return end <= 0 ? "/" : path.slice(0, end)
}

const grown = (node: FileNode, needed: number): void => {
  if (node.bytes.length >= needed) return
  const larger = new Uint8Array(Math.max(needed, node.bytes.length * 2, 256))
  larger.set(node.bytes.subarray(0, node.size))
  node.bytes = larger
}

export class MemoryDisk {
  private readonly nodes: Map<string, Node>
  private readonly durable: Map<string, Node>
  private readonly openFiles = new Map<Descriptor, { readonly path: string; readonly node: FileNode }>()
  private readonly faults: Array<{ op: FsOperation; nth: number; code: string }> = []
  private readonly shorts = new Map<number, number>()
  private readonly counts = new Map<FsOperation, number>()
  private readonly recorded: Array<RecordedStep> = []
  private written = 0
  private steps = 0
  private dieAfterStep = Infinity
  private dieAfterByte = Infinity
  private capacity = Infinity
  private readOnly = false
  private dead = false
  private descriptors = 0
  private names = 0

  private constructor(nodes: Map<string, Node>) {
    this.nodes = nodes
    this.durable = new Map(nodes)
  }

  static make(): MemoryDisk {
    return new MemoryDisk(new Map<string, Node>([["/", { type: "directory" }]]))
  }

  /** The nth step of that kind from now (counting from 1) fails with that errno; so does every later one if asked. */
  fail(op: FsOperation, nth: number, code: string, options: { readonly always?: boolean } = {}): this {
    const from = (this.counts.get(op) ?? 0) + nth
    if (options.always === true) {
      for (let n = from; n < from + 1000; n++) this.faults.push({ op, nth: n, code })
    } else this.faults.push({ op, nth: from, code })
    return this
  }

  /** The nth write from now takes only that many bytes and reports no error. */
  shortWrite(nth: number, bytes: number): this {
    this.shorts.set((this.counts.get("write") ?? 0) + nth, bytes)
    return this
  }

  /** The machine dies when `n` more steps were done. */
  crashAfterStep(n: number): this {
    this.dieAfterStep = this.steps + n
    return this
  }

  /** The machine dies when `n` more bytes were written, in the middle of a write where it so falls. */
  crashAfterByte(n: number): this {
    this.dieAfterByte = this.written + n
    return this
  }

  /** A disk of that many bytes: what does not fit is `ENOSPC`, after the part that did. */
  limit(bytes: number): this {
    this.capacity = bytes
    return this
  }

  /** Every step that would change something is `EROFS`. */
  protect(on = true): this {
    this.readOnly = on
    return this
  }

  /** What the next process finds. The old one's handles are of no use to it. */
  afterCrash(kind: CrashKind): MemoryDisk {
    const source = kind === "process" ? this.nodes : this.durable
    const nodes = new Map<string, Node>()
    // Parents come before what is in them, and what has lost its parent is not to be reached.
    for (const [path, node] of [...source].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (path !== "/" && !nodes.has(parentOf(path))) continue
      if (node.type !== "file") nodes.set(path, node)
      else {
        const size = kind === "process" ? node.size : node.synced
        nodes.set(path, { type: "file", bytes: node.bytes.slice(0, size), size, synced: size })
      }
    }
    return new MemoryDisk(nodes)
  }

  get crashed(): boolean {
    return this.dead
  }

  /** Steps done so far. */
  get stepCount(): number {
    return this.steps
  }

  /** Bytes written so far. */
  get byteCount(): number {
    return this.written
  }

  /** Every step asked for so far that changes or opens something. */
  get log(): ReadonlyArray<RecordedStep> {
    return this.recorded
  }

  /** Content of a file, or undefined. */
  read(path: string): Uint8Array | undefined {
    const node = this.nodes.get(path)
    return node?.type === "file" ? node.bytes.slice(0, node.size) : undefined
  }

  /** Puts a file there, durably, as another program might. */
  write(path: string, content: Uint8Array | string): this {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice()
    this.put(path, { type: "file", bytes, size: bytes.length, synced: bytes.length })
    return this
  }

  symlink(path: string, target: string): this {
    this.put(path, { type: "symlink", target })
    return this
  }

  delete(path: string): this {
    for (const name of this.nodes.keys()) {
      if (name === path || name.startsWith(`${path}/`)) {
        this.nodes.delete(name)
        this.durable.delete(name)
      }
    }
    return this
  }

  /** Paths of all files, sorted. */
  get files(): ReadonlyArray<string> {
    return [...this.nodes]
      .filter(([, node]) => node.type === "file")
      .map(([path]) => path)
      .sort()
  }

  get layer(): Layer.Layer<FsPort> {
    return Layer.sync(FsPort, () => makeFsPort(this.primitives))
  }

  private put(path: string, node: Node): void {
    for (let at = parentOf(path); !this.nodes.has(at); at = parentOf(at)) {
      this.nodes.set(at, { type: "directory" })
      this.durable.set(at, { type: "directory" })
    }
    this.nodes.set(path, node)
    this.durable.set(path, node)
  }

  private static readonly changing: ReadonlySet<FsOperation> = new Set<FsOperation>([
    "write",
    "rename",
    "unlink",
    "mkdir",
    "truncate",
    "link"
  ])

  /** Every step goes through here: it is counted, may be made to fail, and may be the machine's last. */
  private step<A>(
    op: FsOperation,
    path: string,
    run: (fail: (code: string) => FsError) => A | FsError,
    options: { readonly changes?: boolean; readonly bytes?: number } = {}
  ): Effect.Effect<A, FsError> {
    return Effect.suspend(() => {
      if (this.dead) return Effect.die(new SimulatedCrash("the machine is down"))
      if (this.steps >= this.dieAfterStep) {
        this.dead = true
        return Effect.die(new SimulatedCrash(`the machine died before ${op} of ${path}`))
      }
      this.steps++
      const nth = (this.counts.get(op) ?? 0) + 1
      this.counts.set(op, nth)
      const fail = (code: string) => new FsError({ op, path, code })
      this.recorded.push({ op, path, ...defined({ bytes: options.bytes }) })
      const fault = this.faults.find((f) => f.op === op && f.nth === nth)
      if (fault !== undefined) return Effect.fail(fail(fault.code))
      if (this.readOnly && (options.changes ?? MemoryDisk.changing.has(op))) return Effect.fail(fail("EROFS"))
      const outcome = run(fail)
      return outcome instanceof FsError ? Effect.fail(outcome) : Effect.succeed(outcome)
    })
  }

  private held(descriptor: Descriptor) {
    const file = this.openFiles.get(descriptor)
    if (file === undefined) throw new Error(`descriptor ${descriptor} is not open`)
    return file
  }

  private sync(descriptor: Descriptor): Effect.Effect<void, FsError> {
    const { node, path } = this.held(descriptor)
    return this.step("fsync", path, () => void (node.synced = node.size))
  }

  private openNode(path: string, mode: OpenMode, fail: (code: string) => FsError): FileNode | FsError {
    const node = this.nodes.get(path)
    if (node?.type === "symlink") return fail("ELOOP")
    if (node?.type === "directory") return fail("EISDIR")
    if (node !== undefined) return mode === "create" ? fail("EEXIST") : node
    if (mode === "read") return fail("ENOENT")
    const parent = this.nodes.get(parentOf(path))
    if (parent === undefined) return fail("ENOENT")
    if (parent.type !== "directory") return fail("ENOTDIR")
    if (this.readOnly) return fail("EROFS")
    const made: FileNode = { type: "file", bytes: new Uint8Array(0), size: 0, synced: 0 }
    this.nodes.set(path, made)
    return made
  }

  private take(node: FileNode, bytes: Uint8Array, fail: (code: string) => FsError): number | FsError {
    const limit = this.shorts.get(this.counts.get("write") ?? 0) ?? bytes.length
    const room = Math.max(0, this.capacity - this.used())
    const length = Math.min(bytes.length, limit, room, this.dieAfterByte - this.written)
    grown(node, node.size + length)
    node.bytes.set(bytes.subarray(0, length), node.size)
    node.size += length
    this.written += length
    if (this.written >= this.dieAfterByte) {
      this.dead = true
      throw new SimulatedCrash("the machine died in a write")
    }
    return length === 0 && bytes.length > 0 && room === 0 ? fail("ENOSPC") : length
  }

  private used(): number {
    let total = 0
    if (this.capacity === Infinity) return total
    for (const node of new Set(this.nodes.values())) if (node.type === "file") total += node.size
    return total
  }

  private move(from: string, to: string, fail: (code: string) => FsError): FsError | undefined {
    const node = this.nodes.get(from)
    if (node === undefined) return fail("ENOENT")
    if (this.nodes.get(to)?.type === "directory" && node.type !== "directory") return fail("EISDIR")
    if (to.startsWith(`${from}/`)) return fail("EINVAL")
    for (const [path, inner] of this.nodes) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      this.nodes.delete(path)
      this.nodes.set(`${to}${path.slice(from.length)}`, inner)
    }
    return undefined
  }

  private get primitives(): FsPrimitives {
    const fsyncDirectory = (path: string) =>
      this.step("fsync_directory", path, (fail) => {
        if (!this.nodes.has(path)) return fail("ENOENT")
        const names = new Set([...this.nodes.keys(), ...this.durable.keys()])
        for (const name of names) {
          if (name === "/" || parentOf(name) !== path) continue
          const node = this.nodes.get(name)
          if (node === undefined) this.durable.delete(name)
          else this.durable.set(name, node)
        }
        return undefined
      })

    return {
      open: (path, mode) =>
        this.step("open", path, (fail) => {
          const node = this.openNode(path, mode, fail)
          if (node instanceof FsError) return node
          if (mode !== "read" && this.readOnly) return fail("EROFS")
          this.openFiles.set(++this.descriptors, { path, node })
          return this.descriptors
        }),
      close: (descriptor) => Effect.sync(() => void this.openFiles.delete(descriptor)),
      size: (descriptor) => Effect.sync(() => this.held(descriptor).node.size),
      read: (descriptor, offset, into) =>
        Effect.suspend(() => {
          const { node, path } = this.held(descriptor)
          return this.step("read", path, () => {
            const bytes = node.bytes.subarray(offset, Math.min(node.size, offset + into.length))
            into.set(bytes)
            return bytes.length
          })
        }),
      write: (descriptor, bytes) =>
        Effect.suspend(() => {
          const { node, path } = this.held(descriptor)
          return this.step("write", path, (fail) => this.take(node, bytes, fail), { bytes: bytes.length })
        }),
      fsync: (descriptor) => Effect.suspend(() => this.sync(descriptor)),
      fsyncNow: (descriptor) => Effect.suspend(() => this.sync(descriptor)),
      truncate: (descriptor, size) =>
        Effect.suspend(() => {
          const { node, path } = this.held(descriptor)
          return this.step("truncate", path, () => {
            grown(node, size)
            if (size > node.size) node.bytes.fill(0, node.size, size)
            node.size = size
            node.synced = Math.min(node.synced, size)
          })
        }),
      rename: (from, to) => this.step("rename", to, (fail) => this.move(from, to, fail)),
      link: (existing, name) =>
        this.step("link", name, (fail) => {
          const node = this.nodes.get(existing)
          if (node === undefined) return fail("ENOENT")
          if (this.nodes.has(name)) return fail("EEXIST")
          this.nodes.set(name, node)
          return undefined
        }),
      unlink: (path) =>
        this.step("unlink", path, (fail) => {
          const node = this.nodes.get(path)
          if (node === undefined) return fail("ENOENT")
          if (node.type === "directory") return fail("EPERM")
          this.nodes.delete(path)
          return undefined
        }),
      mkdir: (path) =>
        this.step("mkdir", path, (fail) => {
          if (this.nodes.has(path)) return fail("EEXIST")
          const parent = this.nodes.get(parentOf(path))
          if (parent === undefined) return fail("ENOENT")
          if (parent.type !== "directory") return fail("ENOTDIR")
          this.nodes.set(path, { type: "directory" })
          return undefined
        }),
      rmdir: (path) =>
        this.step("unlink", path, (fail) => {
          for (const name of this.nodes.keys()) if (name.startsWith(`${path}/`)) return fail("ENOTEMPTY")
          return this.nodes.delete(path) ? undefined : fail("ENOENT")
        }),
      list: (path) =>
        this.step("list", path, (fail) => {
          const node = this.nodes.get(path)
          if (node === undefined) return fail("ENOENT")
          if (node.type !== "directory") return fail("ENOTDIR")
          const under = path === "/" ? "/" : `${path}/`
          return [...this.nodes.keys()]
            .filter((name) => name !== "/" && parentOf(name) === path)
            .map((name) => name.slice(under.length))
        }),
      stat: (path) => this.step("stat", path, () => this.statOf(path)),
      freeBytes: (path) => this.step("stat", path, () => Math.max(0, this.capacity - this.used())),
      fsyncDirectory,
      pause: () => Effect.void,
      uniqueName: () => String(++this.names)
    }
  }

  private statOf(path: string): FileStat | undefined {
    const node = this.nodes.get(path)
    return node === undefined
      ? undefined
      : { type: node.type, size: node.type === "file" ? node.size : 0, mtimeMs: 0 }
  }
}
