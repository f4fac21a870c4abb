import type { Parts } from "@tocsin/domain/adapter"

/** Maximum number of resources, scopes, metrics, data points and attributes of a request with metrics together. */
export const metricsEntriesTotalMax = 200_000

/** Counts the entries of a request while it is decoded, before anything is built from each. */
export class EntryCount {
  /** Fields that were gone through, which pauses depend on. */
  fields = 0
  #left = metricsEntriesTotalMax

  /** Throws `TooManyEntries`. */
  add(entries: number): void {
    this.#left -= entries
    if (this.#left < 0) throw new TooManyEntries()
  }
}

export class TooManyEntries extends Error {
  constructor() {
    super(
      `must have at most ${metricsEntriesTotalMax} resources, scopes, metrics, data points and attributes in one request; send smaller batches`,
    )
  }
}

/** Reads the data of a metric, such as its points, in parts; throws where it cannot be read, and `TooManyEntries`. */
export type LazyData = (entries: EntryCount) => Parts<Record<string, unknown>>
