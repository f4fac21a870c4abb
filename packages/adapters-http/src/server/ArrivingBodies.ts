/** Most memory of all request bodies that a server is receiving, in bytes. */
export const arrivingBodiesMaxBytes = 268_435_456

/** The request bodies that a server is receiving, which have at most `maxBytes` together. */
export class ArrivingBodies {
  readonly #maxBytes: number
  readonly #bodies = new Set<ArrivingBody>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  begin(onRejected: () => void): ArrivingBody {
    const body: ArrivingBody = { bytes: 0, onRejected }
    this.#bodies.add(body)
    return body
  }

  /** Rejects the bodies that have been arriving for the longest time while there are too many bytes. */
  add(body: ArrivingBody, bytes: number): void {
    if (!this.#bodies.has(body)) return
    body.bytes += bytes
    this.#bytes += bytes
    for (const oldest of this.#bodies) {
      if (this.#bytes <= this.#maxBytes) return
      this.end(oldest)
      oldest.onRejected()
    }
  }

  end(body: ArrivingBody): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes
  }
}

export interface ArrivingBody {
  bytes: number
  readonly onRejected: () => void
}
