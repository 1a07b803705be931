// Result: the value-or-error of plain-TypeScript boundaries, for callers who do not use Effect. Inside Alembic,
// Effect's own Result and typed errors are used; this is what leaves the house.
import { Cause, Effect, Exit } from "effect"

export type Result<T, E = Error> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })
export const isOk = <T, E>(self: Result<T, E>): self is { readonly ok: true; readonly value: T } => self.ok
export const isErr = <T, E>(self: Result<T, E>): self is { readonly ok: false; readonly error: E } => !self.ok
export const mapResult = <T, U, E>(self: Result<T, E>, f: (value: T) => U): Result<U, E> =>
  self.ok ? ok(f(self.value)) : self

const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** Runs `f`; what it throws becomes the error. */
export const tryCatch = <T>(f: () => T): Result<T> => {
  try {
    return ok(f())
  } catch (cause) {
    return err(toError(cause))
  }
}

/** Awaits `f`; a throw or a rejection becomes the error. The promise never rejects. */
export const tryCatchAsync = <T>(f: () => Promise<T>): Promise<Result<T>> =>
  new Promise<T>((resolve) => resolve(f())).then(ok, (cause: unknown) => err(toError(cause)))

/** An Effect as a value: success and typed failure; defects and interruption stay what they are. */
export const fromEffect = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Result<A, E>, never, R> =>
  Effect.match(self, { onSuccess: (value): Result<A, E> => ok(value), onFailure: (error) => err(error) })

/** A value as an Effect. */
export const toEffect = <T, E>(self: Result<T, E>): Effect.Effect<T, E> =>
  self.ok ? Effect.succeed(self.value) : Effect.fail(self.error)

/** An Exit as a value, whatever it holds. */
export const fromExit = <A, E>(exit: Exit.Exit<A, E>): Result<A, unknown> =>
  Exit.isSuccess(exit) ? ok(exit.value) : err(Cause.squash(exit.cause))
