/** How far a clock may go back before it counts as set back, in milliseconds. */
const toleranceMs = 1_000

/**
 * Time that passes as a clock's does, but never goes back: when the clock is set back, what waits is due as soon as it
 * would have been otherwise. The clock is read by the caller; all times are Unix milliseconds.
 */
export class SteadyClock {
  #time = Number.NEGATIVE_INFINITY
  #aheadMs = 0

  /** The latest time that was read. */
  get time(): number {
    return this.#time
  }

  /** How much later this time is than that of the clock. */
  get aheadMs(): number {
    return this.#aheadMs
  }

  /** The time when the clock shows `now`. */
  read(now: number): number {
    if (now + this.#aheadMs < this.#time - toleranceMs) this.#aheadMs = this.#time - now
    this.#time = Math.max(this.#time, now + this.#aheadMs)
    return this.#time
  }
}
