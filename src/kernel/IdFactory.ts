// IdFactory: where ids come from. The engine never calls a global generator.
import { Clock, Context, Effect, Layer, Random, Ref } from "effect"

export class IdFactory extends Context.Service<
  IdFactory,
  {
    /** A new id that starts with `kind` and a dash. */
    readonly next: (kind: string) => Effect.Effect<string>
  }
>()("alembic/kernel/IdFactory") {
  /** q-1, q-2, …: one count for each kind. For tests and hermetic runs. */
  static readonly layerCounter = Layer.effect(
    IdFactory,
    Effect.gen(function* () {
      const counts = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
      const next = (kind: string) =>
        Ref.modify(counts, (seen) => {
          const n = (seen.get(kind) ?? 0) + 1
          return [`${kind}-${n}`, new Map(seen).set(kind, n)]
        })
      return IdFactory.of({ next })
    })
  )

  /**
   * Sortable and unique across processes: milliseconds (never going back), a count, and 48 random bits, in base 36
   * of fixed width. Time and randomness are Effect's `Clock` and `Random`.
   */
  static readonly layerMonotonic = Layer.effect(
    IdFactory,
    Effect.gen(function* () {
      const last = yield* Ref.make({ at: 0, count: 0 })
      const base36 = (n: number, width: number) => n.toString(36).padStart(width, "0")
      const next = Effect.fnUntraced(function* (kind: string) {
        const now = yield* Clock.currentTimeMillis
        const { at, count } = yield* Ref.updateAndGet(last, (seen) =>
          now > seen.at ? { at: now, count: 0 } : { at: seen.at, count: seen.count + 1 }
        )
        const salt = yield* Random.nextIntBetween(0, 36 ** 6 - 1)
        const more = yield* Random.nextIntBetween(0, 36 ** 4 - 1)
        return `${kind}-${base36(at, 9)}${base36(count, 4)}${base36(salt, 6)}${base36(more, 4)}`
      })
      return IdFactory.of({ next })
    })
  )
}
