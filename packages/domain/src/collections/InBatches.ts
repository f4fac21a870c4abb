/** Splits items, in their order, so that the sizes in each batch are together at most `max`, except for an item that has more alone. */
export const inBatches = <A>(
  items: ReadonlyArray<A>,
  max: number,
  sizeOf: (item: A) => number,
): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let size = Infinity
  for (const each of items) {
    const ofItem = sizeOf(each)
    size += ofItem
    const batch = batches.at(-1)
    if (batch !== undefined && size <= max) batch.push(each)
    else {
      batches.push([each])
      size = ofItem
    }
  }
  return batches
}
