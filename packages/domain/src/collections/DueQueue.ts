/**
 * A priority queue of items by their due time, each at most once; of items due at the same time, the one that is before
 * the others in an order that may be given, or else the one that was put first.
 *
 * A binary heap with the position of each item: putting and removing take O(log n), reading the first `count` takes
 * O(count log count).
 */
export class DueQueue<Item extends object> {
  readonly #heap: Array<Entry<Item>> = []
  readonly #entries = new Map<Item, Entry<Item>>()
  readonly #isFirst: ((a: Item, b: Item) => boolean) | undefined
  #order = 0

  /** `isFirst`: whether the first of two different items that are due at the same time comes first. */
  constructor(isFirst?: (a: Item, b: Item) => boolean) {
    this.#isFirst = isFirst
  }

  /** Adds an item, or changes its due time. Without `isFirst`, it is behind others that are due at the same time. */
  put(item: Item, dueAt: number): void {
    this.remove(item)
    const entry = { item, dueAt, order: this.#order++, place: this.#heap.length }
    this.#entries.set(item, entry)
    this.#heap.push(entry)
    this.#rise(entry)
  }

  /** Does nothing if the item is not in the queue. */
  remove(item: Item): void {
    const entry = this.#entries.get(item)
    if (entry === undefined) return
    this.#entries.delete(item)
    const last = this.#heap.pop()
    if (last === undefined || last === entry) return
    this.#place(last, entry.place)
    this.#rise(last)
    this.#sink(last)
  }

  /** Compares items by identity. */
  has(item: Item): boolean {
    return this.#entries.has(item)
  }

  /** The due time of an item; `undefined` if it is not in the queue. */
  dueAt(item: Item): number | undefined {
    return this.#entries.get(item)?.dueAt
  }

  get size(): number {
    return this.#heap.length
  }

  /** The item that is due first; `undefined` if the queue is empty. */
  get first(): Item | undefined {
    return this.#heap[0]?.item
  }

  /** Every item, in no particular order. */
  *items(): Generator<Item> {
    for (const { item } of this.#heap) yield item
  }

  /** The due time of the first item; `undefined` if the queue is empty. */
  get nextDueAt(): number | undefined {
    return this.#heap[0]?.dueAt
  }

  /** At most `count` items due at `now`, longest due first. They remain in the queue. */
  due(now: number, count: number): ReadonlyArray<Item> {
    const items: Array<Item> = []
    // The next item is always a child of an item taken before.
    const next = new DueQueue<Entry<Item>>((a, b) => this.#isBefore(a, b))
    const offer = (place: number): void => {
      const entry = this.#heap[place]
      if (entry !== undefined && entry.dueAt <= now) next.put(entry, entry.dueAt)
    }
    offer(0)
    while (items.length < count) {
      const first = next.#heap[0]?.item
      if (first === undefined) break
      next.remove(first)
      items.push(first.item)
      offer(2 * first.place + 1)
      offer(2 * first.place + 2)
    }
    return items
  }

  /** Makes every item due at `now` whose due time is more than `waitMs` later. */
  makeDue(now: number, waitMs: number): void {
    const late = this.#heap.filter(({ dueAt }) => dueAt > now + waitMs)
    for (const { item } of late) this.put(item, now)
  }

  #rise(entry: Entry<Item>): void {
    while (entry.place > 0) {
      const parent = this.#heap[(entry.place - 1) >> 1]
      if (parent === undefined || !this.#isBefore(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #sink(entry: Entry<Item>): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1]
      const right = this.#heap[2 * entry.place + 2]
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left
      if (child === undefined || !this.#isBefore(child, entry)) return
      this.#swap(entry, child)
    }
  }

  #isBefore(a: Entry<Item>, b: Entry<Item>): boolean {
    if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt
    return this.#isFirst === undefined ? a.order < b.order : this.#isFirst(a.item, b.item)
  }

  #swap(a: Entry<Item>, b: Entry<Item>): void {
    const place = a.place
    this.#place(a, b.place)
    this.#place(b, place)
  }

  #place(entry: Entry<Item>, place: number): void {
    entry.place = place
    this.#heap[place] = entry
  }
}

interface Entry<Item> {
  readonly item: Item
  readonly dueAt: number
  readonly order: number
  place: number
}
