/**
 * Finds the name that a mistyped one most likely means, ignoring case, for "did you mean".
 *
 * Allows 1 edit (insert, delete, replace, swap neighbors) for names of up to 3 characters, otherwise 2 or a
 * third of the length. The first of equally near names wins. Names over 256 characters are not compared,
 * since input can be hostile.
 */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length > longestCompared) return undefined
  const mistyped = name.toLowerCase()
  let limit = mistyped.length <= 3 ? 1 : Math.max(2, Math.floor(mistyped.length / 3))
  let nearest: string | undefined
  for (const candidate of known) {
    if (candidate.length > 2 * longestCompared) continue
    const distance = editDistance(mistyped, candidate.toLowerCase(), limit)
    if (distance > limit || distance >= Math.max(mistyped.length, candidate.length)) continue
    nearest = candidate
    if (distance === 0) break
    limit = distance - 1
  }
  return nearest
}

const longestCompared = 256

/** The optimal string alignment distance, or any number over `limit` once it must exceed it. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious = new Uint16Array(b.length + 1)
  let previous = Uint16Array.from({ length: b.length + 1 }, (_, column) => column)
  let row = new Uint16Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? (beforePrevious[j - 2] ?? 0) + 1 : replaced
      const cost = Math.min(replaced, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      row[j] = cost
      smallest = Math.min(smallest, cost)
    }
    if (smallest > limit) return limit + 1
    ;[beforePrevious, previous, row] = [previous, row, beforePrevious]
  }
  return previous[b.length] ?? 0
}
