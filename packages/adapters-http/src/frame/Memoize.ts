/**
 * Runs `make` on first use, with what that passes, and shares its result; a rejection is not cached, so the next use tries
 * again.
 */
export const memoize = <A, Args extends ReadonlyArray<unknown>>(
  make: (...args: Args) => Promise<A>,
): ((...args: Args) => Promise<A>) => {
  let result: Promise<A> | undefined
  return (...args) =>
    (result ??= make(...args).catch((error: unknown) => {
      result = undefined
      throw error
    }))
}
