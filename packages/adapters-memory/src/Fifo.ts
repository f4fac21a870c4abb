/** A queue whose ends are both reached in constant time, however long it is. */
export class Fifo<A> {
  #items: Array<A> = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: A): void {
    this.#items.push(item)
  }

  /** Takes the oldest item. What was taken is let go of in large steps, so that each costs little. */
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
