/** A first-in, first-out queue with operations in constant time. */
export class Fifo<A> {
  #items: Array<A> = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  /** The oldest item; `undefined` if the queue is empty. */
  get first(): A | undefined {
    return this.#items[this.#head]
  }

  /** Adds an item behind all others. */
  push(item: A): void {
    this.#items.push(item)
  }

  /** Removes the oldest item. Memory is freed in large steps, so that the cost per item is constant. */
  shift(): A | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
