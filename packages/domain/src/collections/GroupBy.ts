/** Groups items by a key, in their order; `Map.groupBy` of later versions of Node. */
export const groupBy = <A, K>(
  items: Iterable<A>,
  keyOf: (item: A) => K,
): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
