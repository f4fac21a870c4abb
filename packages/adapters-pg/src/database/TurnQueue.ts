/** Turns that a key saves up while others take theirs and it does not. */
export const turnsSavedMax = 30

/**
 * Decides whose turn it is: a start-time fair queue, in which a turn costs what its waiter says, 1 by default.
 *
 * A key that waits with many gets as much as a key that waits with one. A key that has taken none for a while goes
 * before those that take one all the time, up to `turnsSavedMax` times. Of one key, the first to come goes first, and at
 * most `runningMaxOfKey` run.
 *
 * Goyal, Vin, Cheng: "Start-time Fair Queueing", SIGCOMM 1996.
 */
export class TurnQueue<Waiter> {
  readonly #runningMax: number
  readonly #runningMaxOfKey: number
  readonly #keys = new Map<string, KeyState<Waiter>>()
  #running = 0
  #waiting = 0
  /** The start of the latest turn: it advances by 1 when every key that waits has had one. */
  #time = 0
  #sweptAt = 0

  constructor(runningMax: number, runningMaxOfKey = runningMax) {
    this.#runningMax = runningMax
    this.#runningMaxOfKey = runningMaxOfKey
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** How many of a key wait. */
  waitingOf(key: string): number {
    return this.#keys.get(key)?.waiting.size ?? 0
  }

  /** Adds a waiter; `next` says when it is its turn. */
  add(key: string, waiter: Waiter, cost = 1): void {
    const state = this.#keys.get(key) ?? { end: 0, start: 0, running: 0, waiting: new Map<Waiter, number>() }
    this.#keys.set(key, state)
    if (state.waiting.size === 0) state.start = Math.max(this.#time - turnsSavedMax, state.end)
    state.waiting.set(waiter, cost)
    this.#waiting++
  }

  /** Removes a waiter that has not got its turn; false when it has. */
  remove(key: string, waiter: Waiter): boolean {
    if (this.#keys.get(key)?.waiting.delete(waiter) !== true) return false
    this.#waiting--
    return true
  }

  /** Gives the next waiter its turn, if there is one that may run. */
  next(): Waiter | undefined {
    if (this.#running >= this.#runningMax || this.#waiting === 0) return undefined
    let chosen: KeyState<Waiter> | undefined
    for (const state of this.#keys.values()) {
      if (state.waiting.size === 0 || state.running >= this.#runningMaxOfKey) continue
      if (chosen === undefined || isBefore(state, chosen)) chosen = state
    }
    if (chosen === undefined) return undefined
    const [first] = chosen.waiting
    if (first === undefined) return undefined
    const [waiter, cost] = first
    chosen.waiting.delete(waiter)
    this.#waiting--
    this.#running++
    chosen.running++
    this.#time = Math.max(this.#time, chosen.start)
    chosen.end = chosen.start + cost
    chosen.start = chosen.end
    return waiter
  }

  /** Ends a turn of a key. */
  end(key: string): void {
    const state = this.#keys.get(key)
    if (state === undefined) return
    state.running--
    this.#running--
    if (this.#running === 0 && this.#waiting === 0) {
      this.#keys.clear()
      this.#time = 0
      this.#sweptAt = 0
    } else if (this.#time >= this.#sweptAt + 1) this.#forgetIdle()
  }

  /** Forgets keys that would start anew. Once a round, in which each key had a turn, so that it costs little. */
  #forgetIdle(): void {
    this.#sweptAt = this.#time
    for (const [key, { end, running, waiting }] of this.#keys) {
      if (running === 0 && waiting.size === 0 && end <= this.#time - turnsSavedMax) this.#keys.delete(key)
    }
  }
}

interface KeyState<Waiter> {
  /** When the latest turn ends, in turns of a key that always waits. */
  end: number
  /** When the turn of the first waiter starts. */
  start: number
  running: number
  /** Those that wait, with what their turns cost. */
  readonly waiting: Map<Waiter, number>
}

/** Of two that start at the same time, the one whose latest turn is longer ago. */
const isBefore = (
  a: { readonly start: number; readonly end: number },
  b: { readonly start: number; readonly end: number },
): boolean => a.start < b.start || (a.start === b.start && a.end < b.end)
