/** Gives what `make` makes, made when it is first asked for; where that fails, it is made anew the next time. */
export const madeOnce = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}
