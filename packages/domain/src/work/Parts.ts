import * as Effect from "effect/Effect"

/** Work that is done bit by bit: it yields where other work may be done in between, at least every millisecond or so. */
export type Parts<A> = Generator<undefined, A, undefined>

/** Does work in parts: wherever it yields, so does the fiber (`workFor`), and can be interrupted. What it throws is a defect. */
export const inParts = <A>(start: () => Parts<A>): Effect.Effect<A> =>
  Effect.suspend(() => continued(start()))

const continued = <A>(parts: Parts<A>): Effect.Effect<A> => {
  const next: Effect.Effect<A> = Effect.suspend(() => {
    const part = parts.next()
    return part.done === true ? Effect.succeed(part.value) : Effect.andThen(Effect.yieldNow, next)
  })
  return next
}

/** Does work in parts without a pause between them. */
export const atOnce = <A>(parts: Parts<A>): A => {
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}
