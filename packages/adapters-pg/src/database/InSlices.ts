import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Does something with each item, and lets other work have its turn after each so many. */
export const forEachInSlices = <A, E>(
  items: ReadonlyArray<A>,
  atOnce: number,
  act: (item: A, index: number) => Result.Result<unknown, E>,
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % atOnce === 0) yield* Effect.yieldNow
      const done = act(item, index)
      if (Result.isFailure(done)) return yield* Effect.fail(done.failure)
    }
  })
