/** Most minutes that a count covers. */
const coveredMax = 60

/**
 * The minutes that the counts of a track cover: each covers its own minute and those up to the next count, at most the usual interval of its day,
 * which is the median of the intervals from its counts to the next ones, at most `coveredMax` minutes. With counts every minute, these are the
 * minutes that have counts.
 *
 * Minutes have places: their number among the minutes that are measured.
 */
export class Arrivals {
  /** How many intervals of the present day have as many minutes; the last place is for all longer ones. */
  readonly #intervals = new Float64Array(coveredMax + 2)
  #intervalCount = 0
  #day: number | undefined
  #last = 0
  #covered = 0

  /** Adds the counts of minutes one after the other, from a place behind all others on, of one day. */
  add(day: number, place: number, minutes: number): void {
    if (this.#day !== undefined) this.#addIntervals(place - this.#last, 1)
    if (day !== this.#day) this.#endDay()
    this.#day = day
    this.#addIntervals(1, minutes - 1)
    this.#last = place + minutes - 1
  }

  /** How many of so many minutes are covered; nothing is added after that. */
  coveredOf(minutes: number): number {
    return this.#day === undefined ? 0 : Math.min(minutes - this.#last, this.#endDay()) + this.#covered
  }

  #addIntervals(minutes: number, count: number): void {
    // A store that returns a minute twice must not change the days after it.
    const place = Math.min(Math.max(1, minutes), coveredMax + 1)
    this.#intervals[place] = (this.#intervals[place] ?? 0) + count
    this.#intervalCount += count
  }

  /** Adds what the counts of a day cover, and returns its usual interval. */
  #endDay(): number {
    let [usual, upToUsual] = [1, this.#intervals[1] ?? 0]
    while (usual < coveredMax && 2 * upToUsual < this.#intervalCount)
      upToUsual += this.#intervals[++usual] ?? 0
    // With counts every minute, there are no intervals but the shortest.
    for (let minutes = 1; this.#intervalCount > 0 && minutes < this.#intervals.length; minutes++) {
      const count = this.#intervals[minutes] ?? 0
      this.#covered += count * Math.min(minutes, usual)
      this.#intervals[minutes] = 0
      this.#intervalCount -= count
    }
    return usual
  }
}
