/**
 * Finds the name that a mistyped one most likely means, ignoring case: with 1 edit (insert, delete, replace, swap neighbors) in up to
 * 3 characters, otherwise with 2 or a third of the length. The first of equally near names wins.
 */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  let limit = name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 3))
  let nearest: string | undefined
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance > limit || distance >= Math.max(name.length, candidate.length)) continue
    nearest = candidate
    limit = distance - 1
  }
  return nearest
}

const editDistance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        isSwapped ? at(i - 2, j - 2) + 1 : Infinity,
      )
    }
  }
  return at(a.length, b.length)
}
