/** The first items of very many in an order, of equal ones those that were added first. */
export class First<A> {
  /** In their order, at most as many as were asked for. */
  readonly items: Array<A> = []
  readonly #max: number
  readonly #compare: (a: A, b: A) => number

  /** Orders by `compare`, and keeps `max` items. */
  constructor(max: number, compare: (a: A, b: A) => number) {
    this.#max = max
    this.#compare = compare
  }

  /** Keeps an item if it is one of the first of those that were added. */
  add(item: A): void {
    const last = this.items.at(-1)
    if (this.items.length >= this.#max && (last === undefined || this.#compare(last, item) <= 0)) return
    const at = this.items.findLastIndex((other) => this.#compare(other, item) <= 0) + 1
    this.items.splice(at, 0, item)
    this.items.splice(this.#max)
  }
}

/** Compares two items by a number, then by the next one. */
export const byNumbers =
  <A>(...numbers: ReadonlyArray<(item: A) => number>) =>
  (a: A, b: A): number => {
    for (const numberOf of numbers) {
      const [ofA, ofB] = [numberOf(a), numberOf(b)]
      if (ofA !== ofB) return ofA < ofB ? -1 : 1
    }
    return 0
  }
