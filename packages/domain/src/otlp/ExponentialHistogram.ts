/** Coarsest scale of an exponential histogram that is read; exporters of OpenTelemetry use no coarser one. */
export const exponentialScaleMin = -10

/** Finest scale of an exponential histogram that is read; exporters of OpenTelemetry use no finer one. */
export const exponentialScaleMax = 20

/** Maximum number of buckets of one sign of an exponential histogram that is read; exporters have 160 by default. */
export const exponentialBucketsMax = 2_000

/** Buckets of one sign: `counts[i]` values have a magnitude in the bucket `offset + i`. */
interface ExponentialBuckets {
  readonly offset: number
  readonly counts: ReadonlyArray<number>
}

/**
 * The values of an exponential histogram: bucket i has magnitudes above 2^(i × 2^-scale), and at most 2^((i + 1) × 2^-scale). The
 * zero bucket has those of at most `zeroThreshold`. Source: OpenTelemetry metrics data model, exponential histogram.
 */
export interface ExponentialHistogram {
  /** A whole number from `exponentialScaleMin` to `exponentialScaleMax`; one more splits each bucket in two. */
  readonly scale: number
  /** The number of values in the zero bucket; at least 0. */
  readonly zeroCount: number
  /** At least 0, in the unit of the values. */
  readonly zeroThreshold: number
  /** The values above `zeroThreshold`. */
  readonly positive: ExponentialBuckets
  /** The values below `-zeroThreshold`, by magnitude. */
  readonly negative: ExponentialBuckets
}

/**
 * How many values are at most a limit, at the scale of the histogram and at each coarser one, down to `exponentialScaleMin`: two
 * histograms of different scales can be compared at the coarser of them.
 *
 * The bucket of the limit counts in part, as in Prometheus's `histogram_fraction`: exponentially within a bucket, and linearly within
 * the zero bucket, which begins or ends at 0 if there are no values of one sign.
 *
 * At scale 0, with 4 values in (1, 2] and 6 in (2, 4], 7 are at most √8: 4, and half of 6.
 */
export const countsAtMost = (histogram: ExponentialHistogram, limit: number): ReadonlyArray<number> => {
  const { scale, zeroCount, zeroThreshold, positive, negative } = histogram
  const negatives = sumOf(negative.counts)
  if (Math.abs(limit) <= zeroThreshold || limit === 0) {
    return [negatives + zeroCount * zeroPart(histogram, negatives, limit)]
  }
  const magnitudes = limit > 0 ? positive : negative
  const sums = prefixSums(magnitudes.counts)
  const inIndexes = (from: number, to: number): number => {
    const at = (index: number) => sums[Math.min(Math.max(index - magnitudes.offset, 0), sums.length - 1)] ?? 0
    return at(to) - at(from)
  }
  const exact = Math.log2(Math.abs(limit)) * 2 ** scale
  // The bound of a bucket is in it.
  const place = Math.abs(exact - Math.round(exact)) < 1e-9 ? Math.round(exact) : exact
  const index = Math.ceil(place) - 1
  const counts: Array<number> = []
  for (let merged = 1; scale - counts.length >= exponentialScaleMin; merged *= 2) {
    // All that fall in one bucket at this scale.
    const first = Math.floor(index / merged) * merged
    const within = inIndexes(first, first + merged) * ((place - first) / merged)
    const below = inIndexes(-Infinity, first) + within
    counts.push(limit > 0 ? negatives + zeroCount + below : negatives - below)
  }
  return counts
}

/** The part of the zero bucket at or below a limit. */
const zeroPart = ({ zeroThreshold, positive }: ExponentialHistogram, negatives: number, limit: number) => {
  if (zeroThreshold === 0) return 1
  const positives = sumOf(positive.counts)
  const lower = negatives === 0 && positives > 0 ? 0 : -zeroThreshold
  const upper = negatives > 0 && positives === 0 ? 0 : zeroThreshold
  return Math.min(1, Math.max(0, (limit - lower) / (upper - lower)))
}

const sumOf = (counts: ReadonlyArray<number>): number => counts.reduce((sum, count) => sum + count, 0)

/** The sums of the first 0, 1, … counts. */
const prefixSums = (counts: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sums = [0]
  for (const count of counts) sums.push((sums.at(-1) ?? 0) + count)
  return sums
}
