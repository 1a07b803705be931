// eventObjects: EventTarget, Event and CustomEvent, as npm packages use them between their own parts. A listener that
// throws hinders no other: what it threw is a rejection that nobody looks at. Evaluated inside the plan's context: see
// ../intrinsics.ts.
import type { Intrinsics } from "../intrinsics.ts"

/** `stamp` is the time at which an event is made. */
export const eventObjects = (own: Intrinsics, stamp: () => number) => {
  const { apply, isArray, mapGet, mapSet, member, put, text } = own
  const OwnPromise = own.Promise
  const reject = OwnPromise.reject

  type Listener = ((event: unknown) => unknown) | { readonly handleEvent: (event: unknown) => unknown }
  interface Registered {
    readonly listener: Listener
    readonly once: boolean
    removed: boolean
  }

  class Event {
    readonly type: string
    readonly bubbles: boolean
    readonly cancelable: boolean
    readonly composed: boolean
    readonly timeStamp: number = stamp()
    readonly isTrusted = false
    target: unknown = null
    currentTarget: unknown = null
    eventPhase = 0
    defaultPrevented = false
    #stopped = false
    constructor(type: unknown, options?: unknown) {
      this.type = text(type)
      this.bubbles = member(options, "bubbles") === true
      this.cancelable = member(options, "cancelable") === true
      this.composed = member(options, "composed") === true
    }
    get srcElement(): unknown {
      return this.target
    }
    composedPath(): Array<unknown> {
      return this.currentTarget === null ? [] : [this.currentTarget]
    }
    preventDefault(): void {
      if (this.cancelable) this.defaultPrevented = true
    }
    stopPropagation(): void {}
    stopImmediatePropagation(): void {
      this.#stopped = true
    }
    static isStopped(event: unknown): boolean {
      return typeof event === "object" && event !== null && #stopped in event && event.#stopped
    }
  }
  const { isStopped } = Event
  Reflect.deleteProperty(Event, "isStopped")

  class CustomEvent extends Event {
    readonly detail: unknown
    constructor(type: unknown, options?: unknown) {
      super(type, options)
      this.detail = member(options, "detail") ?? null
    }
  }

  class EventTarget {
    readonly #listeners = new own.Map<string, Array<Registered>>()
    addEventListener(type: unknown, listener: Listener | null | undefined, options?: unknown): void {
      if (listener === null || listener === undefined) return
      const signal = member(options, "signal")
      if (member(signal, "aborted") === true) return
      const name = text(type)
      const known = mapGet(this.#listeners, name) ?? []
      const kept: Array<Registered> = []
      for (let index = 0; index < known.length; index++) {
        const entry = known[index]
        if (entry?.listener === listener) return
        put(kept, index, entry)
      }
      put(kept, kept.length, { listener, once: member(options, "once") === true, removed: false })
      mapSet(this.#listeners, name, kept)
      const listen = member(signal, "addEventListener")
      if (typeof listen === "function")
        apply(listen, signal, ["abort", () => this.removeEventListener(type, listener), { once: true }])
    }
    removeEventListener(type: unknown, listener: unknown): void {
      const known = mapGet(this.#listeners, text(type))
      if (!isArray(known)) return
      const kept: Array<Registered> = []
      for (let index = 0; index < known.length; index++) {
        const entry = known[index]
        if (entry === undefined) continue
        if (entry.listener === listener) entry.removed = true
        else put(kept, kept.length, entry)
      }
      mapSet(this.#listeners, text(type), kept)
    }
    dispatchEvent(event: unknown): boolean {
      const type = text(member(event, "type"))
      const known = mapGet(this.#listeners, type) ?? []
      if (event instanceof Event) event.target = event.currentTarget = this
      for (let index = 0; index < known.length && !isStopped(event); index++) {
        const entry = known[index]
        if (entry === undefined || entry.removed) continue
        if (entry.once) this.removeEventListener(type, entry.listener)
        try {
          if (typeof entry.listener === "function") apply(entry.listener, this, [event])
          else entry.listener.handleEvent(event)
        } catch (error) {
          void apply(reject, OwnPromise, [error])
        }
      }
      if (event instanceof Event) event.currentTarget = null
      return member(event, "defaultPrevented") !== true
    }
  }

  return { EventTarget, Event, CustomEvent }
}
