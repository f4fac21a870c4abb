/** Which part of an ordered list to read. */
export interface PageRequest<Key> {
  /** The key of the last element already read; absent: from the start. */
  readonly after?: Key
  readonly limit: number
}

/** A part of an ordered list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}
