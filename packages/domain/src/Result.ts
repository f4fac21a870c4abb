import * as Effect from "effect/Effect"

/**
 * What a pure function that can refuse returns: a value, or the reason there is none.
 *
 * A plain discriminated union, so that code outside Effect reads it too, and so that nothing of the public
 * surface depends on a data type that the next major version of Effect renames (decision 0003).
 */
export type Result<A, E> =
  { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** The value of a function that succeeded. */
export const ok = <A>(value: A): Result<A, never> => ({ ok: true, value })

/** The reason of a function that refused. */
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/** Lifts a result into an effect that succeeds with its value or fails with its reason. */
export const resultToEffect = <A, E>(result: Result<A, E>): Effect.Effect<A, E> =>
  result.ok ? Effect.succeed(result.value) : Effect.fail(result.error)
