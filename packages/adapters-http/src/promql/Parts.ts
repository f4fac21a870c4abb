import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { QueryFailed } from "./QueryErrors.ts"

/** Most values and samples that all parts of one query go through. */
export const evaluatedValuesMax = 20_000_000

/** Values that a query goes through before other requests take their turn, some 10 ms; they count as one unit of costly reads. */
export const valuesPerUnit = 250_000

/** Values that comparing or changing the labels of a series counts as, by the time that it takes. */
export const labelsValues = 100

/** Work that is done bit by bit: it yields when other requests are to take their turn. May throw `QueryFailed`. */
export type Parts<A> = Generator<undefined, A, undefined>

/** Counts the values that are gone through; fails with `QueryFailed`, which is thrown within parts only. */
export class Work {
  #left = evaluatedValuesMax
  #leftInPart = valuesPerUnit

  /** Counts values before they are gone through. Whether other requests are to take their turn: the caller yields then. */
  spend(values: number): boolean {
    this.#left -= values
    this.#leftInPart -= values
    if (this.#left < 0) {
      throw new QueryFailed({
        detail: `query processing would load too many samples: it may go through ${evaluatedValuesMax} in all; select fewer series, a shorter range or a longer step`,
      })
    }
    return this.#leftInPart <= 0
  }

  startPart(): void {
    this.#leftInPart = valuesPerUnit
  }
}

/** Does work with a pause after each part, in which it can also be interrupted. */
export const inParts = Effect.fnUntraced(function* <A, E, R>(
  partsOf: (work: Work) => Parts<A>,
  pause: Effect.Effect<unknown, E, R>,
) {
  const work = new Work()
  const parts = partsOf(work)
  for (;;) {
    const part = yield* Effect.fromResult(orFailed(() => parts.next()))
    if (part.done === true) return part.value
    yield* pause
    work.startPart()
  }
})

const orFailed = <A>(run: () => A): Result.Result<A, QueryFailed> => {
  try {
    return Result.succeed(run())
  } catch (cause) {
    if (cause instanceof QueryFailed) return Result.fail(cause)
    throw cause
  }
}
