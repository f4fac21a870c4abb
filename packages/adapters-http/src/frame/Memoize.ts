/** Runs `make` on first use and shares its result; a rejection is not cached, so the next use tries again. */
export const memoize = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let result: Promise<A> | undefined
  return () =>
    (result ??= make().catch((error: unknown) => {
      result = undefined
      throw error
    }))
}
