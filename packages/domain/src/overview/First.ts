/** The first items of very many in an order, of equal ones those that were added first. */
export class First<A> {
  readonly items: Array<A> = []
  readonly #max: number
  readonly #keys: ReadonlyArray<(item: A) => number>

  constructor(max: number, ...keys: ReadonlyArray<(item: A) => number>) {
    this.#max = max
    this.#keys = keys
  }

  /** Whether an item with these keys would be one of the first. */
  takes(...keys: ReadonlyArray<number>): boolean {
    const last = this.items.at(-1)
    if (this.items.length < this.#max) return true
    return last !== undefined && compareKeys(keys, this.#keysOf(last)) < 0
  }

  add(item: A): void {
    const keys = this.#keysOf(item)
    if (!this.takes(...keys)) return
    const at = this.items.findLastIndex((other) => compareKeys(this.#keysOf(other), keys) <= 0) + 1
    this.items.splice(at, 0, item)
    this.items.splice(this.#max)
  }

  #keysOf(item: A): ReadonlyArray<number> {
    return this.#keys.map((key) => key(item))
  }
}

const compareKeys = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  for (const [index, ofA] of a.entries()) {
    const ofB = b[index] ?? ofA
    if (ofA !== ofB) return ofA < ofB ? -1 : 1
  }
  return 0
}
