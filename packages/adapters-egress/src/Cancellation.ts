/** What tells a request to stop. An `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: true }) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}

/** What stops a request. An `AbortController` is one. */
export interface Canceler {
  readonly signal: CancelSignal
  readonly abort: () => void
}

/** As an `AbortController` that is its own signal: without an event target and an event, of which each request had one. */
export class Cancellation implements CancelSignal, Canceler {
  #aborted = false
  readonly #listeners = new Set<() => void>()

  get aborted(): boolean {
    return this.#aborted
  }

  get signal(): CancelSignal {
    return this
  }

  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (!this.#aborted) this.#listeners.add(listener)
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners.delete(listener)
  }
}
