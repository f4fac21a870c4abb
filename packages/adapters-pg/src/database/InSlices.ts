import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Measures how long work has held the event loop, so that other work has its turn in between. */
export class Slice {
  #began = performance.now()

  /** Whether other work should have its turn. */
  get isOver(): boolean {
    return performance.now() - this.#began > sliceMs
  }

  /** Lets other work have its turn. */
  readonly end: Effect.Effect<void> = Effect.map(Effect.yieldNow, () => {
    this.#began = performance.now()
  })
}

/** Does something with each item, and lets other work have its turn in between. */
export const forEachInSlices = <A, E>(
  items: ReadonlyArray<A>,
  act: (item: A, index: number) => Result.Result<unknown, E>,
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    const slice = new Slice()
    for (const [index, item] of items.entries()) {
      if (slice.isOver) yield* slice.end
      const done = act(item, index)
      if (Result.isFailure(done)) return yield* Effect.fail(done.failure)
    }
  })

/**
 * In milliseconds; one item more may take about 4: to pack an hour of an SLO with 100 objectives does. A turn of the event loop can have
 * one slice of what was just read, and one of other work.
 */
const sliceMs = 5
