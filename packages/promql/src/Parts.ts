import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { QueryFailed } from "./QueryErrors.ts"

/** Most values and samples that one query goes through, in planning, evaluation and writing together. */
export const evaluatedValuesMax = 30_000_000

/** Values that a query goes through which count as one unit of costly reads, some 10 ms. */
export const valuesPerUnit = 250_000

/** Values that a query goes through in one part. */
const valuesAtOnce = 25_000

/** Values that comparing or changing the labels of a series counts as, by the time that it takes. */
export const labelsValues = 100

/** Work in parts: it yields where other work may be done in between. It may throw `QueryFailed`. */
export type Parts<A> = Generator<undefined, A, undefined>

/** Counts the values that are gone through; fails with `QueryFailed`, which is thrown within parts only. */
export class Work {
  #left = evaluatedValuesMax
  #uncharged = 0
  #ofPart = 0

  /** Counts values before they are gone through. Whether other requests are to take their turn: the caller yields then. */
  spend(values: number): boolean {
    this.#left -= values
    if (this.#left < 0) {
      throw new QueryFailed({
        detail: `query processing would load too many samples: it may go through ${evaluatedValuesMax} in all; select fewer series, a shorter range or a longer step`,
      })
    }
    return this.charge(values)
  }

  /** As `spend`, for work that has a limit of its own. */
  charge(values: number): boolean {
    this.#uncharged += values
    this.#ofPart += values
    return this.#ofPart >= valuesAtOnce
  }

  /** The whole units of what was counted since the last call. */
  takeUnits(): number {
    const units = Math.floor(this.#uncharged / valuesPerUnit)
    this.#uncharged -= units * valuesPerUnit
    this.#ofPart = 0
    return units
  }
}

/** Does a step of a query in parts. */
export type InParts<E, R> = <A>(partsOf: (work: Work) => Parts<A>) => Effect.Effect<A, QueryFailed | E, R>

/**
 * Does the steps of one query in parts, whose values count together. After each part there is a pause for the units of the work, in
 * which it can also be interrupted.
 */
export const makeInParts = <E, R>(pause: (units: number) => Effect.Effect<unknown, E, R>): InParts<E, R> => {
  const work = new Work()
  return Effect.fnUntraced(function* <A>(partsOf: (work: Work) => Parts<A>) {
    const parts = partsOf(work)
    for (;;) {
      const part = yield* Effect.fromResult(orFailed(() => parts.next()))
      if (part.done === true) return part.value
      yield* pause(work.takeUnits())
    }
  })
}

const orFailed = <A>(run: () => A): Result.Result<A, QueryFailed> => {
  try {
    return Result.succeed(run())
  } catch (cause) {
    if (cause instanceof QueryFailed) return Result.fail(cause)
    throw cause
  }
}
