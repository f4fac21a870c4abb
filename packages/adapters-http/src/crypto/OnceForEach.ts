/** Maximum number of owners whose keys are kept in memory. */
const ownersKeptMax = 1_000

/** Makes something once for each of the latest `ownersKeptMax` owners. */
export const onceForEach = <A>(make: (owner: string) => A): ((owner: string) => A) => {
  const made = new Map<string, A>()
  return (owner) => {
    const known = made.get(owner)
    if (known !== undefined) return known
    const value = make(owner)
    const [oldest] = made.keys()
    if (made.size >= ownersKeptMax && oldest !== undefined) made.delete(oldest)
    made.set(owner, value)
    return value
  }
}
