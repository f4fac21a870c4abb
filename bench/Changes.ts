import { type Comparison, median } from "./Compare.ts"

/** What was measured of each contender of each comparison, in microseconds, by `title: contender`. */
export type Measurements = ReadonlyMap<string, Measurement>

interface Measurement {
  readonly title: string
  readonly contender: string
  readonly microseconds: number
}

/** How the speed of a contender changed: 1 is equal, 2 twice as fast. */
export interface Change {
  readonly title: string
  readonly contender: string
  readonly ratio: number
  readonly isSlower: boolean
}

/** Below this ratio, something has become slower. */
const slowerBelow = 0.97

export const measurementsOf = (comparisons: ReadonlyArray<Comparison>): Measurements =>
  new Map(
    comparisons.flatMap(({ title, measured }) =>
      measured.map(({ name, microseconds }) => [
        `${title}: ${name}`,
        { title, contender: name, microseconds },
      ]),
    ),
  )

/**
 * The changes of what both versions measured in each round, the median of the rounds, except for limits, which are the same
 * number always. The slowest change comes first.
 */
export const changesOf = (
  rounds: ReadonlyArray<{ readonly before: Measurements; readonly after: Measurements }>,
): ReadonlyArray<Change> => {
  const [first] = rounds
  if (first === undefined) return []
  return [...first.before]
    .flatMap(([key, { title, contender }]) => {
      const pairs = rounds.map(({ before, after }) => [before.get(key), after.get(key)] as const)
      const ratios = pairs.flatMap(([before, after]) =>
        before === undefined || after === undefined ? [] : [before.microseconds / after.microseconds],
      )
      const values = new Set(pairs.flat().map((each) => each?.microseconds))
      if (ratios.length < rounds.length || values.size === 1) return []
      const ratio = median(ratios)
      return [{ title, contender, ratio, isSlower: ratio < slowerBelow }]
    })
    .toSorted((a, b) => a.ratio - b.ratio)
}
