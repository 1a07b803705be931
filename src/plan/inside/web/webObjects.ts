// webObjects: AbortController, AbortSignal, DOMException and structuredClone, made inside the plan's context. Nothing
// here fires by itself, save an npm package's timeout: a signal is aborted when the plan aborts it. Evaluated inside
// the plan's context: see intrinsics.ts.
import type { Forbid } from "../forbid.ts"
import type { Intrinsics } from "../intrinsics.ts"
import type { PackageGlobals } from "../packages/packageGlobals.ts"

export const webObjects = (
  own: Intrinsics,
  { reach, advice }: Forbid,
  { EventTarget, after, isCalling }: PackageGlobals
): void => {
  const { put, ownKeys, read, member, isArray, tagOf, slice, text, TypeError: OwnTypeError } = own
  const { mapGet, mapSet, mapHas } = own
  const OwnError = own.Error
  const OwnDate = Date
  const OwnRegExp = RegExp
  const OwnMap = Map
  const OwnSet = Set
  const Buffers = ArrayBuffer
  const View = DataView
  const { isView } = ArrayBuffer
  const errors = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]

  class DOMException extends OwnError {
    readonly code: number
    constructor(message: unknown = "", name: unknown = "Error") {
      super(text(message))
      put(this, "name", text(name), false)
      this.code =
        name === "AbortError" ? 20 : name === "TimeoutError" ? 23 : name === "DataCloneError" ? 25 : 0
    }
  }

  type Listener = ((event: object) => unknown) | { handleEvent: (event: object) => unknown }
  interface Registered {
    readonly listener: Listener
    readonly once: boolean
  }

  const secret = {}

  class AbortSignal extends EventTarget {
    #aborted = false
    #reason: unknown = undefined
    #listeners: Array<Registered> = []
    onabort: ((event: object) => unknown) | null = null
    constructor(key: unknown) {
      super()
      if (key !== secret) throw new OwnTypeError("Illegal constructor")
    }
    get aborted(): boolean {
      return this.#aborted
    }
    get reason(): unknown {
      return this.#reason
    }
    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason
    }
    override addEventListener(type: unknown, listener: Listener | null | undefined, options?: unknown): void {
      if (type !== "abort" || listener === null || listener === undefined) return
      const kept: Array<Registered> = []
      for (let index = 0; index < this.#listeners.length; index++) {
        const entry = this.#listeners[index]
        if (entry?.listener === listener) return
        put(kept, index, entry)
      }
      put(kept, kept.length, { listener, once: member(options, "once") === true })
      this.#listeners = kept
    }
    override removeEventListener(type: unknown, listener: unknown): void {
      if (type !== "abort") return
      const kept: Array<Registered> = []
      for (let index = 0; index < this.#listeners.length; index++) {
        const entry = this.#listeners[index]
        if (entry !== undefined && entry.listener !== listener) put(kept, kept.length, entry)
      }
      this.#listeners = kept
    }
    override dispatchEvent(): boolean {
      return true
    }
    static abort(reason?: unknown): AbortSignal {
      const controller = new AbortController()
      controller.abort(reason)
      return controller.signal
    }
    static any(signals: ReadonlyArray<AbortSignal>): AbortSignal {
      const controller = new AbortController()
      for (let index = 0; index < signals.length; index++) {
        const signal = signals[index]
        if (signal?.aborted === true) {
          controller.abort(signal.reason)
          break
        }
        signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true })
      }
      return controller.signal
    }
    static timeout(ms: unknown): AbortSignal {
      if (!isCalling()) reach("AbortSignal.timeout()", advice.timer)
      const controller = new AbortController()
      after(typeof ms === "number" && ms > 0 ? ms : 0, () =>
        controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"))
      )
      return controller.signal
    }
    static fire(key: unknown, signal: AbortSignal, reason: unknown): void {
      if (key !== secret || signal.#aborted) return
      signal.#aborted = true
      signal.#reason =
        reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason
      const event = { type: "abort", target: signal, currentTarget: signal }
      const listeners = signal.#listeners
      signal.#listeners = []
      if (typeof signal.onabort === "function") signal.onabort(event)
      for (let index = 0; index < listeners.length; index++) {
        const entry = listeners[index]
        if (entry === undefined) continue
        if (!entry.once) put(signal.#listeners, signal.#listeners.length, entry)
        if (typeof entry.listener === "function") entry.listener(event)
        else entry.listener.handleEvent(event)
      }
    }
  }
  const { fire } = AbortSignal
  Reflect.deleteProperty(AbortSignal, "fire")

  class AbortController {
    readonly signal = new AbortSignal(secret)
    abort(reason?: unknown): void {
      fire(secret, this.signal, reason)
    }
  }

  const uncloneable = (what: string): never => {
    throw new DOMException(`${what} could not be cloned.`, "DataCloneError")
  }

  const cloneMembers = (from: object, to: object, seen: Map<unknown, unknown>): object => {
    const keys = ownKeys(from)
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]
      if (typeof key !== "string") continue
      if (own.getOwnPropertyDescriptor(from, key)?.enumerable !== true) continue
      put(to, key, clone(read(from, key), seen))
    }
    return to
  }

  const cloneBuffer = (buffer: ArrayBufferLike, seen: Map<unknown, unknown>): ArrayBuffer => {
    const known = mapGet(seen, buffer)
    if (known instanceof Buffers) return known
    if (!(buffer instanceof Buffers)) return uncloneable("This buffer")
    const copy = buffer.slice(0)
    mapSet(seen, buffer, copy)
    return copy
  }

  const cloneView = (view: ArrayBufferView, seen: Map<unknown, unknown>): object => {
    const buffer = cloneBuffer(view.buffer, seen)
    if (view instanceof View) return new View(buffer, view.byteOffset, view.byteLength)
    const constructor = member(own.global, slice(tagOf(view), 8, -1))
    if (typeof constructor !== "function") return uncloneable("This view")
    return own.construct(constructor, [buffer, view.byteOffset, member(view, "length")])
  }

  const cloneError = (error: Error): Error => {
    let Constructor: ErrorConstructor = OwnError
    for (let index = 0; index < errors.length; index++) {
      const candidate = errors[index]
      if (candidate !== undefined && error instanceof candidate && error.name === candidate.name)
        Constructor = candidate
    }
    return new Constructor(text(error.message))
  }

  const clone = (value: unknown, seen: Map<unknown, unknown>): unknown => {
    if (typeof value === "function" || typeof value === "symbol") return uncloneable(text(value))
    if (typeof value !== "object" || value === null) return value
    if (mapHas(seen, value)) return mapGet(seen, value)
    const keep = <T extends object>(copy: T): T => {
      mapSet(seen, value, copy)
      return copy
    }
    if (isArray(value)) {
      const copy = keep<Array<unknown>>([])
      copy.length = value.length
      return cloneMembers(value, copy, seen)
    }
    if (value instanceof OwnDate) return keep(new OwnDate(value.getTime()))
    if (value instanceof OwnRegExp) return keep(new OwnRegExp(value.source, value.flags))
    if (value instanceof Buffers) return cloneBuffer(value, seen)
    if (isView(value)) return keep(cloneView(value, seen))
    if (value instanceof OwnError) return keep(cloneError(value))
    if (value instanceof OwnMap) {
      const copy = keep(new OwnMap<unknown, unknown>())
      own.mapForEach(value, (item: unknown, key: unknown) =>
        mapSet(copy, clone(key, seen), clone(item, seen))
      )
      return copy
    }
    if (value instanceof OwnSet) {
      const copy = keep(new OwnSet<unknown>())
      for (const item of value) copy.add(clone(item, seen))
      return copy
    }
    const tag = slice(tagOf(value), 8, -1)
    if (tag === "Promise" || tag === "WeakMap" || tag === "WeakSet" || tag === "Generator") {
      return uncloneable(`#<${tag}>`)
    }
    return cloneMembers(value, keep({}), seen)
  }

  const structuredClone = (value: unknown): unknown => clone(value, new OwnMap<unknown, unknown>())

  for (const [name, value] of [
    ["AbortController", AbortController],
    ["AbortSignal", AbortSignal],
    ["DOMException", DOMException],
    ["structuredClone", structuredClone]
  ] as const) {
    put(own.global, name, value, false)
  }
}
